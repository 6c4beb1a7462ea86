"""`core.spectral` for samples on a device: many classes in one call, whatever their sizes.

The second moment of a class is that of its samples, so that no statistics are needed between: rows
of zeros, which change no moment, make classes of about one size alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from crosslabel.core.backend import beside
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

    def part(self, classes: slice, atoms: slice) -> Solved:
        """Of some classes, whose atoms these are."""
        return Solved(self.atoms[atoms], self.values[classes], self.unused[atoms])


class ClassRows(NamedTuple):
    """Samples of classes as rows of one tensor, where each class has a stretch.

    Attributes
    ----------
    X : Tensor of shape (n_samples, n_features)
        Lifted.
    weights : Tensor of shape (n_samples,)
        In float64.
    counts : ndarray of int of shape (n_classes,)
        Samples of each class, at least one.
    starts : ndarray of int of shape (n_classes,)
        Where those of each class begin.
    """

    X: Tensor
    weights: Tensor
    counts: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, X: Tensor, weights: Tensor, counts: ArrayLike) -> ClassRows:
        """Of classes that follow one another."""
        sizes = np.asarray(counts)
        return cls(X, weights, sizes, np.cumsum(sizes) - sizes)

    @classmethod
    def stacked(cls, several: Sequence[ClassRows]) -> ClassRows:
        """Classes of several sets of samples, one set after the other, of features as many.

        Features that some do not have are zeros there: they change no product.
        """
        width = max(rows.X.shape[1] for rows in several)
        padded = [torch.nn.functional.pad(r.X, (0, width - r.X.shape[1])) for r in several]
        weights = torch.cat([rows.weights for rows in several])
        return cls.of(torch.cat(padded), weights, np.concatenate([r.counts for r in several]))

    def beside(self, counts: NDArray[np.intp], starts: NDArray[np.intp]) -> ClassRows:
        """These classes, and after them others of the same samples."""
        return self._replace(
            counts=np.concatenate([self.counts, counts]),
            starts=np.concatenate([self.starts, starts]),
        )


def closed_form(
    samples: ClassRows,
    per_class: Sequence[int],
    ridge: ArrayLike,
    n_looked_at: int | None,
    n_shown: int | None = None,
) -> Solved:
    """min over unit-norm D_c and X_c of Σ_c ‖Y_c − X_cD_c‖² + β‖X_c‖², exactly.

    Parameters
    ----------
    samples : ClassRows
    per_class : sequence of int
        Atoms of each class.
    ridge : float, or array of one for each class
        β ≥ 0.
    n_looked_at : int or None
        Atoms look like some of so many first samples of their class; None for no likeness.
    n_shown : int, optional
        The first so many classes, to which likeness is given; all if not said.
    """
    shown = len(per_class) if n_shown is None else n_shown
    ridges = np.broadcast_to(ridge, len(per_class))
    sizes = beside(np.asarray(per_class), samples.X)
    ends = sizes.cumsum(0)
    atoms = samples.X.new_empty(int(sum(per_class)), samples.X.shape[1])
    values = samples.weights.new_empty(len(per_class))
    unused = torch.zeros(len(atoms), dtype=torch.bool, device=atoms.device)
    for classes, n_rows, n_atoms in _alike(samples, per_class):
        numbers = beside(classes, atoms)
        rows, weights = _padded(samples, classes, n_rows)
        places = (ends[numbers] - n_atoms)[:, None] + torch.arange(n_atoms, device=ends.device)
        looked_at = None if n_looked_at is None else (n_looked_at, int((classes < shown).sum()))
        found, values[numbers] = _solve(rows, weights, n_atoms, ridges[classes], looked_at)
        atoms[places] = found.to(atoms.dtype)
        unused[places] = (rows.abs().amax(dim=(1, 2)) == 0)[:, None]
    return Solved(atoms, values, unused)


def _alike(samples: ClassRows, per_class: Sequence[int]) -> Iterator[tuple[np.ndarray, int, int]]:
    """Classes of about as many samples and as many atoms, some at a time, and both numbers."""
    counts, sizes = samples.counts, np.asarray(per_class)
    rows = np.maximum(LEAST_ROWS, 2 ** np.ceil(np.log2(counts)).astype(int))
    for n_rows, n_atoms in sorted(set(zip(rows.tolist(), sizes.tolist()))):
        alike = np.flatnonzero((rows == n_rows) & (sizes == n_atoms))
        most = int(counts[alike].max())
        step = max(1, TOGETHER // (most * samples.X.shape[1]))
        for start in range(0, len(alike), step):
            yield alike[start : start + step], most, n_atoms


def _padded(samples: ClassRows, classes: np.ndarray, n_rows: int) -> tuple[Tensor, Tensor]:
    """Samples of each class with zeros after them, (n, n_rows, n_features), and their weights."""
    counts, starts = samples.counts, samples.starts
    places = starts[classes, None] + np.minimum(np.arange(n_rows), counts[classes, None] - 1)
    there = beside(np.arange(n_rows) < counts[classes, None], samples.X)
    index = beside(places, samples.X)
    weights = samples.weights[index] * there
    return samples.X[index] * there[..., None], weights


def _solve(
    rows: Tensor,
    weights: Tensor,
    n_atoms: int,
    ridge: NDArray[np.float64],
    looked_at: tuple[int, int] | None,
) -> tuple[Tensor, Tensor]:
    """Atoms (n, n_atoms, n_features) and objectives of a stack of classes.

    `looked_at` says how many samples of a class are, and of how many classes at the beginning.
    """
    exact = rows.double()
    moments = weights.sqrt()[..., None] * exact
    if moments.shape[1] < moments.shape[2]:
        values, axes, rest = row_spectra(moments, n_atoms)
    else:
        values, axes, rest = matrix_spectra(moments.swapaxes(1, 2) @ moments, n_atoms)
    energy = energies(values, n_atoms, ridge)
    means = ((weights / weights.sum(dim=1, keepdim=True))[:, None] @ exact)[:, 0]
    n_samples, shown = looked_at or (0, 0)
    parts, first, others = [], slice(0, shown), slice(shown, None)
    if shown:
        seen = rows[first, :n_samples]
        chosen = exemplars(seen, n_atoms)
        likeness = torch.take_along_dim(seen, chosen[..., None], 1).double()
        parts.append(unit_atoms(energy[first], axes[first], n_atoms, means[first], likeness))
    if shown < len(rows):
        parts.append(unit_atoms(energy[others], axes[others], n_atoms, means[others]))
    return torch.cat(parts), unexplained(values, energy, ridge) + rest
