"""The lasso on many small problems at once, by an active-set method. Imports numpy and core only.

Faces and other coherent atoms make first-order methods crawl: their Gram matrices have condition
numbers of many thousands. Here the signs are found by coordinate steps and the values by the
normal equations of the active entries, so that the conditioning does not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

# Entries that may enter the active set at once.
BATCH = 8

PATIENCE = 6
"""Rounds without a lower objective after which a problem is done: what is left is rounding."""

ROUNDING = 16 * np.finfo(float).eps
"""Of an objective or a gradient, in units of what it is made of."""


class Descent:
    """Which of several problems still lower their objectives.

    Parameters
    ----------
    n_problems : int
    patience : int
        Rounds that may pass without a lower objective.
    """

    def __init__(self, n_problems: int, patience: int = PATIENCE) -> None:
        self.best = np.full(n_problems, np.inf)
        self.idle = np.zeros(n_problems, int)
        self.patience = patience

    def goes_on(self, values: Array) -> NDArray[np.bool_]:
        """Note the objectives of a round; whether each problem has come lower of late."""
        # Not "values >= …": what is not a number comes no lower.
        lower = values < self.best - ROUNDING * np.abs(values)
        self.idle = np.where(lower, 0, self.idle + 1)
        self.best = np.fmin(self.best, values)
        return self.idle < self.patience

    def keep(self, chosen: NDArray[np.generic]) -> None:
        """Leave out all problems but these."""
        self.best, self.idle = self.best[chosen], self.idle[chosen]


def reachable(allowed: float, b: Array) -> Array:
    """The violation that is allowed for each row: none below the rounding of its gradient."""
    return np.maximum(allowed, ROUNDING * np.abs(b).max(axis=1, initial=0.0))


def violation(X: Array, gradient: Array, penalty: Array | float) -> Array:
    """How far each entry is from optimal: the distance of −∇f/2 to (λ/2)·∂|x|.

    Parameters
    ----------
    X : ndarray of shape (n_signals, n_atoms)
    gradient : ndarray of shape (n_signals, n_atoms)
        Half the gradient of the smooth part at X.
    penalty : float or ndarray of shape (n_atoms,)
        λ.

    Returns
    -------
    ndarray of shape (n_signals, n_atoms)
    """
    half = np.broadcast_to(np.asarray(penalty) / 2, X.shape)
    return np.where(
        X == 0, np.maximum(np.abs(gradient) - half, 0), np.abs(gradient + half * np.sign(X))
    )


def active_set_lasso(H: Array, b: Array, thresholds: Array, X: Array, allowed: float) -> Array:
    """min over x of xᵀHx − 2bᵀx + 2 Σ t_k|x_k|, for a stack of small problems.

    Entries that violate optimality enter by one coordinate step each; a Newton step on all
    non-zero entries, cut where a sign would change, follows. Neither raises the objective.

    Parameters
    ----------
    H : ndarray of shape (n_problems, size, size)
        Positive semidefinite.
    b : ndarray of shape (n_problems, size)
    thresholds : ndarray of shape (n_problems, size)
        t.
    X : ndarray of shape (n_problems, size)
        Start.
    allowed : float
        Largest violation of the optimality conditions in the result, where rounding lets it be
        reached.

    Returns
    -------
    ndarray of shape (n_problems, size)
    """
    solution, progress, limits = X.copy(), Descent(len(X)), reachable(allowed, b)
    rows = np.arange(len(X))  # where the problems still at work stand in the solution
    for _ in range(4 * X.shape[1] + 50):  # several times what was ever seen
        X, cut = newton_step(H, b, thresholds, X)
        slope = _product(H, X) - b
        faults = violation(X, slope, 2 * thresholds)
        values = (X * (slope - b) + 2 * thresholds * np.abs(X)).sum(axis=1)
        unsolved = (faults.max(axis=1, initial=0.0) > limits) & progress.goes_on(values)
        # Copying the matrices costs more than a round: drop solved problems by halves.
        if 2 * np.count_nonzero(unsolved) <= len(X):
            solution[rows] = X
            rows, X, slope, faults = rows[unsolved], X[unsolved], slope[unsolved], faults[unsolved]
            H, b, thresholds, cut = H[unsolved], b[unsolved], thresholds[unsolved], cut[unsolved]
            limits = limits[unsolved]
            progress.keep(unsolved)
        if len(rows) == 0:
            break
        # Where a step was cut, no entry enters: more of them than the rank of H would never settle.
        faults[(X == 0) & cut[:, None]] = 0
        X = coordinate_steps(H, slope, thresholds, X, faults)
    solution[rows] = X
    return solution


def coordinate_steps(H: Array, slope: Array, thresholds: Array, X: Array, faults: Array) -> Array:
    """Minimise over each of the entries with the largest faults in turn; none without fault moves.

    `slope` is HX − b. Shapes as in `active_set_lasso`.
    """
    X, slope = X.copy(), slope.copy()
    every = np.arange(len(X))
    batch = min(BATCH, X.shape[1])
    for k in np.argpartition(-faults, batch - 1, axis=1)[:, :batch].T:
        curvature = H[every, k, k]
        free = X[every, k] * curvature - slope[every, k]
        t = thresholds[every, k]
        value = (free - np.clip(free, -t, t)) / np.where(curvature > 0, curvature, np.inf)
        value = np.where(faults[every, k] > 0, value, X[every, k])
        slope += (value - X[every, k])[:, None] * H[every, k]
        X[every, k] = value
    return X


def newton_step(H: Array, b: Array, thresholds: Array, X: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Minimise over the non-zero entries, their signs kept; a step ends where one would change.

    Of the step cut at the first change and the full step with all changing entries zeroed, the one
    with the lower objective is taken. Also says which problems' steps were cut. Shapes as in
    `active_set_lasso`.
    """
    entries, active = _nonzero_entries(X)
    rows = np.arange(len(X))[:, None]
    x, b, thresholds = X[rows, entries], b[rows, entries], thresholds[rows, entries]
    H = H[rows[:, :, None], entries[:, :, None], entries[:, None, :]]
    H *= active[:, :, None] & active[:, None, :]
    scale = np.einsum("nkk->nk", H).max(axis=1, keepdims=True)
    # Copies of one sample make H singular; this much leaves the solution alone to eight digits.
    np.einsum("nkk->nk", H)[...] += np.where(active, 1e-13 * scale, 1)
    signs = np.sign(x)
    target = np.linalg.solve(H, ((b - thresholds * signs) * active)[:, :, None])[:, :, 0]
    flips = active & (target * signs <= 0) & (thresholds > 0)
    ratio = np.where(flips, x / np.where(flips, x - target, 1), 1)
    first = ratio.min(axis=1, keepdims=True)
    cut = np.where(flips & (ratio == first), 0, x + first * (target - x))
    clipped = np.where(flips, 0, target)
    better = _objective(H, b, thresholds, clipped) < _objective(H, b, thresholds, cut)
    result = np.zeros_like(X)
    result[rows, entries] = np.where(better[:, None], clipped, cut)
    return result, np.any(flips, axis=1)


def _nonzero_entries(X: Array) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Columns of each row's non-zero entries, filled up to one length, and which are no filling."""
    nonzero = X != 0
    size = max(1, int(nonzero.sum(axis=1).max()))
    entries = np.argsort(~nonzero, axis=1, kind="stable")[:, :size]
    return entries, np.take_along_axis(nonzero, entries, axis=1)


def _objective(H: Array, b: Array, thresholds: Array, X: Array) -> Array:
    return (X * (_product(H, X) - 2 * b) + 2 * thresholds * np.abs(X)).sum(axis=1)


def _product(H: Array, X: Array) -> Array:
    """Hx of each problem."""
    return np.matmul(H, X[:, :, None])[:, :, 0]
