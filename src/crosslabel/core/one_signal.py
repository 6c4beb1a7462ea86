"""The lasso of one signal over many atoms, by an active-set method. Imports numpy, scipy and core.

What `active_set` does for a stack of small problems: signs by coordinate steps, values by the
normal equations of the active entries. Here the active entries are hundreds, and differ so much
from signal to signal that a stack would be mostly filling: each signal has a Cholesky factor of
just its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from crosslabel.core.active_set import BATCH, PATIENCE, ROUNDING, violation
from crosslabel.core.scaling import Array


def one_signal_lasso(H: Array, b: Array, thresholds: Array, x: Array, allowed: float) -> Array:
    """min over x of xᵀHx − 2bᵀx + 2 Σ t_k|x_k|.

    Parameters
    ----------
    H : ndarray of shape (size, size)
        Positive semidefinite.
    b : ndarray of shape (size,)
    thresholds : ndarray of shape (size,)
        t.
    x : ndarray of shape (size,)
        Start.
    allowed : float
        Largest violation of the optimality conditions in the result, where rounding lets it be
        reached.

    Returns
    -------
    ndarray of shape (size,)
    """
    best, idle = np.inf, 0
    for _ in range(4 * len(b) + 50):  # several times what was ever seen
        x = settle(H, b, thresholds, x)
        slope = H @ x - b
        faults = violation(x, slope, 2 * thresholds)
        value = float(x @ (slope - b) + 2 * thresholds @ np.abs(x))
        idle = 0 if value < best - ROUNDING * abs(value) else idle + 1
        best = min(best, value)
        if faults.max(initial=0.0) <= allowed or idle == PATIENCE:
            break
        x = enter(H, slope, thresholds, x, faults)
    return x


def settle(H: Array, b: Array, thresholds: Array, x: Array) -> Array:
    """Minimise over the non-zero entries, less those that become zero on the way.

    Shapes as in `one_signal_lasso`.
    """
    active = np.flatnonzero(x)
    h, values, settled = _block(H, active), x[active], len(active) == 0
    # Copies of one sample make H singular; this much leaves the solution alone to eight digits.
    h.flat[:: len(h) + 1] += 1e-13 * h.diagonal().max(initial=0.0)
    for _ in range(4 * len(b) + 50):
        if settled:
            break
        values, settled = newton_step(h, b[active], thresholds[active], values)
        kept = np.flatnonzero(values)
        if len(kept) < len(active):
            active, values, h = active[kept], values[kept], _block(h, kept)
            settled |= len(kept) == 0
    result = np.zeros_like(x)
    result[active] = values
    return result


def newton_step(h: Array, b: Array, thresholds: Array, x: Array) -> tuple[Array, bool]:
    """A step towards the minimiser with the signs of x, none zero.

    Where signs change on the way, the better of two: the minimiser with those entries zeroed,
    which drops many at once, and the lowest point on the line. Also says whether no sign changes,
    so that the minimiser was reached. Shapes as in `one_signal_lasso`.
    """
    signs = np.sign(x)
    target = _solve(h, b - thresholds * signs)
    flips = (target * signs <= 0) & (thresholds > 0)
    if not flips.any():
        return target, True
    move, slope = target - x, h @ x - b
    along = h @ move
    lowest = _on_the_line(x, move, slope + thresholds * signs, along, thresholds, flips)
    zeroed = np.where(flips, 0, target)

    def value(z: Array) -> float:
        """The objective, less that of zero."""
        return float(z @ (h @ z - 2 * b) + 2 * thresholds @ np.abs(z))

    return (zeroed if value(zeroed) < value(lowest) else lowest), False


def _on_the_line(
    x: Array, move: Array, slope: Array, along: Array, thresholds: Array, flips: NDArray[np.bool_]
) -> Array:
    """Where the objective is lowest on the line from x: a parabola, with a kink at each flip.

    `slope` is half the gradient at x, and `along` its change over the whole move.
    """
    flipping = np.flatnonzero(flips)
    kinks = x[flipping] / -move[flipping]
    order = np.argsort(kinks, kind="stable")
    flipping, kinks = flipping[order], kinks[order]
    rises = np.cumsum(2 * thresholds[flipping] * np.abs(move[flipping]))
    start, curvature = float(move @ slope), float(move @ along)
    climbs = np.flatnonzero(start + curvature * kinks + rises >= 0)
    last = int(climbs[0]) if len(climbs) else len(kinks)
    level = start + (float(rises[last - 1]) if last else 0.0)  # behind the last kink passed
    if last == len(kinks) or level + curvature * kinks[last] > 0:
        return x + (-level / curvature if curvature > 0 else 1.0) * move
    found: Array = x + kinks[last] * move
    found[flipping[last]] = 0
    return found


def enter(H: Array, slope: Array, thresholds: Array, x: Array, faults: Array) -> Array:
    """Minimise over each of the entries with the largest faults in turn.

    `slope` is Hx − b. Shapes as in `one_signal_lasso`.
    """
    n_entering = min(BATCH, int(np.count_nonzero(faults)))
    chosen = np.argpartition(-faults, n_entering - 1)[:n_entering]
    h, slope, x = _block(H, chosen), slope[chosen], x.copy()
    for k, (index, t) in enumerate(zip(chosen.tolist(), thresholds[chosen].tolist())):
        curvature, before = float(h[k, k]), float(x[index])
        free = before * curvature - float(slope[k])
        rest = free - min(max(free, -t), t)
        value = rest / curvature if curvature > 0 else 0.0
        slope += (value - before) * h[k]
        x[index] = value
    return x


def _block(H: Array, chosen: NDArray[np.intp]) -> Array:
    return H.take(chosen, 0).take(chosen, 1)


def _solve(h: Array, b: Array) -> Array:
    """h⁻¹b; not by Cholesky where rounding made a pivot negative."""
    _, x, info = lapack.dposv(h.T, b)  # symmetric: the transpose is Fortran-ordered
    return np.asarray(x) if info == 0 else np.linalg.solve(h, b)
