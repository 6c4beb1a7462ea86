"""`core.rotation.unit_norms` as one Triton kernel: turns wait for one another, classes do not."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _turns(  # type: ignore[no-untyped-def]
    rows, squares, equal, n_rows, n_columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    own = rows + tl.program_id(0) * n_rows * n_columns
    lanes, places = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    real, inside = lanes < n_rows, places < n_columns
    square = tl.load(squares + tl.program_id(0) * n_rows + lanes, mask=real, other=1.0)
    for _ in range(n_rows - 1):
        coarse = tl.floor(square * equal + 0.5)
        shortest = tl.argmin(tl.where(real, coarse, float("inf")), axis=0)
        longest = tl.argmax(tl.where(real, coarse, float("-inf")), axis=0)
        least = tl.sum(tl.where(lanes == shortest, square, 0.0), axis=0)
        most = tl.sum(tl.where(lanes == longest, square, 0.0), axis=0)
        swap = 1 - least > most - 1
        near, far = tl.where(swap, longest, shortest), tl.where(swap, shortest, longest)
        a, b = tl.where(swap, most, least), tl.where(swap, least, most)
        x = tl.load(own + near * n_columns + places, mask=inside, other=0.0)
        y = tl.load(own + far * n_columns + places, mask=inside, other=0.0)
        product = tl.sum(x * y, axis=0)
        root = tl.sqrt(tl.maximum(product * product + (1 - a) * (b - 1), 0.0))
        divisor = product + tl.where(product < 0, -root, root)
        moves = divisor != 0
        tangent = tl.where(moves, (1 - a) / tl.where(moves, divisor, 1.0), 0.0)
        c = 1 / tl.sqrt(1 + tangent * tangent)
        s = tangent * c
        # Every thread has read both rows before one of them changes.
        tl.debug_barrier()
        tl.store(own + near * n_columns + places, c * x + s * y, mask=inside)
        tl.store(own + far * n_columns + places, c * y - s * x, mask=inside)
        tl.debug_barrier()
        square = tl.where(lanes == far, b + a - 1, tl.where(lanes == near, 1.0, square))


def unit_norms(rows: Tensor, equal: float) -> Tensor:
    """As `core.rotation.unit_norms`, for rows on a GPU."""
    stack = rows.reshape(-1, *rows.shape[-2:]).double().clone(memory_format=torch.contiguous_format)
    n, n_rows, n_columns = stack.shape
    launch: Any = _turns[(n,)]
    launch(
        stack,
        (stack * stack).sum(dim=2),
        equal,
        n_rows,
        n_columns,
        ROWS=triton.next_power_of_2(n_rows),
        COLUMNS=triton.next_power_of_2(n_columns),
        num_warps=1 if n_columns <= 64 else 4,
    )
    return stack.reshape(rows.shape).to(rows.dtype)
