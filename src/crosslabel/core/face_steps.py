"""The values of l1 codes whose signs are known, for many signals at once.

Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

# Steps at most, and signals that take them together: with more, all arrays leave the cache.
STEPS = 20
ROWS = 256
# Steps that are usually enough.
USUAL = 16
# Share of the signals that may be left to solvers that take them one by one.
LEFT = 0.05


def face_steps(
    gram: Array,
    b: Array,
    penalty: Array | float,
    codes: Array,
    precondition: Callable[[Array], Array],
    allowed: float,
) -> None:
    """Steps towards min xᵀHx − 2bᵀx + Σ λ_k|x_k| over the non-zero entries of each row of codes.

    Preconditioned conjugate gradients: a step is two products for all signals, where one signal's
    normal equations take a third of the cube of its entries, at n of K atoms as many operations as
    n³/9K² steps. So nothing is done where that is few. Where a sign changes, the row stays as it
    was: its entries are not all of the solution's. No row's objective rises.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        H, positive semidefinite.
    b : ndarray of shape (n_signals, n_atoms)
    penalty : float or ndarray of shape (n_atoms,)
        λ.
    codes : ndarray of shape (n_signals, n_atoms)
        Changed in place.
    precondition : callable
        Multiplies rows with something like H⁻¹.
    allowed : float
        Half the gradient, over these entries, at which nearly all rows have arrived.
    """
    if not many_used(codes != 0):
        return
    half = np.asarray(penalty) / 2
    for first in range(0, len(codes), ROWS):
        rows = slice(first, first + ROWS)
        signs = np.sign(codes[rows])
        residual = (b[rows] - half * signs - codes[rows] @ gram) * (signs != 0)
        fresh = codes[rows] + _conjugate_steps(gram, residual, signs != 0, precondition, allowed)
        kept = (np.sign(fresh) == signs).all(axis=1, keepdims=True)
        codes[rows] = np.where(kept, fresh, codes[rows])


def many_used(used: NDArray[np.bool_]) -> bool:
    """Whether a signal's normal equations cost more than its part in products for all signals.

    Parameters
    ----------
    used : ndarray of shape (n_signals, n_atoms)
        Which entries of the codes are not zero.
    """
    n_signals, n_atoms = used.shape
    usual = np.count_nonzero(used) / max(1, n_signals)
    return usual**3 > 9 * USUAL * n_atoms**2


def _conjugate_steps(
    gram: Array,
    residual: Array,
    free: Array,
    precondition: Callable[[Array], Array],
    allowed: float,
) -> Array:
    """z with zH = residual on the free entries of each row and 0 elsewhere, nearly."""
    found = np.zeros_like(residual)
    way = precondition(residual) * free
    size = np.einsum("ij,ij->i", residual, way)
    for _ in range(STEPS):
        change = (way @ gram) * free
        step = _ratio(size, np.einsum("ij,ij->i", way, change))[:, None]
        found += step * way
        residual = residual - step * change
        if np.mean(np.abs(residual).max(axis=1) > allowed) <= LEFT:
            break
        ahead = precondition(residual) * free
        before, size = size, np.einsum("ij,ij->i", residual, ahead)
        way = ahead + _ratio(size, before)[:, None] * way
    return found


def _ratio(a: Array, b: Array) -> Array:
    """a/b, and 0 where b is not positive: a row that has arrived goes no further."""
    positive = b > 0
    return np.where(positive, a / np.where(positive, b, 1), 0)
