"""Newton's steps of many temperatures as one Triton kernel: each score has a processor."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _moments(  # type: ignore[no-untyped-def]
    a, own, row, real, n_classes, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Mean and variance of some samples' scores under their softmax at a."""
    places = tl.arange(0, COLUMNS)
    whole = tl.zeros([ROWS, COLUMNS], tl.float64)
    firsts = tl.zeros([ROWS, COLUMNS], tl.float64)
    seconds = tl.zeros([ROWS, COLUMNS], tl.float64)
    for start in range(0, n_classes, COLUMNS):
        at = start + places
        here = real[:, None] & (at < n_classes)[None, :]
        x = tl.load(own + row[:, None] * n_classes + at[None, :], mask=here, other=0.0)
        chance = tl.where(here, tl.exp(a * x), 0.0)
        whole += chance
        firsts += chance * x
        seconds += chance * x * x
    total = tl.where(real, tl.sum(whole, axis=1), 1.0)
    mean = tl.sum(firsts, axis=1) / total
    return mean, tl.sum(seconds, axis=1) / total - mean * mean


@triton.jit
def _descend(  # type: ignore[no-untyped-def]
    scores, masses, targets, starts, n_samples, n_classes, most, far, tolerance,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    one, lanes = tl.program_id(0).to(tl.int64), tl.arange(0, ROWS)
    own = scores + one * n_samples * n_classes
    target, a = tl.load(targets + one), tl.load(starts + one)
    low, high, change, step = a * 0, a * 0 + float("inf"), a * 0 + 1.0, 0
    while (change > tolerance) & (step < most):
        slopes = tl.zeros([ROWS], tl.float64)
        bends = tl.zeros([ROWS], tl.float64)
        for first in range(0, n_samples, ROWS):
            row = first + lanes
            real = row < n_samples
            mass = tl.load(masses + row, mask=real, other=0.0)
            mean, variance = _moments(a, own, row, real, n_classes, ROWS, COLUMNS)
            slopes += mass * mean
            bends += mass * variance
        slope, bend = tl.sum(slopes, axis=0) - target, tl.sum(bends, axis=0)
        low, high = tl.where(slope > 0, low, a), tl.where(slope > 0, a, high)
        near = tl.abs(slope) < far * bend
        newton = a - slope / tl.where(near, bend, 1.0)
        inside = near & (low < newton) & (newton < high)
        other = tl.where(high < float("inf"), 0.5 * (low + high), 2 * a)
        moved = tl.where(inside, newton, other)
        change = tl.abs(moved - a) / tl.maximum(a, 1.0)
        a = moved
        step += 1
    tl.store(starts + one, a)


def descended(
    below: Tensor, mass: Tensor, target: Tensor, start: Tensor, limits: tuple[int, float, float]
) -> Tensor:
    """As `core.gpu.temperatures.descended`."""
    n, n_samples, n_classes = below.shape
    found, columns = start.clone(), min(256, triton.next_power_of_2(n_classes))
    launch: Any = _descend[(n,)]
    launch(
        below.contiguous(), mass, target, found, n_samples, n_classes, *limits,
        ROWS=max(1, 2048 // columns), COLUMNS=columns, num_warps=8,
    )  # fmt: skip
    return found
