"""How a class spends its atoms: the energy of each axis at the minimum, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from crosslabel.core.backend import ArrayOrTensor, beside, namespace, take_along
from crosslabel.core.scaling import Array


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
