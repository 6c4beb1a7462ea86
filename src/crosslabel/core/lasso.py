"""One solver for every l1-regularised code of the library, for many signals at once.

Working sets keep the problems small; the optimality conditions, not a step count, end them.
Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.active_set import active_set_lasso, violation
from crosslabel.core.scaling import Array

# Signals that are solved together: their Gram matrices on the working sets stay in the cache.
CHUNK = 64
WORKING_SET = 64
# Steps between two looks at the optimality conditions, which cost about one step.
CHECK_EVERY = 10


def soft_threshold(X: Array, threshold: Array | float) -> Array:
    """sign(x) · max(|x| − t, 0), entry by entry: the proximal operator of t‖x‖₁."""
    return X - np.clip(X, -threshold, threshold)


def lasso(
    gram: Array,
    correlations: Array,
    penalty: float | Array,
    *,
    start: Array | None = None,
    tol: float = 1e-3,
) -> Array:
    """min over x of xᵀHx − 2bᵀx + Σ λ_k|x_k|, for each row b of `correlations` on its own.

    With H = DDᵀ and b = Dy this is ‖y − Dᵀx‖² + λ‖x‖₁. Each signal keeps a working set, its
    non-zero entries and those that violate optimality most, and the problem on that set is solved
    by an active-set method: coherent atoms, such as faces, do not slow it down.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        H, positive semidefinite.
    correlations : ndarray of shape (n_signals, n_atoms)
        b in each row.
    penalty : float or ndarray of shape (n_atoms,)
        λ, the same for all atoms or one for each.
    start : ndarray of shape (n_signals, n_atoms), optional
        Codes to start from.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the largest λ/2.

    Returns
    -------
    ndarray of shape (n_signals, n_atoms)
    """
    codes = np.zeros_like(correlations) if start is None else start.copy()
    penalties = np.broadcast_to(np.asarray(penalty, correlations.dtype), gram.shape[:1])
    allowed = tol * float(penalties.max()) / 2
    for first in range(0, len(correlations), CHUNK):
        rows = slice(first, first + CHUNK)
        _lasso_chunk(gram, correlations[rows], penalties / 2, codes[rows], allowed)
    return codes


def _lasso_chunk(gram: Array, b: Array, thresholds: Array, X: Array, allowed: float) -> None:
    """`lasso` for a few signals, each on its own growing working set; X is changed in place."""
    n_atoms = len(gram)
    size = min(WORKING_SET, n_atoms)
    rows = np.arange(len(b))
    for _ in range(4 * n_atoms):  # every round frees an entry: far more than are ever needed
        faults = violation(X[rows], X[rows] @ gram - b[rows], 2 * thresholds)
        unsolved = faults.max(axis=1, initial=0.0) > allowed
        rows, faults = rows[unsolved], faults[unsolved]
        if len(rows) == 0:
            break
        used = X[rows] != 0
        # Room for all that is in use and as much again, so that a round always makes progress.
        size = min(n_atoms, max(size, 2 * int(used.sum(axis=1).max())))
        sets = _largest(np.where(used, np.inf, faults), size)
        solved = active_set_lasso(
            gram[sets[:, :, None], sets[:, None, :]],
            np.take_along_axis(b[rows], sets, axis=1),
            thresholds[sets],
            np.take_along_axis(X[rows], sets, axis=1),
            allowed,
        )
        X[rows] = 0
        X[rows[:, None], sets] = solved
        if size == n_atoms:
            break


def _largest(values: Array, size: int) -> NDArray[np.intp]:
    """Columns of the `size` largest entries of each row."""
    if size == values.shape[1]:
        return np.broadcast_to(np.arange(size), values.shape)
    return np.argpartition(values, -size, axis=1)[:, -size:]


def coupled_lasso(
    gram: Array,
    correlations: Array,
    penalty: float | Array,
    *,
    coupling: Array | None = None,
    start: Array | None = None,
    tol: float = 1e-3,
    max_iter: int = 500,
) -> Array:
    """min over X of tr(X H Xᵀ) − 2 tr(X Bᵀ) + tr(Xᵀ Φ X) + Σ λ_k|x_ik|, for signals of one kind.

    The signals share one working set of atoms, which suits the samples of one class, and Φ may
    couple them: a Fisher criterion or a graph Laplacian.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        H, positive semidefinite.
    correlations : ndarray of shape (n_signals, n_atoms)
        B.
    penalty : float or ndarray of shape (n_atoms,)
        λ, the same for all atoms or one for each.
    coupling : ndarray of shape (n_signals, n_signals), optional
        Φ, positive semidefinite; no coupling without it.
    start : ndarray of shape (n_signals, n_atoms), optional
        Codes to start from.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the largest λ/2.
    max_iter : int, default=500
        Largest number of proximal steps on one working set.

    Returns
    -------
    ndarray of shape (n_signals, n_atoms)
    """
    penalties = np.broadcast_to(np.asarray(penalty, correlations.dtype), gram.shape[:1])
    allowed = tol * penalties.max() / 2
    X = np.zeros_like(correlations) if start is None else start.copy()
    spread = 0.0 if coupling is None else np.abs(coupling).sum(axis=1).max()
    for _ in range(4 * len(gram)):  # as in `_lasso_chunk`
        used = np.flatnonzero((X != 0).any(axis=0))
        gradient = X[:, used] @ gram[used] - correlations
        if coupling is not None:
            gradient[:, used] += coupling @ X[:, used]
        faults = violation(X, gradient, penalties).max(axis=0, initial=0.0)
        if faults.max(initial=0.0) <= allowed:
            break
        faults[used] = np.inf
        size = min(len(gram), max(64, 2 * len(used)))
        chosen = np.sort(_largest(faults[None], size)[0])
        X[:, chosen] = _coupled_on_set(
            gram[np.ix_(chosen, chosen)],
            correlations[:, chosen],
            X[:, chosen],
            coupling,
            spread,
            penalties[chosen] / 2,
            allowed,
            max_iter,
        )
        if size == len(gram):
            break
    return X


def _coupled_on_set(
    hessian: Array,
    targets: Array,
    start: Array,
    coupling: Array | None,
    spread: float,
    thresholds: Array,
    allowed: float,
    max_iter: int,
) -> Array:
    def gradient(Z: Array) -> Array:
        slope = Z @ hessian - targets
        return slope if coupling is None else slope + coupling @ Z

    bound = np.abs(hessian).sum(axis=1).max() + spread
    return _accelerate(gradient, start, bound, thresholds, allowed, max_iter, axis=None)


def _accelerate(
    gradient: Callable[[Array], Array],
    X: Array,
    bound: Array | float,
    thresholds: Array,
    allowed: float,
    max_iter: int,
    axis: int | None,
) -> Array:
    """FISTA with the gradient restart of O'Donoghue and Candès.

    `gradient` is half that of the smooth part, `bound` bounds its slope. Momentum is kept row by
    row for `axis=1` and for all rows together for `axis=None`.
    """
    step = 1 / np.where(np.asarray(bound) > 0, bound, 1)
    ahead = X
    momentum = np.ones((len(X), 1) if axis == 1 else (1, 1), X.dtype)
    for iteration in range(max_iter):
        fresh = soft_threshold(ahead - step * gradient(ahead), step * thresholds)
        move = fresh - X
        uphill = ((ahead - fresh) * move).sum(axis=axis, keepdims=True) > 0
        momentum[uphill] = 1
        larger = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = fresh + (momentum - 1) / larger * move
        X, momentum = fresh, larger
        if (
            iteration % CHECK_EVERY == 0
            and violation(X, gradient(X), 2 * thresholds).max(initial=0.0) <= allowed
        ):
            break
    return X
