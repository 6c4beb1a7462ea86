"""All that training needs to know of the samples: count, mean and scatter of each class.

The objective sees the data through these alone, so they can be added, merged and removed exactly,
wherever and in whatever order the samples come. Samples may be a tensor: then its statistics, which
are arrays always, are all that leaves its device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import (
    ArrayOrTensor,
    beside,
    dtype_of,
    factor_rows,
    from_device,
    in_float64,
    in_type,
    is_tensor,
    namespace,
)
from crosslabel.core.scaling import Array

Labels = NDArray[np.intp]


LOST = 1e-8
"""Part of the energy of the samples that stay which the rounding of those that leave may reach."""

_OUTER = 128
"""Rows of an outer product that are formed at a time: they stay in cache."""


class ImpossibleRemovalError(ValueError):
    """Samples were to be removed that cannot have been added."""


class Scatter(NamedTuple):
    """S = Σ w (y − ȳ)(y − ȳ)ᵀ of one class, in the smaller of two forms.

    `array` holds rows F with FᵀF = S while they are fewer than the features, and S itself after
    that: memory never exceeds n_features² and never grows with the number of samples.
    """

    array: Array
    is_factor: bool

    @classmethod
    def zero(cls, n_features: int, dtype: np.dtype) -> Scatter:
        """Scatter of no samples."""
        return cls(np.zeros((0, n_features), dtype), True)

    def matrix(self) -> Array:
        """S."""
        return self.array.T @ self.array if self.is_factor else self.array

    def factor(self) -> Array:
        """Few rows F with FᵀF = S."""
        return self.array if self.is_factor else factor_rows(self.array).astype(self.array.dtype)

    def plus(self, other: Scatter, row: Array) -> Scatter:
        """S + S' + rᵀr for another scatter S' and a row r."""
        n_rows = len(self.array) + len(other.array) + 1
        if self.is_factor and other.is_factor and n_rows < self.array.shape[1]:
            return Scatter(np.concatenate([self.array, other.array, row[None]]), True)
        total = self.matrix() + other.matrix()
        for start in range(0, len(row), _OUTER):
            part = slice(start, start + _OUTER)
            total[part] += np.outer(row[part], row)
        return Scatter(total, False)

    def minus(self, other: Scatter, row: Array, floor: float = 0.0) -> Scatter:
        """S − S' − rᵀr, which must be positive semi-definite like every scatter.

        What is below zero by less than the floor, the rounding of the samples, is zero.
        """
        if not self.is_factor:
            rest = self.array - other.matrix() - np.outer(row, row)
            _check_semidefinite(np.linalg.eigvalsh(rest), np.trace(self.array), floor)
            return Scatter(rest, False)
        removed = np.concatenate([other.factor(), row[None]]).astype(np.float64)
        # In the coordinates of the factor's own row space, S is diagonal and small.
        energies, basis = np.linalg.eigh(self.array.astype(np.float64) @ self.array.T)
        kept = energies > len(energies) * np.finfo(self.array.dtype).eps * energies.max(initial=0)
        basis = (basis[:, kept] / np.sqrt(energies[kept])).T @ self.array
        coordinates = removed @ basis.T
        outside = np.sum(removed**2) - np.sum(coordinates**2)
        _check_semidefinite(np.array([-outside]), energies.sum(), floor)
        rest, axes = np.linalg.eigh(np.diag(energies[kept]) - coordinates.T @ coordinates)
        _check_semidefinite(rest, energies.sum(), floor)
        kept = rest > 0
        rows = (axes[:, kept] * np.sqrt(rest[kept])).T @ basis
        return Scatter(rows.astype(self.array.dtype), True)


def _check_semidefinite(eigenvalues: Array, scale: float, floor: float) -> None:
    if eigenvalues.min(initial=0.0) < -1e-6 * scale - floor - np.finfo(float).tiny:
        raise ImpossibleRemovalError(
            "The samples to remove vary more than all samples of their class together, so they "
            "cannot have been added. Remove only samples that were added, with the same scaling."
        )


class Targets(NamedTuple):
    """The statistics as rows that are coded like samples: √n ȳ of each class, then its factor.

    `rows` holds the C scaled means, then the factor rows of class 0, 1, …; those of class c are
    `rows[starts[c]:starts[c + 1]]`.
    """

    rows: Array
    starts: NDArray[np.intp]


@dataclass(frozen=True)
class Moments:
    """Count n, mean ȳ and scatter S of each class; immutable.

    Attributes
    ----------
    counts : ndarray of shape (n_classes,)
        Number of samples of each class, or the sum of their weights.
    means : ndarray of shape (n_classes, n_features)
    scatters : tuple of Scatter
    """

    counts: NDArray[np.float64]
    means: Array
    scatters: tuple[Scatter, ...]

    @classmethod
    def empty(cls, n_classes: int, n_features: int, dtype: np.dtype) -> Moments:
        """Statistics of no samples."""
        scatters = tuple(Scatter.zero(n_features, dtype) for _ in range(n_classes))
        return cls(np.zeros(n_classes), np.zeros((n_classes, n_features), dtype), scatters)

    @classmethod
    def from_samples(
        cls,
        X: ArrayOrTensor,
        labels: Labels,
        n_classes: int,
        sample_weight: Array | None = None,
        dtype: np.dtype | None = None,
        scale: Callable[[ArrayOrTensor], ArrayOrTensor] = lambda X: X,
    ) -> Moments:
        """Statistics of labelled samples.

        Parameters
        ----------
        X : ndarray or tensor of shape (n_samples, n_features)
        labels : ndarray of int of shape (n_samples,)
            Classes 0 … n_classes−1; a class may have no sample.
        n_classes : int
        sample_weight : ndarray of shape (n_samples,), optional
            A weight of two equals the sample twice; zero equals its absence.
        dtype : dtype, optional
            As of `moments`.
        scale : callable, optional
            Applied to the samples of one class at a time: no copy of them all is made.
        """
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        order = np.argsort(labels, kind="stable")
        bounds = np.searchsorted(labels[order], np.arange(n_classes + 1))
        parts = [order[a:b] for a, b in pairwise(bounds)]
        if is_tensor(X):
            rows = (X[beside(part, X)] for part in parts)
        else:
            # One piece of memory for all classes: the system would clear a new one each time.
            work = np.empty((max(map(len, parts)), X.shape[1]), X.dtype)
            rows = (np.take(X, p, axis=0, out=work[: len(p)], mode="clip") for p in parts)
        own = zip(rows, parts)
        each = [moments(scale(some), weights[p], dtype, overwrite=True) for some, p in own]
        counts, means, scatters = zip(*each)
        return cls(np.array(counts), np.array(means), scatters)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.counts)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.means.shape[1]

    def reordered(self, order: NDArray[np.intp]) -> Moments:
        """The same statistics with the classes in another order."""
        scatters = tuple(self.scatters[c] for c in order)
        return Moments(self.counts[order], self.means[order], scatters)

    def project(self, basis: Array) -> Moments:
        """Statistics in the coordinates of an orthonormal basis (rows) of the data's span."""
        scatters = tuple(Scatter(s.factor() @ basis.T, True) for s in self.scatters)
        return Moments(self.counts, self.means @ basis.T, scatters)

    def targets(self) -> Targets:
        """Rows whose outer products sum to the second moment of the data, class by class."""
        scale = np.sqrt(self.counts)[:, None].astype(self.means.dtype)
        factors = [scatter.factor() for scatter in self.scatters]
        starts = self.n_classes + np.cumsum([0, *map(len, factors)])
        return Targets(np.concatenate([scale * self.means, *factors]), starts)

    def astype(self, dtype: np.dtype) -> Moments:
        """The same moments in another precision."""
        scatters = tuple(
            Scatter(s.array.astype(dtype, copy=False), s.is_factor) for s in self.scatters
        )
        return Moments(self.counts, self.means.astype(dtype, copy=False), scatters)

    def by_class(self) -> list[ClassMoments]:
        """Count, mean and scatter of each class."""
        return [ClassMoments(*each) for each in zip(self.counts, self.means, self.scatters)]


def within_scatter(statistics: Moments) -> Scatter:
    """W = Σ_c S_c in float64, as rows where these are fewer than the features."""
    parts = [scatter for scatter in statistics.scatters if len(scatter.array)]
    n_features = statistics.n_features
    factors = [s.array for s in parts if s.is_factor]
    rows = np.concatenate([np.zeros((0, n_features)), *factors])
    if len(factors) == len(parts) and len(rows) < n_features:
        return Scatter(rows, True)
    total = rows.T @ rows
    for scatter in parts:
        if not scatter.is_factor:
            total += scatter.array
    return Scatter(total, False)


class ClassMoments(NamedTuple):
    """Count, mean and scatter of one class."""

    n: float
    mean: Array
    scatter: Scatter


def moments(
    X: ArrayOrTensor, weights: Array, dtype: np.dtype | None = None, *, overwrite: bool = False
) -> ClassMoments:
    """Count, mean and scatter of the weighted samples of one class.

    Parameters
    ----------
    X : ndarray or tensor of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    dtype : dtype, optional
        Of mean and scatter, for sums over more samples than these; that of X if not given.
    overwrite : bool, default=False
        Whether X may be used as working memory.
    """
    n_features, count = X.shape[1], float(weights.sum())
    dtype = np.dtype(dtype or dtype_of(X))
    if count == 0:
        return ClassMoments(0.0, np.zeros(n_features, dtype), Scatter.zero(n_features, dtype))
    shares, roots = beside(weights / count, X), in_type(beside(np.sqrt(weights), X), X.dtype)
    # In float64 whatever the samples are: a mean of many would lose digits.
    exact = shares @ X.double() if is_tensor(X) else np.einsum("i,ij->j", shares, X, dtype=float)
    mean, center = from_device(exact).astype(dtype), in_type(exact, X.dtype)
    centred = namespace(X).subtract(X, center, out=X if overwrite else None)
    if (weights != 1).any():
        centred *= roots[:, None]
    if len(X) > n_features:
        scatter = from_device(centred.T @ centred).astype(dtype, copy=False)
        return ClassMoments(count, mean, Scatter(scatter, False))
    # A reflection that takes the vector of root weights to an axis takes the scaled samples to
    # √n ȳ (one row, dropped) and n − 1 rows whose Gram matrix is the scatter.
    axis = in_float64(roots) / np.sqrt(count)
    axis[0] += 1.0
    shift = in_type(axis / axis[0], X.dtype)
    rows = centred[1:] - shift[1:, None] * (shift @ centred / (shift @ shift) * 2)
    return ClassMoments(count, mean, Scatter(from_device(rows).astype(dtype, copy=False), True))


def _shift_row(a: ClassMoments, b: ClassMoments) -> Array:
    """The row by which the scatter of two joined classes exceeds the sum of their scatters."""
    weight = np.sqrt(a.n * b.n / (a.n + b.n))
    return (weight * (a.mean - b.mean)).astype(a.mean.dtype)


def together(a: ClassMoments, b: ClassMoments) -> ClassMoments:
    """Moments of two sets of samples of one class."""
    if b.n == 0 or a.n == 0:
        return a if b.n == 0 else b
    count = a.n + b.n
    mean = a.mean + (b.n / count) * (b.mean - a.mean)
    scatter = a.scatter.plus(b.scatter, _shift_row(a, b))
    return ClassMoments(count, mean.astype(a.mean.dtype), scatter)


def check_digits(total: ClassMoments, gone: ClassMoments) -> None:
    """Refuse a removal beside which little is left of the samples that stay.

    The sums of all samples carry a rounding of ε times their energy Σ‖y‖². It stays behind when
    large samples leave, and must be small beside the energy of the others.

    Parameters
    ----------
    total, gone : ClassMoments
        Of all samples of a class, and of those that leave it.

    Raises
    ------
    ImpossibleRemovalError
    """
    before, removed = _energy(total), _energy(gone)
    rounding = np.finfo(total.mean.dtype).eps * before
    if gone.n < total.n * (1 - 1e-9) and rounding > LOST * max(before - removed, 0.0):
        raise ImpossibleRemovalError(
            "The samples to remove are so much larger than the others of their class that the "
            f"rounding of their sums would outweigh what is left (energy {removed:.3g} of "
            f"{before:.3g}). Train anew without them, or let the samples be scaled to unit norm."
        )


def _energy(moments: ClassMoments) -> float:
    """Σ w‖y‖² = tr S + n‖ȳ‖²."""
    array = moments.scatter.array
    spread = np.square(array).sum() if moments.scatter.is_factor else np.trace(array)
    return float(spread) + moments.n * float(moments.mean @ moments.mean)


def without(total: ClassMoments, gone: ClassMoments) -> ClassMoments:
    """Moments of what is left when some of the samples of a class are removed."""
    if gone.n == 0:
        return total
    count = total.n - gone.n
    if count < -1e-9 * total.n - np.finfo(float).tiny:
        raise ImpossibleRemovalError(
            f"{gone.n:g} samples of a class were to be removed, but it has {total.n:g}."
        )
    if count <= 1e-9 * total.n:
        return moments(total.mean[None, :][:0], np.zeros(0))
    mean = (total.mean + (gone.n / count) * (total.mean - gone.mean)).astype(total.mean.dtype)
    rest = ClassMoments(count, mean, total.scatter)
    # Equal samples have no scatter but that of rounding their mean.
    floor = float(1e3 * np.finfo(total.mean.dtype).eps * total.n * (total.mean @ total.mean))
    scatter = total.scatter.minus(gone.scatter, _shift_row(rest, gone), floor)
    return ClassMoments(count, mean, scatter)
