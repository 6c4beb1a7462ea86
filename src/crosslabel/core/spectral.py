"""The model without suppressed codes (λ = ∞) and grouping (γ = 0), solved in closed form.

Each class is a problem of its own: the axes of its second moment, each with the energy that is
best for it, rotated to unit-norm atoms by `core.rotation`; no start and no iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import ArrayOrTensor, beside, namespace, one_thread, take_along
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.rotation import unit_atoms
from crosslabel.core.scaling import Array
from crosslabel.core.shared_variation import SharedVariation
from crosslabel.core.solver import Solution
from crosslabel.core.spectrum import Alike, alike, row_spectra


def closed_form(
    statistics: Moments,
    layout: AtomLayout,
    penalties: Penalties,
    likeness: Array | None = None,
) -> Solution:
    """min over unit-norm D_c and X_c of Σ_c ‖Y_c − X_cD_c‖² + β‖X_c‖², exactly.

    Shared atoms are the main directions in which samples of one class differ, of energy one; the
    classes then part again, and their atoms are the best along the axes of what those leave.

    Parameters
    ----------
    statistics : Moments
    layout : AtomLayout
    penalties : Penalties
        The ridge β ≥ 0 counts; suppression is infinite and grouping zero, whatever they say.
    likeness : ndarray of shape (n_atoms, n_features), optional
        Rows in the order of the layout that the atoms of the classes shall look like.

    Returns
    -------
    Solution
        With a trace of one value, and one of each class where no atoms are shared.
    """
    shared = SharedVariation.of(statistics, layout.shared) if layout.shared else None

    def learn(group: Alike, n_atoms: int) -> Learnt:
        return learn_alike(group, shared, n_atoms, penalties.ridge)

    return assembled(statistics, layout, shared, learn, likeness)


class Learnt(NamedTuple):
    """What is learnt of a stack of classes: axes and energies of their atoms, and the objective."""

    energies: Array
    axes: Array
    objective: Array


def assembled(
    statistics: Moments,
    layout: AtomLayout,
    shared: SharedVariation | None,
    learn: Callable[[Alike, int], Learnt],
    likeness: Array | None,
) -> Solution:
    """The whole dictionary, from what ``learn(group, n_atoms)`` finds for classes of one form."""
    D = np.empty((layout.n_atoms, statistics.n_features), statistics.means.dtype)
    values, unused = np.empty(layout.n_classes), np.zeros(layout.n_atoms, dtype=bool)
    if shared is not None:
        D[: layout.shared] = shared.atoms
    with one_thread():
        for group in alike(statistics, layout.per_class):
            n_atoms = layout.per_class[group.classes[0]]
            places = layout.starts[group.classes][:, None] + np.arange(n_atoms)
            wanted = None if likeness is None else likeness[places].astype(np.float64)
            means = statistics.means[group.classes].astype(np.float64)
            energy, axes, values[group.classes] = learn(group, n_atoms)
            D[places] = unit_atoms(energy, axes, n_atoms, means, wanted)
            # Samples that are all zero use no atom.
            is_zero = np.abs(group.moments).max(axis=(1, 2), initial=0.0) == 0
            unused[places] = is_zero[:, None]
    apart = () if layout.shared else tuple([value] for value in values.tolist())
    return Solution(D, [float(values.sum())], unused, apart)


def learn_alike(group: Alike, shared: SharedVariation | None, n_atoms: int, ridge: float) -> Learnt:
    """The closed form of classes whose second moments have one form."""
    if shared is None:
        values, axes, rest = group.spectra(n_atoms)
        energy = energies(values, n_atoms, ridge)
        return Learnt(energy, axes, unexplained(values, energy, ridge) + rest)
    values, axes, rest = shrunk(group, shared, ridge).spectra()
    expanded = shared.expand(axes, ridge)
    # What an atom along an axis of the metric costs of the energy that unit norms allow.
    prices = np.einsum("nmf,nmf->nm", expanded, expanded)
    energy = energies(values, n_atoms, ridge, np.where(prices > 0, prices, 1))
    objective = unexplained(values, energy, ridge) + rest
    return Learnt(*orthogonal(np.sqrt(energy)[..., None] * expanded, n_atoms), objective)


def orthogonal(atoms: Array, n_atoms: int) -> tuple[Array, Array]:
    """Energies with sum k and axes of AᵀA, for stacked rows A of that energy to rounding."""
    roots, axes, _ = row_spectra(atoms, n_atoms)
    energy = roots**2
    return energy * (n_atoms / energy.sum(axis=1, keepdims=True)), axes


def shrunk(group: Alike, shared: SharedVariation, ridge: float) -> Alike:
    """Second moments LML in the metric that the shared atoms leave."""
    moments = shared.shrink(group.moments, ridge)
    if not group.are_rows:
        moments = shared.shrink(moments.transpose(0, 2, 1), ridge)
    return group._replace(moments=moments)


def energies(
    values: ArrayOrTensor,
    n_atoms: ArrayLike,
    ridge: ArrayLike,
    prices: ArrayOrTensor | None = None,
) -> ArrayOrTensor:
    """min over q ≥ 0 of Σ β s_i²/(q_i + β), s.t. Σ w_i q_i = k and at most k of the q_i not zero.

    q_i = max(0, a_i/ν − β) with a_i = s_i/√w_i, on the k largest a_i at most; ν from the sum.

    Parameters
    ----------
    values : ndarray of shape (..., n_axes)
        s ≥ 0; in descending order unless prices are given.
    n_atoms : int, or array of them
        k, for one grid point or for as many as broadcast with the leading axes of `values`.
    ridge : float, or array of them
        β ≥ 0, likewise.
    prices : ndarray of shape (..., n_axes), optional
        w > 0, what energy along an axis costs; one each if not given.

    Returns
    -------
    ndarray of shape (..., n_axes)
        Where all values are zero every distribution is a minimum: the equal one.
    """
    k, beta = (beside(np.asarray(v, np.float64)[..., None], values) for v in (n_atoms, ridge))
    if prices is None:
        return _filled(values, namespace(values).ones_like(values), k, beta)
    slopes = values / np.sqrt(prices)
    order = np.argsort(-slopes, axis=-1, kind="stable")
    sorted_slopes, sorted_prices = (np.take_along_axis(v, order, -1) for v in (slopes, prices))
    filled = _filled(sorted_slopes, sorted_prices, k, beta)
    return np.take_along_axis(filled, np.argsort(order, axis=-1), -1)


def _filled(a: Array, w: Array, k: Array, beta: Array) -> Array:
    """Energies for slopes a in descending order."""
    xp, places = namespace(a), beside(np.arange(1, a.shape[-1] + 1), a)
    spent, weighted = xp.cumsum(w, axis=-1), xp.cumsum(w * a, axis=-1)
    # The i-th axis is worth its first energy if a_i > νβ with ν that of the first i axes.
    active = (a * (k + beta * spent) > beta * weighted) & (places <= k)
    last = xp.clip(active.sum(axis=-1, keepdims=True) - 1, 0, None)
    shape = (*active.shape[:-1], 1)
    cost, total = (
        take_along(xp.broadcast_to(v, active.shape), last, -1).reshape(shape)
        for v in (spent, weighted)
    )
    nothing = total == 0
    # a(k + βΣw)/Σwa − β, in the form that cancels no digits where β is large.
    filled = (a * k + beta * (a * cost - total)) / xp.where(nothing, 1, total)
    open_places = places <= k
    equal = k / (w * open_places).sum(axis=-1, keepdims=True)
    return xp.where(nothing, equal * open_places, xp.clip(filled, 0, None) * active)


def unexplained(values: ArrayOrTensor, energy: ArrayOrTensor, ridge: ArrayLike) -> ArrayOrTensor:
    """Σ β s_i²/(q_i + β): what the axes' energies leave of the objective.

    Parameters
    ----------
    values, energy : ndarray of shape (..., n_axes)
        s and q.
    ridge : float, or array of them
        β ≥ 0, as for `energies`.

    Returns
    -------
    ndarray of shape (...)
    """
    xp, beta = namespace(values), beside(np.asarray(ridge, np.float64)[..., None], values)
    total = energy + beta
    # Without ridge and energy nothing of an axis is explained.
    share = xp.where(total > 0, beta / xp.where(total > 0, total, 1), 1)
    return (values**2 * share).sum(axis=-1)
