"""Suppressed codes on the device: `core.coding` with all indices prepared before the first step.

Whether a system is well determined follows, in all but odd cases, from the penalties alone; then no
iteration waits for the device to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import (
    Block,
    UndeterminedCodesError,
    consecutive,
    joined,
    n_rows_of,
    neumann_steps,
    shared_factorisations,
)

EPS = float(np.finfo(np.float64).eps)


class Factor(NamedTuple):
    """Φ = (DDᵀ + τI)⁻¹D, which codes rows, and N = DDᵀ(DDᵀ + τI)⁻¹."""

    shift: float
    coder: Tensor
    smoother: Tensor


def factorise(D: Tensor, shift: float) -> Factor:
    """Φ and N through the smaller of the two Gram matrices of D, in float64."""
    n_atoms, n_features = D.shape
    if n_atoms > n_features and shift > 0:
        L = _cholesky(D.T @ D, shift, n_atoms)
        E = torch.linalg.solve_triangular(L.T, D, upper=True, left=False)
        return Factor(shift, torch.linalg.solve_triangular(L, E, upper=False, left=False), E @ E.T)
    G = D @ D.T
    L = _cholesky(G, shift, n_atoms)
    if shift > n_atoms:  # more than ‖G‖, so that N is small: I − τH would cancel
        R = torch.linalg.solve_triangular(L.T, G, upper=True, left=False)
        N = (G - R @ R.T) / shift
        return Factor(shift, (D - N @ D) / shift, N)
    H = torch.cholesky_inverse(L)
    return Factor(shift, H @ D, torch.eye(n_atoms, dtype=D.dtype, device=D.device) - shift * H)


def _cholesky(gram: Tensor, shift: float, n_atoms: int) -> Tensor:
    gram = gram.clone()
    gram.diagonal().add_(shift)
    L, _ = torch.linalg.cholesky_ex(gram)
    # Every pivot is at least the shift; a unit-norm dictionary's Gram matrix is at most n_atoms.
    if shift <= len(gram) * EPS * (n_atoms + shift):
        floor = len(gram) * EPS * gram.diagonal().max()
        if not bool((L.diagonal() ** 2 > floor).all()):
            raise np.linalg.LinAlgError(
                f"The codes are not determined: with a total shift of {shift:g} the system of the "
                f"{n_atoms} atoms is singular. Use ridge > 0, or fewer atoms."
            )
    return L


def inverses(systems: Tensor, unsafe: Sequence[Block] | None = None) -> Tensor:
    """Of a stack of positive matrices.

    Parameters
    ----------
    systems : Tensor of shape (n_blocks, n, n)
    unsafe : sequence of Block, optional
        Whose they are, where one may be singular: an error then names its class.
    """
    L = torch.linalg.cholesky_ex(systems).L
    if unsafe is not None:
        pivots = L.diagonal(dim1=1, dim2=2) ** 2
        diagonals = systems.diagonal(dim1=1, dim2=2).amax(dim=1, keepdim=True)
        sound = (pivots > systems.shape[1] * EPS * diagonals).all(dim=1)
        if not bool(sound.all()):
            block = unsafe[int(sound.logical_not().nonzero()[0])]
            raise UndeterminedCodesError(block.label, systems.shape[1], block.shift)
    # By substitution and a product: a graph cannot hold what torch inverts batches with.
    identity = torch.eye(systems.shape[1], dtype=systems.dtype, device=systems.device)
    half = torch.linalg.solve_triangular(L, identity.expand_as(L), upper=False)
    return half.mT @ half


class _DeviceBatch:
    """Blocks of one shape: the small systems of many classes, solved together."""

    def __init__(
        self, blocks: Sequence[Block], layout: AtomLayout, tau: float, device: torch.device
    ) -> None:
        labels = [block.label for block in blocks]
        self.blocks, self.tau, self.n_shared = blocks, tau, layout.shared
        self.rows = _index(joined([block.rows for block in blocks]), device)
        self.free = torch.as_tensor(np.array([layout.free(c) for c in labels]), device=device)
        self.own = _index(joined([layout.own(c) for c in labels]), device)
        shifts = np.array([block.shift for block in blocks])
        self.shifts = torch.as_tensor(shifts, device=device)[:, None, None]
        self.levels = tau - self.shifts
        n_free = self.free.shape[1]
        self.identity = torch.eye(n_free, dtype=torch.float64, device=device)
        # N is positive: the eigenvalues of a system lie between ρ and τ.
        self.is_safe = bool((shifts > n_free * EPS * tau).all())

    def inverses(self, N: Tensor) -> Tensor:
        """τ(λN_SS + ρI)⁻¹ of each class."""
        systems = self.levels * N[self.free[:, :, None], self.free[:, None, :]]
        systems += self.shifts * self.identity
        return self.tau * inverses(systems, None if self.is_safe else self.blocks)

    def solve(self, u: Tensor, N: Tensor, inverses: Tensor) -> None:
        """Turn ridge codes u at τ into suppressed codes, in place."""
        k = self.n_shared
        x = u[self.rows].view(len(self.free), -1, u.shape[1])
        free = self.free[:, None, :].expand(-1, x.shape[1], -1)
        x_free = x.gather(2, free) @ inverses.to(x.dtype)
        scaled = (self.levels / self.tau).to(x.dtype) * x_free
        if k:
            x -= scaled[..., :k] @ N[:k].to(x.dtype)
        smoothers = N[self.own].to(x.dtype).view(len(x), -1, u.shape[1])
        x.baddbmm_(scaled[..., k:], smoothers, alpha=-1)
        x.scatter_(2, free, x_free)
        if not isinstance(self.rows, slice):
            u[self.rows] = x.view(-1, u.shape[1])


def _index(rows: slice | np.ndarray, device: torch.device) -> slice | Tensor:
    return rows if isinstance(rows, slice) else torch.as_tensor(rows, device=device)


class _Group:
    """Rows whose τ_c = λ + ρ_c lies near one τ, as in `core.coding._group_codes`."""

    def __init__(
        self, rows: Tensor, tau: float, blocks: list[Block], layout: AtomLayout, suppression: float
    ) -> None:
        self.tau, device = tau, rows.device
        self.place = _index(joined([block.rows for block in blocks]), device)
        self.rows = rows[self.place]
        offsets = {block.shift: suppression + block.shift - tau for block in blocks}
        shapes: dict[tuple[int, int, bool], list[Block]] = {}
        for block in consecutive(blocks):
            if block.shift != tau:  # with λ = 0 the ridge codes are the codes
                kind = (n_rows_of(block), layout.per_class[block.label], bool(offsets[block.shift]))
                shapes.setdefault(kind, []).append(block)
        self.batches = [_DeviceBatch(alike, layout, tau, device) for alike in shapes.values()]
        self.n_steps = int(max(neumann_steps(offset, tau) for offset in offsets.values()))
        # The rows whose own τ_c is not τ, once more by themselves for the series.
        self.is_off = [off for _, _, off in shapes]
        off_blocks = [b for kind, alike in shapes.items() if kind[2] for b in alike]
        if off_blocks:
            self.off_place = _index(joined([block.rows for block in off_blocks]), device)
            alone = iter(consecutive(off_blocks))
            self.off_batches = [
                _DeviceBatch([next(alone) for _ in alike], layout, tau, device)
                for kind, alike in shapes.items()
                if kind[2]
            ]
            self.excess = _excess(off_blocks, offsets, layout, rows)

    def codes(self, D: Tensor) -> Tensor:
        factor = factorise(D, self.tau)
        N = factor.smoother
        codes = self.rows @ factor.coder.to(self.rows.dtype).T
        inverses = [batch.inverses(N) for batch in self.batches]
        for batch, inverse in zip(self.batches, inverses):
            batch.solve(codes, N, inverse)
        if self.n_steps:
            self._refine(codes, N, [x for x, off in zip(inverses, self.is_off) if off])
        return codes

    def _refine(self, codes: Tensor, N: Tensor, inverses: Sequence[Tensor]) -> None:
        """x ← x⁰ − M⁻¹ δ x_R, a series that ends at rounding after a known number of terms."""
        start = codes[self.off_place]
        refined = start
        for _ in range(self.n_steps):
            excess = self.excess * refined
            ridge = (excess - excess @ N.to(excess.dtype)) / self.tau
            for batch, inverse in zip(self.off_batches, inverses):
                batch.solve(ridge, N, inverse)
            refined = start - ridge
        codes[self.off_place] = refined


def _excess(
    blocks: Sequence[Block], offsets: dict[float, float], layout: AtomLayout, rows: Tensor
) -> Tensor:
    """δ = τ_c − τ of each row, on the atoms of other classes; zero on the free ones."""
    n_rows = [n_rows_of(block) for block in blocks]
    labels = np.repeat([block.label for block in blocks], n_rows)
    delta = np.repeat([offsets[block.shift] for block in blocks], n_rows)
    atoms = torch.as_tensor(layout.labels, device=rows.device)
    own = torch.as_tensor(labels, device=rows.device)[:, None]
    return torch.as_tensor(delta).to(rows)[:, None] * ((atoms >= 0) & (atoms != own))


class SuppressedCoder:
    """min over x of ‖y − xD‖² + ρ‖x‖² + λ‖x_R‖² for the same rows under ever new dictionaries.

    Parameters
    ----------
    rows : Tensor of shape (n_rows, n_features)
    blocks : sequence of Block
        Every row belongs to one block.
    layout : AtomLayout
    suppression : float
        λ ≥ 0.
    """

    def __init__(
        self, rows: Tensor, blocks: Sequence[Block], layout: AtomLayout, suppression: float
    ) -> None:
        self.shape = (len(rows), layout.n_atoms)
        self.groups = [
            _Group(rows, tau, group, layout, suppression)
            for tau, group in shared_factorisations(blocks, suppression, layout.n_atoms)
        ]

    @property
    def is_safe(self) -> bool:
        """Whether no dictionary can make a system singular, so that none need be looked at."""
        batches = [batch for group in self.groups for batch in group.batches]
        shifted = all(group.tau > self.shape[1] ** 2 * EPS for group in self.groups)
        return shifted and all(batch.is_safe for batch in batches)

    def codes(self, D: Tensor) -> Tensor:
        """Codes (n_rows, n_atoms) under a dictionary in float64."""
        if len(self.groups) == 1 and isinstance(self.groups[0].place, slice):
            return self.groups[0].codes(D)
        codes = self.groups[0].rows.new_empty(self.shape)
        for group in self.groups:
            codes[group.place] = group.codes(D)
        return codes
