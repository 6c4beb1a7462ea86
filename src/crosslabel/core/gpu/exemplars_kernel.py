"""`core.rotation.greedy` as one Triton kernel: each class has a processor."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

LARGEST = 64
"""Samples of a class whose products fit into registers."""


@triton.jit
def _greedy(  # type: ignore[no-untyped-def]
    grams, floors, chosen, found, size, n_rows, steps, SIZE: tl.constexpr
):
    one = tl.program_id(0)
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    lanes = tl.arange(0, SIZE)
    real = lanes < size
    inside = (rows < size) & (columns < size)
    gram = tl.load(grams + one * size * size + rows * size + columns, mask=inside, other=0.0)
    floor = tl.load(floors + one)
    count = 0
    for step in range(steps):
        rest = tl.sum(tl.where(rows == columns, gram, 0.0), axis=0)
        worth = rest > floor
        gains = tl.sum(gram * gram, axis=0) / tl.where(worth, rest, 1.0)
        gains = tl.where(real, tl.where(worth, gains, -1.0), -2.0)
        best = tl.argmax(gains, axis=0)
        most = tl.max(gains, axis=0)
        count += tl.where(most > 0, 1, 0)
        tl.store(chosen + one * n_rows + step, best)
        column = tl.sum(tl.where(columns == best, gram, 0.0), axis=1)
        across = tl.sum(tl.where(rows == best, gram, 0.0), axis=0)
        left = tl.sum(tl.where(lanes == best, rest, 0.0), axis=0)
        share = tl.where(most > 0, 1 / tl.where(most > 0, left, 1.0), 0.0)
        gram -= column[:, None] * (across * share)[None, :]
    tl.store(found + one, count)


def greedy(grams: Tensor, floors: Tensor, n_rows: int) -> tuple[Tensor, Tensor]:
    """As `core.rotation.greedy`, for Gram matrices on a GPU."""
    n, size, _ = grams.shape
    chosen = torch.zeros((n, n_rows), dtype=torch.int64, device=grams.device)
    found = torch.zeros_like(chosen[:, 0])
    launch: Any = _greedy[(n,)]
    launch(
        grams.contiguous(),
        floors,
        chosen,
        found,
        size,
        n_rows,
        min(n_rows, size),
        SIZE=max(16, triton.next_power_of_2(size)),
        num_warps=4,
    )
    return chosen, found
