"""The systems over the atoms that a class may use freely: what differs between classes.

Ridge codes u at τ, suppressed on the atoms R of other classes, are x_S = (λN_SS + ρI)⁻¹ τu_S and
x_R = u_R − (λ/τ) N_RS x_S. All systems of one ρ share the part over shared atoms, which is
eliminated once for all; what is left of each is as small as the class's own atoms are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import one_thread
from crosslabel.core.code_blocks import Block, Index, UndeterminedCodesError, joined, n_rows_of
from crosslabel.core.scaling import Array

TOGETHER = 2**19
"""Values of codes that are changed together: few enough to stay in cache."""


class _Batch(NamedTuple):
    """Blocks of one shape and one ρ, solved together; T = λN + ρI, 0 stands for shared atoms.

    Attributes
    ----------
    rows : slice or ndarray of int
        The rows of all blocks, block after block.
    own : ndarray of int of shape (n_blocks, 1, n_own)
        The own atoms of each block.
    across : ndarray of shape (n_blocks, n_own, n_shared)
        Z = T_c0 T_00⁻¹.
    inverses : ndarray of shape (n_blocks, n_own, n_own)
        τ(T_cc − Z T_0c)⁻¹.
    smoothers : ndarray of shape (n_blocks, n_own, n_atoms)
        The rows of N that belong to each block's own atoms.
    shared_inverse : ndarray of shape (n_shared, n_shared)
        τT_00⁻¹.
    part : float
        λ/τ, with λ as the factor's τ has it: τ − ρ.
    """

    rows: slice | Index
    own: Index
    across: Array
    inverses: Array
    smoothers: Array
    shared_inverse: Array
    part: float

    def part_of(self, some: slice) -> _Batch:
        """Some of the blocks, for codes that are gathered already."""
        names = "own", "across", "inverses", "smoothers"
        return self._replace(**{name: getattr(self, name)[some] for name in names})


class FreeSystems:
    """The systems of blocks of rows, ready for any ridge codes of these rows.

    Parameters
    ----------
    shift : float
        τ.
    smoother : ndarray of shape (n_atoms, n_atoms)
        N = G(G + τI)⁻¹ in float64.
    blocks : sequence of Block
        Rows of one class each, with their ρ; with ρ = τ the ridge codes are the codes.
    layout : AtomLayout
    dtype : dtype
        Of the codes.
    """

    def __init__(
        self,
        shift: float,
        smoother: Array,
        blocks: Sequence[Block],
        layout: AtomLayout,
        dtype: np.dtype,
    ) -> None:
        self.shift, self.smoother, self.layout, self.dtype = shift, smoother, layout, dtype
        shapes: dict[tuple[int, int, float], list[Block]] = {}
        for block in blocks:
            if block.shift != shift:
                shape = n_rows_of(block), layout.per_class[block.label], block.shift
                shapes.setdefault(shape, []).append(block)
        with one_thread():
            self.batches = [self._batch(alike) for alike in shapes.values()]

    def _batch(self, blocks: Sequence[Block]) -> _Batch:
        N, k, rho = self.smoother, self.layout.shared, blocks[0].shift
        level = self.shift - rho
        slices = [self.layout.own(block.label) for block in blocks]
        own = np.array([np.arange(part.start, part.stop) for part in slices])
        n_own = own.shape[1]
        smoothers = N[joined(slices)].reshape(*own.shape, len(N))
        shared = level * N[:k, :k] + rho * np.eye(k)
        systems = level * N[own[:, :, None], own[:, None, :]] + rho * np.eye(n_own)
        largest = np.diagonal(systems, axis1=1, axis2=2).max(axis=1, initial=0.0)
        largest = np.maximum(largest, shared.diagonal().max(initial=0.0))
        check_determined(shared[None], largest[:1], k + n_own, blocks[:1])
        edges = level * N[own, :k]
        flat = edges.reshape(own.size, k)
        across = np.linalg.solve(shared, flat.T).T.reshape(edges.shape)
        systems -= edges @ across.swapaxes(1, 2)
        check_determined(systems, largest, k + n_own, blocks)
        return _Batch(
            joined([block.rows for block in blocks]),
            own[:, None, :],
            across.astype(self.dtype),
            (self.shift * np.linalg.inv(systems)).astype(self.dtype),
            smoothers.astype(self.dtype, copy=False),
            (self.shift * np.linalg.inv(shared)).astype(self.dtype),
            level / self.shift,
        )

    def solve(self, u: Array) -> Array:
        """Turn ridge codes u at τ into suppressed codes, in place."""
        shared = self.smoother[: self.layout.shared].astype(self.dtype, copy=False)
        for batch in self.batches:
            x = u[batch.rows].reshape(len(batch.own), -1, u.shape[1])
            step = max(1, TOGETHER // (x.shape[1] * x.shape[2]))
            with one_thread():
                for start in range(0, len(x), step):
                    some = slice(start, start + step)
                    _suppress(x[some], batch.part_of(some), shared)
            if not isinstance(batch.rows, slice):
                u[batch.rows] = x.reshape(-1, u.shape[1])
        return u


def _suppress(x: Array, batch: _Batch, shared: Array) -> None:
    """Turn the ridge codes of a batch, (n_blocks, n_rows, n_atoms), into suppressed ones."""
    k, part, across = len(shared), batch.part, batch.across
    own = np.broadcast_to(batch.own, (*x.shape[:2], batch.own.shape[2]))
    u_shared = x[..., :k].copy()
    x_own = (np.take_along_axis(x, own, axis=2) - u_shared @ across.swapaxes(1, 2)) @ batch.inverses
    x_shared = u_shared @ batch.shared_inverse - x_own @ across
    # N is symmetric: N_RS x_S, transposed to rows, is x_S N_SR.
    if k:
        x -= (part * x_shared) @ shared
    x -= (part * x_own) @ batch.smoothers
    np.put_along_axis(x, own, x_own, axis=2)
    x[..., :k] = x_shared


def check_determined(systems: Array, largest: Array, n_free: int, blocks: Sequence[Block]) -> None:
    """Refuse systems whose smallest Cholesky pivot is at the rounding level of their diagonal.

    Parameters
    ----------
    systems : ndarray of shape (n_blocks, n, n)
        Of all free atoms, or what eliminating some of them has left.
    largest : ndarray of shape (n_blocks,)
        Of the diagonal of all free atoms.
    n_free : int
    blocks : sequence of Block
        Whose systems they are, for the error.
    """
    try:
        pivots = np.diagonal(np.linalg.cholesky(systems), axis1=1, axis2=2) ** 2
    except np.linalg.LinAlgError:
        pivots = np.array([np.linalg.eigvalsh(system) for system in systems])
    floors = n_free * np.finfo(float).eps * largest
    singular = np.flatnonzero((pivots <= floors[:, None]).any(axis=1))
    if singular.size:
        block = blocks[singular[0]]
        raise UndeterminedCodesError(block.label, n_free, block.shift)
