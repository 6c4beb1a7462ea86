"""Atom updates from the two moments A = XᵀX and B = XᵀY of codes X and targets Y."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import one_thread
from crosslabel.core.scaling import Array

BLOCK = 256
"""Atoms whose residual rows are formed by one product: wide enough for BLAS, small in cache."""


class AtomUpdate(NamedTuple):
    """What one sweep over the atoms did."""

    dictionary: Array
    decrease: float
    unused: NDArray[np.bool_]


def update_atoms(dictionary: Array, A: Array, B: Array, parts: Iterable[slice]) -> AtomUpdate:
    """min over each unit-norm atom in turn of ‖Y − XD‖²: d ← v/‖v‖, v = B_j − Σ_{k≠j} A_jk d_k.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
        Unit-norm atoms.
    A : ndarray of shape (n_atoms, n_atoms)
    B : ndarray of shape (n_atoms, n_features)
    parts : iterable of slice
        The parts of the dictionary in the order of their updates; they tile it.

    Returns
    -------
    AtomUpdate
        The new dictionary, by how much the objective fell, and which atoms no code uses.
    """
    D = dictionary.copy()
    unused = np.zeros(len(D), dtype=bool)
    decrease, floor = 0.0, noise_floor(B)
    for parts_of_block in _blocks(parts):
        start, stop = parts_of_block[0].start, parts_of_block[-1].stop
        V = B[start:stop] - A[start:stop] @ D
        with one_thread():
            for part in parts_of_block:
                rows = slice(part.start - start, part.stop - start)
                old = D[part].copy()
                fall, unused[part] = sweep(D[part], A[part, part], V[rows], floor)
                decrease += fall
                if part.stop < stop:
                    later = slice(part.stop, stop)
                    V[rows.stop :] -= A[later, part] @ (D[part] - old)
    return AtomUpdate(D, decrease, unused)


def noise_floor(B: Array) -> float:
    """Norm of v below which its direction is the rounding error of the codes behind B = XᵀY."""
    largest = np.einsum("ij,ij->i", B, B).max(initial=0.0)
    return 4 * float(np.finfo(B.dtype).eps * np.sqrt(largest))


def sweep(atoms: Array, A: Array, V: Array, floor: float) -> tuple[float, NDArray[np.bool_]]:
    """Update the atoms of one part in place, each with the newest values of the others.

    V = B_part − A_part D holds the residual rows before the sweep. An atom whose v is zero, or lost
    in rounding, keeps its value and is reported as unused.
    """
    targets = V + A @ atoms
    coupling = A.copy()
    coupling[np.diag_indices_from(coupling)] = 0
    unused = np.zeros(len(atoms), dtype=bool)
    decrease = 0.0
    for j, atom in enumerate(atoms):
        v = targets[j] - coupling[j] @ atoms
        norm = float(np.sqrt(v @ v))
        if norm <= floor:
            unused[j] = True
            continue
        decrease += 2 * (norm - float(v @ atom))
        np.divide(v, norm, out=atom)
    return decrease, unused


def _blocks(parts: Iterable[slice]) -> list[list[slice]]:
    """Consecutive parts, about `BLOCK` atoms at a time."""
    blocks: list[list[slice]] = []
    for part in parts:
        if not blocks or part.stop - blocks[-1][0].start > BLOCK:
            blocks.append([])
        blocks[-1].append(part)
    return blocks
