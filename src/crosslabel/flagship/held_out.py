"""Scores of samples by models that have not seen them, for a whole grid of settings at once.

One fold is left out; one eigendecomposition of each class's Gram matrix then serves every number
of atoms and ridge, and one pooled scatter every shrinkage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from crosslabel.core.joint import evidence
from crosslabel.core.scaling import Array
from crosslabel.core.statistics import Labels
from crosslabel.core.water_filling import energies

_FEW = 4
"""Where fewer than one in so many axes of a large class are wanted, only these are found."""
_LARGE = 100
_JITTER = 1e-10
"""Of the mean eigenvalue: equal samples make a Gram matrix singular."""


class Axes(NamedTuple):
    """Singular values of a class and what its samples must be combined by to give its axes."""

    members: Labels
    values: Array
    combination: Array


@dataclass(frozen=True)
class Samples:
    """Training samples of one lift: their inner products, or rows, or both; immutable.

    Attributes
    ----------
    gram : ndarray of shape (n_samples, n_samples)
    labels, fold : ndarray of int of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
    given_rows : ndarray of shape (n_samples, n_features) or None
        Rows whose inner products the Gram matrix holds, where these are short.
    """

    gram: Array
    labels: Labels
    fold: Labels
    weights: Array
    given_rows: Array | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.labels.max()) + 1

    @cached_property
    def rows(self) -> Array:
        """Rows with these inner products, no longer than there are samples."""
        if self.given_rows is not None and self.given_rows.shape[1] <= len(self.gram):
            return self.given_rows
        lifted = self.gram.copy()
        lifted[np.diag_indices_from(lifted)] += _JITTER * np.trace(self.gram) / len(self.gram)
        return np.linalg.cholesky(lifted)

    @cached_property
    def totals(self) -> tuple[Array, Array, Array]:
        """Counts and sums of the classes and the second moment of all samples."""
        return _sums(self.rows, self.labels, self.weights, self.n_classes)

    def axes(self, number: int, most: int) -> list[Axes]:
        """Of each class without one fold, the axes that its atoms can lie along."""
        return [self._axes_of(c, number, most) for c in range(self.n_classes)]

    def _axes_of(self, label: int, number: int, most: int) -> Axes:
        members = np.flatnonzero((self.labels == label) & (self.fold != number))
        roots = np.sqrt(self.weights[members])
        block = self.gram[np.ix_(members, members)] * roots[:, None] * roots
        n = len(members)
        if n > _LARGE and most * _FEW < n:
            squares, left = eigh(block, subset_by_index=(n - most, n - 1), check_finite=False)
        else:
            squares, left = np.linalg.eigh(block)
        squares, left = squares[::-1][:most], left[:, ::-1][:, :most]
        real = squares > n * np.finfo(float).eps * max(squares[0], 0)
        values = np.sqrt(squares[real])
        return Axes(members, values, roots[:, None] * left[:, real] / values)

    def left_out(self, number: int) -> Labels:
        """Samples of one fold."""
        return np.flatnonzero(self.fold == number)


def _sums(rows: Array, labels: Labels, weights: Array, n_classes: int) -> tuple[Array, ...]:
    counts = np.bincount(labels, weights, n_classes)
    member = np.zeros((n_classes, len(rows)))
    member[labels, np.arange(len(rows))] = weights
    roots = np.sqrt(weights)[:, None] * rows
    return counts, member @ rows, roots.T @ roots


def local_evidence(
    samples: Samples, number: int, axes: Sequence[Axes], grid: Sequence[tuple[int, float]]
) -> Array:
    """Evidence of each class by its own atoms alone, for every (number of atoms, ridge).

    r_c(y) = ‖y‖² − Σ_i q_i/(q_i + β) (u_iᵀy)²: one small product for the whole grid.

    Returns
    -------
    ndarray of shape (n_grid, n_left_out, n_classes)
    """
    queries = samples.left_out(number)
    energy = samples.gram[queries, queries]
    found = np.empty((len(axes), len(grid), len(queries)))
    most, ridge = (np.array(part) for part in zip(*grid))
    for c, (members, values, combination) in enumerate(axes):
        kept = np.minimum(most, len(members))
        filled = energies(values, kept, ridge)
        share = filled / (filled + ridge[:, None])
        along = samples.gram[np.ix_(queries, members)] @ combination
        found[c] = energy - share @ (along**2).T
    residuals = found.transpose(1, 2, 0)
    return np.stack([evidence(residual, energy) for residual in residuals])


def global_evidence(
    samples: Samples, number: int, axes: Sequence[Axes], n_atoms: int, ridge: float
) -> dict[str, Array]:
    """Evidence by codes over all atoms, without mass and divided by the code's length.

    z = (ΣQ + βI)⁻¹y, and class c explains Q_c z of the query; its mass is ‖x̂_c‖² = zᵀQ_c z.

    Returns
    -------
    dict of ndarray of shape (n_left_out, n_classes)
        By the name of the mass.
    """
    rows, out = samples.rows, samples.left_out(number)
    queries, energy = rows[out], samples.gram[out, out]
    blocks, spent = [], []
    for members, values, combination in axes:
        filled = energies(values, min(n_atoms, len(members)), ridge)
        blocks.append((np.sqrt(filled)[:, None] * combination.T) @ rows[members])
        spent.append(filled)
    D, q = np.concatenate(blocks), np.concatenate(spent)
    matrix = D.T @ D
    matrix[np.diag_indices_from(matrix)] += ridge
    z = cho_solve(cho_factor(matrix, lower=True, check_finite=False), queries.T).T
    codes, along = z @ D.T, queries @ D.T
    # Atoms of a class lie along its axes: ‖D_cᵀx‖² = Σ q x².
    parts = np.cumsum([0, *map(len, blocks)])[:-1]
    residual = energy[:, None] + np.add.reduceat(codes * (q * codes - 2 * along), parts, axis=1)
    mass = np.add.reduceat(codes**2, parts, axis=1)
    bare = evidence(residual, energy)
    return {"none": bare, "l2": bare + 0.5 * np.log(np.maximum(mass, 1e-18))}


def discriminants(samples: Samples, number: int, shrinkages: Sequence[float]) -> Array:
    """g_c of each left-out sample, for every shrinkage.

    Returns
    -------
    ndarray of shape (n_shrinkages, n_left_out, n_classes)
    """
    out, rows = samples.left_out(number), samples.rows
    queries = rows[out]
    taken = _sums(queries, samples.labels[out], samples.weights[out], samples.n_classes)
    counts, sums, moment = (whole - part for whole, part in zip(samples.totals, taken))
    # A class whose only samples are left out has no mean: it keeps the one of all.
    means = np.where(counts[:, None] > 0, sums, sums.sum(axis=0))
    means /= np.where(counts > 0, counts, counts.sum())[:, None]
    total = max(counts.sum(), np.finfo(float).tiny)
    within = (moment - (means * np.maximum(counts, 0)[:, None]).T @ means) / total
    size, energy = len(within), np.trace(moment) / total
    # Samples that do not vary leave rounding: every shrinkage then gives the nearest mean.
    varies = np.trace(within) > 1e-12 * energy
    within, scale = (within, np.trace(within) / size) if varies else (0 * within, energy or 1.0)
    found = np.empty((len(shrinkages), len(queries), len(means)))
    for place, shrinkage in enumerate(shrinkages):
        shifted = within + shrinkage * scale * np.eye(size)
        factor = cho_factor(shifted, lower=True, check_finite=False)
        solved = cho_solve(factor, means.T)
        found[place] = queries @ solved - 0.5 * np.einsum("cf,fc->c", means, solved)
    return found
