"""Atom updates on the device: GEMMs for all that is long, one small kernel for all that is in turn.

An atom's update needs every atom before it, so that a sweep is K steps in a row. A chunk of S atoms
stays in the span of its residual rows V and its atoms D. In the coordinates of [V, D] the S steps
are one kernel on a 2S×2S Gram matrix.
"""

from __future__ import annotations

import torch
from torch import Tensor

from crosslabel.core.backend import on_gpu
from crosslabel.core.gpu.chunk import CHUNK, Steps

BLOCK = 256
"""Atoms whose residual rows are formed by one product."""

SLICE = 256
"""Features of one slice of a Gram matrix; a single product would run on few of the processors."""


def noise_floor(largest: Tensor) -> Tensor:
    """`core.dictionary.noise_floor`, of the largest norm of a row of B."""
    return 4 * torch.finfo(largest.dtype).eps * largest


class AtomSweep:
    """min over each unit-norm atom in turn of ‖Y − XD‖², in place, from A = XᵀX and B = XᵀY.

    The number of atoms is padded by zeros to whole chunks: no code uses a zero atom, so that it
    stays as it is. Features are padded to whole slices.

    Parameters
    ----------
    dictionary : Tensor of shape (n_atoms, n_features)
        The start, in float64.

    Attributes
    ----------
    norms, agreements : Tensor of shape (n_padded,)
        ‖v‖ and ⟨v, d⟩ of each atom in the last sweep.
    floor : Tensor
        Norm of v below which an atom counts as unused, from the last sweep.
    """

    def __init__(self, dictionary: Tensor) -> None:
        n_atoms, n_features = dictionary.shape
        n_padded = -(-n_atoms // CHUNK) * CHUNK
        width = -(-n_features // SLICE) * SLICE
        new = dictionary.new_zeros
        self.n_atoms, self.n_features = n_atoms, n_features
        self.D, self.B = new(n_padded, width), new(n_padded, width)
        self.D[:n_atoms, :n_features] = dictionary
        self.A = new(n_padded, n_padded)
        self.norms, self.agreements, self.floor = new(n_padded), new(n_padded), new(())
        n_chunks = min(BLOCK, n_padded) // CHUNK
        self._pairs = new(n_chunks, 2, CHUNK, width)  # V and D of each chunk of a block
        self._changes = new(n_chunks, CHUNK, width)
        self._steps = on_gpu("steps", dictionary) or steps

    @property
    def dictionary(self) -> Tensor:
        """The atoms, without padding; a view."""
        return self.D[: self.n_atoms, : self.n_features]

    @property
    def unused(self) -> Tensor:
        """Which atoms no code used in the last sweep."""
        return (self.norms <= self.floor)[: self.n_atoms]

    def update(self, A: Tensor, B: Tensor, floor: Tensor | None = None) -> Tensor:
        """Update every atom once; returns by how much the objective fell.

        The floor is that of B where none is given.
        """
        self.A[: self.n_atoms, : self.n_atoms] = A
        self.B[: self.n_atoms, : self.n_features] = B
        largest = torch.linalg.vector_norm(self.B, dim=1).max()
        self.floor.copy_(noise_floor(largest) if floor is None else floor)
        for start in range(0, len(self.D), BLOCK):
            self._update_block(slice(start, min(start + BLOCK, len(self.D))))
        fall = 2 * (self.norms - self.agreements)
        return torch.where(self.norms > self.floor, fall, 0.0).sum()

    def _update_block(self, block: slice) -> None:
        n_chunks = (block.stop - block.start) // CHUNK
        pairs, changes = self._pairs[:n_chunks], self._changes[:n_chunks]
        V = torch.addmm(self.B[block], self.A[block], self.D, alpha=-1)
        pairs[:, 0], pairs[:, 1] = V.view_as(changes), self.D[block].view_as(changes)
        A = self.A[block, block].unflatten(0, (n_chunks, CHUNK))
        for i, first in enumerate(range(block.start, block.stop, CHUNK)):
            own = slice(i * CHUNK, (i + 1) * CHUNK)
            found = Steps.into(self.norms, self.agreements, slice(first, first + CHUNK))
            self._steps(A[i, :, own], _sliced_gram(pairs[i]), self.floor, found)
            torch.mm(found.changes, pairs[i].view(2 * CHUNK, -1), out=changes[i])
            if i + 1 < n_chunks:
                later = pairs[i + 1 :, 0]
                later.baddbmm_(A[i + 1 :, :, own], changes[i].expand_as(later), alpha=-1)
        D = self.D[block] + changes.view(len(V), -1)
        # Norms from a Gram matrix lose digits where v is much smaller than its parts.
        norms = torch.linalg.vector_norm(D, dim=1, keepdim=True)
        self.D[block] = D / torch.where(norms > 0, norms, 1.0)


def _sliced_gram(pair: Tensor) -> Tensor:
    """Gram matrices of [V, D] over slices of the features; H is their sum."""
    slices = pair.view(2 * CHUNK, -1, SLICE).transpose(0, 1)
    return torch.bmm(slices, slices.transpose(1, 2))


def steps(A: Tensor, grams: Tensor, floor: Tensor, found: Steps) -> None:
    """The sweep over one chunk, in coordinates: v = V_j + A_jj d_j − Σ_{k<j} A_jk Δ_k, d ← v/‖v‖.

    Parameters
    ----------
    A : Tensor of shape (n, n)
    grams : Tensor of shape (n_slices, 2n, 2n)
        They sum to the Gram matrix H of [V, D]: inner products of coordinates c, c' are cHc'.
    floor : Tensor
        An atom whose ‖v‖ does not exceed it keeps its value.
    found : Steps
        Filled in; changes must come as zeros.
    """
    n, gram = len(A), grams.sum(dim=0)
    changes, images = found.changes, torch.zeros_like(found.changes)  # Δ and ΔH
    axes = torch.eye(2 * n, dtype=gram.dtype, device=gram.device)
    for j in range(n):
        image = gram[j] + A[j, j] * gram[n + j] - A[j] @ images
        v = axes[j] + A[j, j] * axes[n + j] - A[j] @ changes
        found.norms[j] = norm = (v @ image).clamp(min=0).sqrt()
        found.agreements[j] = image[n + j]
        # No branch: a graph can record it.
        used = norm > floor
        scale = 1 / torch.where(used, norm, 1.0)
        changes[j] = torch.where(used, v * scale - axes[n + j], 0.0)
        images[j] = torch.where(used, image * scale - gram[n + j], 0.0)
