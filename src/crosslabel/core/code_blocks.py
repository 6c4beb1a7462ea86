"""Rows of one class that share a system, and how systems share factorisations.

What the codes need on the host and on a GPU alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


class UndeterminedCodesError(np.linalg.LinAlgError):
    """The codes of one class are left open by a singular system.

    Parameters
    ----------
    label : Any
        The class; a caller that numbers classes for itself gives it its own name by `named`.
    n_free : int
        Number of the class's own and shared atoms.
    ridge : float
    """

    def __init__(self, label: Any, n_free: int, ridge: float) -> None:
        self.label, self.n_free, self.ridge = label, n_free, ridge
        super().__init__(
            f"The codes of class {label!r} are not determined: its {n_free} own and shared "
            f"atoms are linearly dependent and ridge is {ridge:g}. Use a larger ridge, or "
            "fewer atoms."
        )

    def named(self, label: Any) -> UndeterminedCodesError:
        """The same error under another name of the class."""
        return UndeterminedCodesError(label, self.n_free, self.ridge)


class Block(NamedTuple):
    """Rows of one class that share a system: shift ρ on the free atoms, λ + ρ on the others."""

    label: int
    rows: slice
    shift: float


def joined(slices: Sequence[slice]) -> slice | Index:
    """All indices of the slices in turn; where these are consecutive one slice, to spare a copy."""
    if all(a.stop == b.start for a, b in pairwise(slices)):
        return slice(slices[0].start, slices[-1].stop)
    return np.concatenate([np.arange(s.start, s.stop) for s in slices])


def neumann_steps(offset: float, shift: float) -> float:
    """Terms after which (offset/shift)ᵏ has fallen below rounding."""
    if offset == 0:
        return 0
    ratio = abs(offset) / shift if shift > 0 else np.inf
    return np.ceil(np.log(np.finfo(float).eps) / np.log(ratio)) if ratio < 0.5 else np.inf


def shared_factorisations(
    blocks: Sequence[Block], suppression: float, n_atoms: int
) -> Iterator[tuple[float, list[Block]]]:
    """Group blocks under few values of τ: refine where that is cheaper than to factor again."""
    left = list(blocks)
    while left:
        sizes: dict[float, int] = {}
        for block in left:
            sizes[block.shift] = sizes.get(block.shift, 0) + n_rows_of(block)
        center = max(sizes, key=lambda shift: sizes[shift])
        tau = suppression + center
        # A step is one product of the rows with N; a factorisation is some three of K rows.
        limit = 3 * n_atoms
        near = {s for s, n in sizes.items() if n * neumann_steps(s - center, tau) <= limit}
        yield tau, [block for block in left if block.shift in near]
        left = [block for block in left if block.shift not in near]


def n_rows_of(block: Block) -> int:
    """Rows of a block."""
    return block.rows.stop - block.rows.start


def consecutive(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks over rows that are gathered one after another."""
    ends = np.cumsum([n_rows_of(block) for block in blocks]).tolist()
    return [b._replace(rows=slice(end - n_rows_of(b), end)) for b, end in zip(blocks, ends)]
