"""Jacobi's one-sided rotations as one Triton kernel: each matrix of a stack has a processor."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

STOP = 1e-9
"""Largest cosine between rows in a sweep that is the last: each sweep squares it."""

SWEEPS = 40
"""At the most; ten are usual."""


@triton.jit
def _products(a, b, here, n_dot, HALF: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Squares of pairs of rows, and the products of one with the other."""
    places = tl.arange(0, BLOCK)
    squares = tl.zeros([HALF, BLOCK], tl.float64)
    others = tl.zeros([HALF, BLOCK], tl.float64)
    products = tl.zeros([HALF, BLOCK], tl.float64)
    for start in range(0, n_dot, BLOCK):
        at = start + places
        inside = here[:, None] & (at < n_dot)[None, :]
        x = tl.load(a[:, None] + at[None, :], mask=inside, other=0.0)
        y = tl.load(b[:, None] + at[None, :], mask=inside, other=0.0)
        squares += x * x
        others += y * y
        products += x * y
    return tl.sum(squares, axis=1), tl.sum(others, axis=1), tl.sum(products, axis=1)


@triton.jit
def _rotate(a, b, c, s, here, width, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Turn each pair of rows in its plane."""
    places = tl.arange(0, BLOCK)
    for start in range(0, width, BLOCK):
        at = start + places
        inside = here[:, None] & (at < width)[None, :]
        x = tl.load(a[:, None] + at[None, :], mask=inside, other=0.0)
        y = tl.load(b[:, None] + at[None, :], mask=inside, other=0.0)
        tl.store(a[:, None] + at[None, :], c[:, None] * x - s[:, None] * y, mask=inside)
        tl.store(b[:, None] + at[None, :], s[:, None] * x + c[:, None] * y, mask=inside)


@triton.jit
def _turn(  # type: ignore[no-untyped-def]
    rows, floors, stop, most, n_rows, n_dot, width, HALF: tl.constexpr, BLOCK: tl.constexpr
):
    own = rows + tl.program_id(0).to(tl.int64) * n_rows * width
    floor, lanes = tl.load(floors + tl.program_id(0)), tl.arange(0, HALF)
    # As in a tournament: one player stays, the others go round, and all pairs play at once.
    last = n_rows + n_rows % 2 - 1
    worst, sweep = floor * 0 + 1.0, 0
    while (worst > stop) & (sweep < most):
        worst = floor * 0
        for turn in range(last):
            first = (turn + lanes) % last
            second = tl.where(lanes == 0, last, (turn + last - lanes) % last)
            plays = (lanes <= last // 2) & (first < n_rows) & (second < n_rows)
            a, b = own + first * width, own + second * width
            aa, bb, ab = _products(a, b, plays, n_dot, HALF, BLOCK)
            turned = plays & (aa > floor) & (bb > floor) & (ab != 0)
            cosine = tl.abs(ab) / tl.sqrt(tl.where(turned, aa * bb, 1.0))
            worst = tl.maximum(worst, tl.max(tl.where(turned, cosine, 0.0), axis=0))
            # tan θ of the smaller angle that makes the two rows orthogonal.
            ratio = (bb - aa) / tl.where(turned, 2 * ab, 1.0)
            tangent = 1 / (tl.abs(ratio) + tl.sqrt(1 + ratio * ratio))
            tangent = tl.where(turned, tl.where(ratio < 0, -tangent, tangent), 0.0)
            c = 1 / tl.sqrt(1 + tangent * tangent)
            _rotate(a, b, c, c * tangent, turned, width, BLOCK)
            tl.debug_barrier()
        sweep += 1


def orthogonal_rows(matrices: Tensor) -> tuple[Tensor, Tensor]:
    """Orthogonal W of each matrix A of a stack such that the rows of WA are orthogonal.

    Rows at the level of rounding of the longest are taken for zero.

    Parameters
    ----------
    matrices : Tensor of shape (n, n_rows, n_columns)
        In float64, on a GPU.

    Returns
    -------
    rows : Tensor of shape (n, n_rows, n_columns)
        WA.
    rotations : Tensor of shape (n, n_rows, n_rows)
        W.
    """
    n, n_rows, n_dot = matrices.shape
    eye = torch.eye(n_rows, dtype=matrices.dtype, device=matrices.device)
    both = torch.cat([matrices, eye.expand(n, n_rows, n_rows)], dim=2)
    rounding = n_rows * torch.finfo(matrices.dtype).eps
    floors = rounding**2 * (matrices * matrices).sum(dim=2).amax(dim=1)
    half = max(16, triton.next_power_of_2((n_rows + 1) // 2))
    sizes = n_rows, n_dot, both.shape[2]
    launch: Any = _turn[(n,)]
    launch(both, floors, STOP, SWEEPS, *sizes, HALF=half, BLOCK=32, num_warps=16)
    return both[..., :n_dot], both[..., n_dot:]
