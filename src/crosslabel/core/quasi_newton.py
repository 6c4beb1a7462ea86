"""Many small smooth problems at once, by L-BFGS: each with its own step, all in the same arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

Evaluate = Callable[[Array, NDArray[np.intp]], tuple[Array, Array]]

_ARMIJO = 1e-4
"""Part of the decrease that the slope promises, which a step must reach."""

_HALVINGS = 30
"""Of a step, before the slope is taken to be rounding."""

_ROUNDING = 1e-14
"""Part of a value that says nothing: within it a step is judged by the slope at its end."""


class _Pair(NamedTuple):
    """A step, the change of the gradient along it, and the reciprocal of their product."""

    step: Array
    change: Array
    scale: Array


def minimise(
    evaluate: Evaluate, start: Array, *, tol: float, max_iter: int, memory: int = 30
) -> tuple[Array, Array]:
    """min over x_i of f_i(x_i), for i = 0 … n−1.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(x, which)`` gives values (m,) and gradients (m, size) of the functions numbered
        `which` (m,) at the rows of x (m, size).
    start : ndarray of shape (n, size)
    tol : float
        A problem is solved when the next step promises to lower it by less than this part of it.
    max_iter : int
    memory : int, default=30
        Number of steps that the curvature is taken from.

    Returns
    -------
    points : ndarray of shape (n, size)
    values : ndarray of shape (n,)
    """
    points, active = start.copy(), np.arange(len(start))
    x = start
    f, g = evaluate(x, active)
    values, history = f.copy(), deque[_Pair](maxlen=memory)
    for _ in range(max_iter):
        direction = _direction(g, history, x)
        slope = np.einsum("ij,ij->i", direction, g)
        moved, new_f, new_g = _line_search(evaluate, active, x, f, g, direction, slope)
        history.append(_pair(moved - x, new_g - g))
        points[active], values[active] = moved, new_f
        open_ = (-slope > tol * np.abs(new_f)) & (moved != x).any(axis=1)
        x, f, g, active = moved[open_], new_f[open_], new_g[open_], active[open_]
        if not len(active):
            break
        if not open_.all():
            pairs = [_Pair(*(part[open_] for part in pair)) for pair in history]
            history = deque(pairs, maxlen=memory)
    return points, values


def _pair(step: Array, change: Array) -> _Pair:
    product = np.einsum("ij,ij->i", step, change)
    # Along a step of no positive curvature the inverse Hessian stays what it is.
    return _Pair(
        step, change, np.divide(1.0, product, where=product > 0, out=np.zeros_like(product))
    )


def _direction(g: Array, history: deque[_Pair], x: Array) -> Array:
    """−Hg with H the inverse Hessian that the last steps suggest (the two-loop recursion)."""
    if not history:
        size = np.linalg.norm(x, axis=1) / np.maximum(np.linalg.norm(g, axis=1), 1e-300)
        return -0.1 * size[:, None] * g
    q, weights = -g, []
    for pair in reversed(history):
        weight = pair.scale * np.einsum("ij,ij->i", pair.step, q)
        q -= weight[:, None] * pair.change
        weights.append(weight)
    _, change, scale = history[-1]
    size = np.einsum("ij,ij->i", change, change) * scale
    q *= np.divide(1.0, size, where=size > 0, out=np.ones_like(size))[:, None]
    for pair, weight in zip(history, reversed(weights)):
        back = pair.scale * np.einsum("ij,ij->i", pair.change, q)
        q += (weight - back)[:, None] * pair.step
    return q


def _line_search(
    evaluate: Evaluate,
    active: NDArray[np.intp],
    x: Array,
    f: Array,
    g: Array,
    direction: Array,
    slope: Array,
) -> tuple[Array, Array, Array]:
    """The first of the steps 1, ½, ¼, … that lowers a function enough; else no step."""
    moved = x + direction
    new_f, new_g = evaluate(moved, active)
    step, short = np.ones(len(x)), np.arange(len(x))
    for _ in range(_HALVINGS):
        end = np.einsum("ij,ij->i", new_g[short], direction[short])
        before, after, slopes = f[short], new_f[short], slope[short]
        flat = (after <= before + _ROUNDING * np.abs(before)) & (
            np.abs(end) <= 0.9 * np.abs(slopes)
        )
        short = short[~((after <= before + _ARMIJO * step[short] * slopes) | flat)]
        if not len(short):
            return moved, new_f, new_g
        step[short] /= 2
        moved[short] = x[short] + step[short, None] * direction[short]
        new_f[short], new_g[short] = evaluate(moved[short], active[short])
    moved[short], new_f[short], new_g[short] = x[short], f[short], g[short]
    return moved, new_f, new_g
