"""`core.solver.class_sweep` on a device: the limit λ → ∞, classes of about one size together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import Block
from crosslabel.core.gpu.atoms import AtomSweep, noise_floor
from crosslabel.core.gpu.coding import EPS, inverses
from crosslabel.core.gpu.recording import Recording
from crosslabel.core.gpu.uploaded import Uploaded
from crosslabel.core.objective import Penalties, blocks


class Coded(NamedTuple):
    """Codes of a stack of classes, and what the updates of atoms need to know of them.

    Attributes
    ----------
    codes : Tensor of shape (n_classes, n_rows, n_free)
        On the shared atoms, then on each class's own.
    explained : Tensor
        ⟨X, YDᵀ⟩, summed over the classes.
    floors : Tensor of shape (n_classes,)
        `noise_floor` of XᵀY.
    """

    codes: Tensor
    explained: Tensor
    floors: Tensor


class ClassStack:
    """Classes with as many atoms and about as many rows; those of fewer are filled up with zeros.

    Parameters
    ----------
    rows : Tensor of shape (n_rows, n_features)
        Of all classes: their means, then the factors of their scatters.
    of_class : sequence of list of Block
        The blocks of each class here: of its mean, and of its deviations if it has any.
    atoms : ndarray of int of shape (n_classes, n_own)
        Where the own atoms lie in the dictionary.
    is_plain : bool
        Whether all blocks of a class have one shift.
    """

    def __init__(
        self, rows: Tensor, of_class: Sequence[list[Block]], atoms: np.ndarray, is_plain: bool
    ) -> None:
        places = [np.concatenate([np.r_[b.rows] for b in own]) for own in of_class]
        index = np.full((len(places), max(map(len, places))), len(rows))
        for line, place in zip(index, places):
            line[: len(place)] = place
        whole = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
        self.rows = whole[torch.as_tensor(index, device=rows.device)].double()
        self.gram = self.rows @ self.rows.mT
        self.atoms = torch.as_tensor(atoms, device=rows.device)
        self.own = self.rows.new_zeros(*atoms.shape, rows.shape[1])
        self.unused = torch.zeros(atoms.shape, dtype=torch.bool, device=rows.device)
        # The mean's shift and that of the deviations, where these differ.
        parts = [[own[0] for own in of_class]]
        if not is_plain:
            parts.append([own[-1] for own in of_class])
        self.blocks = parts
        shifts = np.array([[block.shift for block in part] for part in parts])
        self.shifts = torch.as_tensor(shifts, device=rows.device)[..., None]

    def is_safe(self, n_shared: int) -> bool:
        """Whether no system can be singular: unit-norm atoms have a Gram matrix of at most n²."""
        n_free = n_shared + self.own.shape[1]
        return bool((self.shifts > EPS * n_free**2).all())

    def coded(self, shared: Tensor, safe: bool) -> Coded:
        """min over X of ‖Y − XD‖² + ρ‖X‖² for each class."""
        Y, D = self.rows, self.own
        images = torch.cat([Y @ shared.T, Y @ D.mT], dim=2)
        cross = D @ shared.T
        top = torch.cat([(shared @ shared.T).expand(len(D), -1, -1), cross.mT], dim=2)
        gram = torch.cat([top, torch.cat([cross, D @ D.mT], dim=2)], dim=1)
        solved = []
        for shifts, of in zip(self.shifts, self.blocks):
            system = gram.clone()
            system.diagonal(dim1=1, dim2=2).add_(shifts)
            solved.append(inverses(system, None if safe else of))
        X = torch.cat([images[:, :1] @ solved[0], images[:, 1:] @ solved[-1]], dim=1)
        squares = (X * (self.gram @ X)).sum(dim=1).amax(dim=1)
        return Coded(X, (X * images).sum(), noise_floor(squares.clamp(min=0).sqrt()))

    def for_shared(self, coded: Coded, n_shared: int) -> tuple[Tensor, Tensor]:
        """A and B of the shared atoms, with what the own atoms say taken off the rows."""
        X0, X = coded.codes[..., :n_shared], coded.codes[..., n_shared:]
        left, flat = (self.rows - X @ self.own).flatten(0, 1), X0.flatten(0, 1)
        return flat.T @ flat, flat.T @ left

    def update(self, coded: Coded, shared: Tensor) -> Tensor:
        """Each own atom in turn, of all classes at once; by how much the objective fell."""
        X0, X = coded.codes[..., : len(shared)], coded.codes[..., len(shared) :]
        A, targets = X.mT @ X, X.mT @ (self.rows - X0 @ shared)
        before = _left(A, targets, self.own)
        coupling = A.clone()
        coupling.diagonal(dim1=1, dim2=2).zero_()
        for j in range(self.own.shape[1]):
            row = slice(j, j + 1)
            v = torch.baddbmm(targets[:, row], coupling[:, row], self.own, alpha=-1)
            norms = torch.linalg.vector_norm(v, dim=2, keepdim=True)
            unused = norms <= coded.floors[:, None, None]
            self.own[:, row] = torch.where(unused, self.own[:, row], v / norms)
            self.unused[:, row] = unused[..., 0]
        return before - _left(A, targets, self.own)


def _left(A: Tensor, targets: Tensor, D: Tensor) -> Tensor:
    """‖Y − XD‖², but for what does not depend on D: ⟨A, DDᵀ⟩ − 2⟨XᵀY, D⟩."""
    return (A * (D @ D.mT)).sum() - 2 * (targets * D).sum()


class ClassSweep:
    """One iteration: codes on own and shared atoms, then each atom in turn, shared ones first.

    Parameters
    ----------
    targets : Uploaded
    dictionary : Tensor of shape (n_atoms, n_features)
        The start, in float64.
    layout : AtomLayout
        With at least one shared atom.
    penalties : Penalties
        Suppression is infinite, whatever it says.
    """

    def __init__(
        self, targets: Uploaded, dictionary: Tensor, layout: AtomLayout, penalties: Penalties
    ) -> None:
        self.n_shared = layout.shared
        self.energy = targets.energy
        of_class: list[list[Block]] = [[] for _ in range(layout.n_classes)]
        for block in blocks(targets.starts, targets.counts, penalties):
            of_class[block.label].append(block)
        self.parts = [
            ClassStack(
                targets.rows,
                [of_class[c] for c in classes],
                np.array([np.r_[layout.own(c)] for c in classes]),
                penalties.grouping == 0,
            )
            for classes in _of_about_one_size(of_class, layout)
        ]
        unit = torch.nn.functional.normalize(dictionary)
        self.atoms = AtomSweep(unit[: self.n_shared])
        self._whole = torch.empty_like(unit)
        self._unused = torch.zeros(len(unit), dtype=torch.bool, device=unit.device)
        self.load(unit)
        self.is_safe = all(part.is_safe(self.n_shared) for part in self.parts)
        self._run = Recording(self._sweep, unit.is_cuda and self.is_safe)

    def __call__(self) -> Tensor:
        """The objective after the iteration; still on the device."""
        return self._run()

    @property
    def dictionary(self) -> Tensor:
        """The atoms in the order of the layout."""
        self._whole[: self.n_shared] = self.atoms.dictionary
        for part in self.parts:
            self._whole[part.atoms] = part.own
        return self._whole.clone()

    @property
    def unused(self) -> Tensor:
        """Which atoms no code used in the last sweep."""
        self._unused[: self.n_shared] = self.atoms.unused
        for part in self.parts:
            self._unused[part.atoms] = part.unused
        return self._unused.clone()

    def load(self, dictionary: Tensor) -> None:
        """Go on from these atoms, of unit norm."""
        self.atoms.dictionary.copy_(dictionary[: self.n_shared])
        for part in self.parts:
            part.own.copy_(dictionary[part.atoms])

    def _sweep(self) -> Tensor:
        shared, k = self.atoms.dictionary, self.n_shared
        found = [part.coded(shared, self.is_safe) for part in self.parts]
        value = self.energy - torch.stack([one.explained for one in found]).sum()
        moments = [part.for_shared(one, k) for part, one in zip(self.parts, found)]
        A, B = (torch.stack(each).sum(dim=0) for each in zip(*moments))
        value = value - self.atoms.update(A, B, torch.cat([one.floors for one in found]).max())
        for part, one in zip(self.parts, found):
            value = value - part.update(one, shared)
        return value


def _of_about_one_size(of_class: Sequence[list[Block]], layout: AtomLayout) -> list[list[int]]:
    """Classes with as many atoms, and rows between two powers of two."""
    found: dict[tuple[int, int], list[int]] = {}
    for c, own in enumerate(of_class):
        n_rows = sum(block.rows.stop - block.rows.start for block in own)
        found.setdefault((layout.per_class[c], n_rows.bit_length()), []).append(c)
    return list(found.values())
