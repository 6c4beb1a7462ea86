"""`atoms.steps` as one Triton kernel: a chunk's atoms in turn, all coordinates at once."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl
from torch import Tensor

from crosslabel.core.gpu.chunk import Steps


@triton.jit
def _steps(  # type: ignore[no-untyped-def]
    A, grams, floor, changes, norms, agreements, stride, n_slices, N: tl.constexpr
):
    atoms, axes = tl.arange(0, N), tl.arange(0, 2 * N)
    places = axes[:, None] * 2 * N + axes[None, :]
    gram = tl.zeros([2 * N, 2 * N], tl.float64)
    for part in range(n_slices):
        gram += tl.load(grams + part * 4 * N * N + places)
    tl.store(grams + places, gram)
    tl.debug_barrier()
    change = tl.zeros([N, 2 * N], tl.float64)
    images = tl.zeros([N, 2 * N], tl.float64)
    least = tl.load(floor)
    row, own = tl.load(A + atoms), tl.load(A)
    residual, old = tl.load(grams + axes), tl.load(grams + N * 2 * N + axes)
    for j in range(N):
        # What the next atom needs is on its way while this one is computed.
        k = tl.minimum(j + 1, N - 1)
        next_row, next_own = tl.load(A + k * stride + atoms), tl.load(A + k * stride + k)
        next_residual = tl.load(grams + k * 2 * N + axes)
        next_old = tl.load(grams + (N + k) * 2 * N + axes)
        here = (axes == N + j).to(tl.float64)
        # Rows of atoms that are still to come are zero.
        v = (axes == j).to(tl.float64) + own * here - tl.sum(row[:, None] * change, axis=0)
        image = residual + own * old - tl.sum(row[:, None] * images, axis=0)
        square = tl.maximum(tl.sum(v * image, axis=0), 0.0)
        used = square > least * least
        scale = tl.rsqrt(tl.where(used, square, 1.0))
        mine = (atoms == j)[:, None] & used
        change = tl.where(mine, (v * scale - here)[None, :], change)
        images = tl.where(mine, (image * scale - old)[None, :], images)
        tl.store(norms + j, tl.where(used, square * scale, tl.sqrt(square)))
        tl.store(agreements + j, tl.sum(image * here, axis=0))
        row, own, residual, old = next_row, next_own, next_residual, next_old
    tl.store(changes + atoms[:, None] * 2 * N + axes[None, :], change)


def steps(A: Tensor, grams: Tensor, floor: Tensor, found: Steps) -> None:
    """As `atoms.steps`; A may be a block of a larger matrix, everything is float64."""
    launch: Any = _steps[(1,)]
    launch(A, grams, floor, *found, A.stride(0), len(grams), N=len(A), num_warps=4)
