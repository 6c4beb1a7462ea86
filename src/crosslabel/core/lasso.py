"""One solver for every l1-regularised code of the library, for many signals at once.

Working sets keep the problems small; the optimality conditions, not a step count, end them.
Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.active_set import Descent, active_set_lasso, reachable, violation
from crosslabel.core.backend import one_thread
from crosslabel.core.first_guess import FEW_ATOMS, first_guess
from crosslabel.core.one_signal import one_signal_lasso
from crosslabel.core.scaling import Array

# Signals solved together, and the atoms each may use at first: their Gram matrices fit the cache.
CHUNK = 64
WORKING_SET = 64
# Steps between two looks at the optimality conditions.
CHECK_EVERY = 10
# Times as many steps on a working set that is not larger than the one before.
PATIENT = 8


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
    penalties = np.broadcast_to(np.asarray(penalty, correlations.dtype), gram.shape[:1])
    allowed = tol * float(penalties.max()) / 2
    codes = first_guess(gram, correlations, penalty, start, allowed)
    solve = _few_atoms if len(gram) <= FEW_ATOMS else _many_atoms
    with one_thread():  # the systems of a signal are small
        chunk = CHUNK * max(1, WORKING_SET // len(gram)) ** 2
        for first in range(0, len(correlations), chunk):
            rows = slice(first, first + chunk)
            solve(gram, correlations[rows], penalties / 2, codes[rows], allowed)
    return codes


def _few_atoms(gram: Array, b: Array, thresholds: Array, X: Array, allowed: float) -> None:
    """`lasso` for some signals as one stack of problems; X is changed in place.

    At least one Newton step of each: what a first guess with the right signs lacks, however loose
    the tolerance.
    """
    hessians = np.broadcast_to(gram, (len(b), *gram.shape))
    X[:] = active_set_lasso(hessians, b, np.broadcast_to(thresholds, b.shape), X, allowed)


def _many_atoms(gram: Array, b: Array, thresholds: Array, X: Array, allowed: float) -> None:
    """`lasso` for some signals, each on its own growing working set; X is changed in place."""
    n_atoms = len(gram)
    rows, progress, limits = np.arange(len(b)), Descent(len(b), patience=2), reachable(allowed, b)
    for _ in range(4 * n_atoms):  # every round frees an entry: far more than are ever needed
        slope = X[rows] @ gram - b[rows]
        faults = violation(X[rows], slope, 2 * thresholds)
        values = (X[rows] * (slope - b[rows]) + 2 * thresholds * np.abs(X[rows])).sum(axis=1)
        unsolved = (faults.max(axis=1, initial=0.0) > limits[rows]) & progress.goes_on(values)
        rows, faults = rows[unsolved], faults[unsolved]
        progress.keep(unsolved)
        if len(rows) == 0:
            break
        for row, fault in zip(rows, faults):
            x = X[row]
            used = x != 0
            # Room for all that is in use and as much again, so that a round always makes progress.
            size = min(n_atoms, max(WORKING_SET, 2 * int(used.sum())))
            chosen = _largest(np.where(used, np.inf, fault)[None], size)[0]
            h = gram if size == n_atoms else gram.take(chosen, 0).take(chosen, 1)
            x[chosen] = one_signal_lasso(h, b[row, chosen], thresholds[chosen], x[chosen], allowed)


def _largest(values: Array, size: int) -> NDArray[np.intp]:
    """Columns of the `size` largest entries of each row."""
    if size == values.shape[1]:
        return np.broadcast_to(np.arange(size), values.shape)
    return np.argpartition(values, -size, axis=1)[:, -size:]


def coupled_lasso(
    gram: Array,
    correlations: Array,
    penalty: float,
    sum_weights: Array,
    *,
    start: Array,
    tol: float = 1e-2,
    max_iter: int = 50,
) -> Array:
    """min over X of tr(X H Xᵀ) − 2 tr(X Bᵀ) + Σ_k q_k (Σ_i x_ik)² + λ‖X‖₁, for one class.

    The weights q of the sums over the samples couple them: a Fisher criterion has this form, with
    its ridge in H. The samples share one working set of atoms.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        H, positive semidefinite, also with n_samples · q added to its diagonal.
    correlations : ndarray of shape (n_samples, n_atoms)
        B.
    penalty : float
        λ.
    sum_weights : ndarray of shape (n_atoms,)
        q.
    start : ndarray of shape (n_samples, n_atoms)
        Codes to start from.
    tol : float, default=1e-2
        Largest violation of the optimality conditions, in units of λ/2.
    max_iter : int, default=50
        Largest number of proximal steps on a working set that is larger than the one before. Few
        are enough inside an alternation, which starts the next one from here.

    Returns
    -------
    ndarray of shape (n_samples, n_atoms)
        Never worse than the start.
    """
    allowed = tol * penalty / 2
    X, last = start.copy(), 0
    for _ in range(4 * len(gram)):  # as in `_lasso_chunk`
        used = np.flatnonzero((X != 0).any(axis=0))
        slope = X[:, used] @ gram[used] + sum_weights * X.sum(axis=0) - correlations
        faults = violation(X, slope, penalty).max(axis=0, initial=0.0)
        if faults.max(initial=0.0) <= allowed:
            break
        faults[used] = np.inf
        size = min(len(gram), max(WORKING_SET, 2 * len(used)))
        # A set that grows no more is solved to the end: momentum is lost with every new beginning.
        steps, last = max_iter if size > last else PATIENT * max_iter, size
        chosen = np.sort(_largest(faults[None], size)[0])
        before, X[:, chosen] = (
            X[:, chosen],
            _on_shared_set(
                gram[np.ix_(chosen, chosen)],
                correlations[:, chosen],
                sum_weights[chosen],
                X[:, chosen],
                penalty / 2,
                allowed,
                steps,
            ),
        )
        if size == len(gram) or np.array_equal(before, X[:, chosen]):
            break
    return X


def _on_shared_set(
    hessian: Array,
    targets: Array,
    sum_weights: Array,
    start: Array,
    threshold: float,
    allowed: float,
    max_iter: int,
) -> Array:
    """`coupled_lasso` without working sets."""

    def slope(Z: Array) -> Array:
        # H is symmetric: transposed, its rows are read one after another.
        return Z @ hessian.T + sum_weights * Z.sum(axis=0) - targets

    def value(Z: Array) -> float:
        return float(np.vdot(Z, slope(Z) - targets) + 2 * threshold * np.abs(Z).sum())

    # The largest absolute row sum bounds the largest eigenvalue.
    bound = np.abs(hessian).sum(axis=1).max() + len(start) * max(0.0, float(sum_weights.max()))
    found = _accelerate(slope, start, bound, threshold, allowed, max_iter)
    return found if value(found) < value(start) else start  # momentum may overshoot


def _accelerate(
    slope: Callable[[Array], Array],
    X: Array,
    bound: float,
    threshold: float,
    allowed: float,
    max_iter: int,
) -> Array:
    """FISTA with the gradient restart of O'Donoghue and Candès (2015).

    `slope` is half the gradient of the smooth part, an affine function: ahead of X it is continued
    from where it is known. `bound` bounds its change.
    """
    step = 1 / bound if bound > 0 else 1.0
    ahead, momentum = X, 1.0
    slope_ahead = slope_X = slope(X)
    for iteration in range(max_iter):
        fresh = soft_threshold(ahead - step * slope_ahead, step * threshold)
        slope_fresh = slope(fresh)
        move = fresh - X
        if np.vdot(ahead - fresh, move) > 0:
            momentum = 1.0
        larger = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        reach = (momentum - 1) / larger
        ahead, slope_ahead = fresh + reach * move, slope_fresh + reach * (slope_fresh - slope_X)
        X, slope_X, momentum = fresh, slope_fresh, larger
        if (
            iteration % CHECK_EVERY == 0
            and violation(X, slope_X, 2 * threshold).max(initial=0.0) <= allowed
        ):
            break
    return X
