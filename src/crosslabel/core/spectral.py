"""The model without suppressed codes (λ = ∞) and grouping (γ = 0), solved in closed form.

Each class is a problem of its own: the axes of its second moment, with the energies of
`core.water_filling`, rotated to unit-norm atoms by `core.rotation`; no start and no iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import one_thread
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.rotation import unit_atoms
from crosslabel.core.scaling import Array
from crosslabel.core.shared_variation import SharedVariation
from crosslabel.core.solver import Solution
from crosslabel.core.spectrum import Alike, alike, row_spectra
from crosslabel.core.water_filling import energies, unexplained


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
