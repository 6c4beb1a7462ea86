"""`core.spectral` for samples on a device: many classes in one call, whatever their sizes.

The second moment of a class is that of its samples, so that no statistics are needed between: rows
of zeros, which change no moment, make classes of about one size alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslabel.core.rotation import exemplars, unit_atoms
from crosslabel.core.spectral import energies, unexplained
from crosslabel.core.spectrum import matrix_spectra, row_spectra

TOGETHER = 2**26
"""Values of samples that are decomposed together, in double precision."""

LEAST_ROWS = 8
"""Rows that small classes are filled up to: so many sizes are told apart no longer."""


class Solved(NamedTuple):
    """Atoms of all classes, one class after the other, and the objective of each class."""

    atoms: Tensor
    values: Tensor
    unused: Tensor


class ClassRows(NamedTuple):
    """Samples of classes that follow one another, as rows of one tensor.

    Attributes
    ----------
    X : Tensor of shape (n_samples, n_features)
        Lifted.
    weights : Tensor of shape (n_samples,)
        In float64.
    counts : sequence of int
        Samples of each class, at least one.
    """

    X: Tensor
    weights: Tensor
    counts: Sequence[int]


def closed_form(
    samples: ClassRows, per_class: Sequence[int], ridge: float, n_looked_at: int | None
) -> Solved:
    """min over unit-norm D_c and X_c of Σ_c ‖Y_c − X_cD_c‖² + β‖X_c‖², exactly.

    Parameters
    ----------
    samples : ClassRows
    per_class : sequence of int
        Atoms of each class.
    ridge : float
        β ≥ 0.
    n_looked_at : int or None
        Atoms look like some of so many first samples of their class; None for no likeness.
    """
    sizes = torch.as_tensor(np.asarray(per_class), device=samples.X.device)
    ends = sizes.cumsum(0)
    atoms = samples.X.new_empty(int(sum(per_class)), samples.X.shape[1])
    values = samples.weights.new_empty(len(per_class))
    unused = torch.zeros(len(atoms), dtype=torch.bool, device=atoms.device)
    for classes, n_rows, n_atoms in _alike(samples, per_class):
        numbers = torch.as_tensor(classes, device=atoms.device)
        rows, weights = _padded(samples, classes, n_rows)
        places = (ends[numbers] - n_atoms)[:, None] + torch.arange(n_atoms, device=ends.device)
        found, values[numbers] = _solve(rows, weights, n_atoms, ridge, n_looked_at)
        atoms[places] = found.to(atoms.dtype)
        unused[places] = (rows.abs().amax(dim=(1, 2)) == 0)[:, None]
    return Solved(atoms, values, unused)


def _alike(samples: ClassRows, per_class: Sequence[int]) -> Iterator[tuple[np.ndarray, int, int]]:
    """Classes of about as many samples and as many atoms, some at a time, and both numbers."""
    counts, sizes = np.asarray(samples.counts), np.asarray(per_class)
    rows = np.maximum(LEAST_ROWS, 2 ** np.ceil(np.log2(counts)).astype(int))
    for n_rows, n_atoms in sorted(set(zip(rows.tolist(), sizes.tolist()))):
        alike = np.flatnonzero((rows == n_rows) & (sizes == n_atoms))
        most = int(counts[alike].max())
        step = max(1, TOGETHER // (most * samples.X.shape[1]))
        for start in range(0, len(alike), step):
            yield alike[start : start + step], most, n_atoms


def _padded(samples: ClassRows, classes: np.ndarray, n_rows: int) -> tuple[Tensor, Tensor]:
    """Samples of each class with zeros after them, (n, n_rows, n_features), and their weights."""
    counts = np.asarray(samples.counts)
    starts = np.cumsum(counts) - counts
    places = starts[classes, None] + np.minimum(np.arange(n_rows), counts[classes, None] - 1)
    there = torch.as_tensor(np.arange(n_rows) < counts[classes, None], device=samples.X.device)
    index = torch.as_tensor(places, device=samples.X.device)
    weights = samples.weights[index] * there
    return samples.X[index] * there[..., None], weights


def _solve(
    rows: Tensor, weights: Tensor, n_atoms: int, ridge: float, n_looked_at: int | None
) -> tuple[Tensor, Tensor]:
    """Atoms (n, n_atoms, n_features) and objectives of a stack of classes."""
    exact = rows.double()
    moments = weights.sqrt()[..., None] * exact
    if moments.shape[1] < moments.shape[2]:
        values, axes, rest = row_spectra(moments, n_atoms)
    else:
        values, axes, rest = matrix_spectra(moments.swapaxes(1, 2) @ moments, n_atoms)
    energy = energies(values, n_atoms, ridge)
    likeness = None
    if n_looked_at is not None:
        looked_at = rows[:, :n_looked_at]
        chosen = exemplars(looked_at, n_atoms)
        likeness = torch.take_along_dim(looked_at, chosen[..., None], 1).double()
    means = (weights / weights.sum(dim=1, keepdim=True))[:, None] @ exact
    atoms = unit_atoms(energy, axes, n_atoms, means[:, 0], likeness)
    return atoms, unexplained(values, energy, ridge) + rest
