"""A chunk of atoms that are updated together on a GPU, and what their sweep gives."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

CHUNK = 32
"""Atoms of one kernel: their coordinates, 2·CHUNK for each, fit into the registers of one block."""


class Steps(NamedTuple):
    """A chunk's sweep in the coordinates of [V, D].

    Attributes
    ----------
    changes : Tensor of shape (CHUNK, 2·CHUNK)
        By how much each atom changes.
    norms : Tensor of shape (CHUNK,)
        ‖v‖ of each atom.
    agreements : Tensor of shape (CHUNK,)
        ⟨v, d⟩ with the atom's old value d.
    """

    changes: Tensor
    norms: Tensor
    agreements: Tensor

    @classmethod
    def into(cls, norms: Tensor, agreements: Tensor, chunk: slice) -> Steps:
        """Where the results of one chunk go."""
        return cls(norms.new_zeros(CHUNK, 2 * CHUNK), norms[chunk], agreements[chunk])
