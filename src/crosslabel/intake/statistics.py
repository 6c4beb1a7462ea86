"""Count, mean and scatter of each class under its name: what sites exchange instead of samples."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, check_X_y, column_or_1d

from crosslabel.core import moments as core
from crosslabel.core.backend import ArrayOrTensor, beside
from crosslabel.core.moments import ClassMoments, ImpossibleRemovalError, Moments, Scatter
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.files import arrays as archive
from crosslabel.intake import labels
from crosslabel.intake.checking import checked_weights, in_full
from crosslabel.intake.plausible import check_scatters, check_statistics

KIND = "class statistics"

ROWS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
}
"""What samples may be."""


@dataclass(frozen=True, eq=False)
class ClassStatistics:
    """All that the training objective sees of the samples: aggregates of each class; immutable.

    Sums are in float64, so that any order and any batching gives the same statistics to rounding.
    Memory is at most n_features² numbers a class and does not grow with the number of samples.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    moments : Moments
        Count, mean and scatter of each class in that order, in float64.
    normalized : bool
        Whether samples were scaled to unit norm first.
    counts, means, scatters
        Those of `moments`; the scatter of one class by `scatter(label)`.

    Examples
    --------
    >>> from crosslabel import ClassStatistics
    >>> here = ClassStatistics.from_samples([[3.0, 4.0]], ["a"])
    >>> there = ClassStatistics.from_samples([[0.0, 2.0], [5.0, 0.0]], ["a", "b"])
    >>> both = here.merge(there)
    >>> both.classes.tolist(), both.counts.tolist()
    (['a', 'b'], [2.0, 1.0])
    """

    classes: labels.ClassLabels
    moments: Moments
    normalized: bool = True

    @classmethod
    def empty(cls, n_features: int, *, normalize: bool = True) -> ClassStatistics:
        """Statistics of no samples."""
        return cls(np.zeros(0), Moments.empty(0, n_features, np.dtype(float)), normalize)

    @classmethod
    def from_samples(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        normalize: bool = True,
    ) -> ClassStatistics:
        """Statistics of labelled samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense or sparse.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two equals the sample twice; zero equals its absence.
        normalize : bool, default=True
            Scale samples to unit norm first, as the classifier that will use them does.
        """
        samples, targets = check_X_y(X, y, **ROWS)
        samples = in_full(samples)
        weights = checked_weights(sample_weight, len(samples))
        return cls.of_checked(
            unit_rows(samples) if normalize else samples, targets, weights, normalize
        )

    @classmethod
    def of_checked(
        cls,
        X: ArrayOrTensor,
        y: labels.ClassLabels,
        weights: Array,
        normalized: bool,
        scale: Callable[[ArrayOrTensor], ArrayOrTensor] = lambda X: X,
    ) -> ClassStatistics:
        """Statistics of valid samples, which `scale` is applied to class by class."""
        kept = weights > 0
        if not kept.all():
            X, y, weights = X[beside(kept, X)], y[kept], weights[kept]
        if len(y) == 0:
            return cls.empty(X.shape[1], normalize=normalized)
        classes, numbers = np.unique(y, return_inverse=True)
        double = np.dtype(float)
        moments = Moments.from_samples(X, numbers, len(classes), weights, double, scale)
        return cls(classes, moments, normalized)

    @classmethod
    def of_moments(
        cls,
        classes: labels.ClassLabels,
        each: Sequence[tuple[float, Array, Scatter]],
        normalized: bool,
    ) -> ClassStatistics:
        """Statistics from count, mean and scatter of each class, in float64."""
        counts, means, scatters = zip(*each)
        moments = Moments(np.array(counts, float), np.array(means, float), scatters)
        return cls(classes, moments.astype(np.dtype(float)), normalized)

    @property
    def counts(self) -> NDArray[np.float64]:
        """Number of samples of each class, or the sum of their weights."""
        return self.moments.counts

    @property
    def means(self) -> Array:
        """Mean of each class, (n_classes, n_features)."""
        return self.moments.means

    @property
    def scatters(self) -> tuple[Scatter, ...]:
        """Σ w (y − ȳ)(y − ȳ)ᵀ of each class."""
        return self.moments.scatters

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.means.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes that the statistics take, in memory as in a file."""
        arrays = [self.counts, self.means, *(scatter.array for scatter in self.scatters)]
        return self.classes.nbytes + sum(array.nbytes for array in arrays)

    def __repr__(self) -> str:
        return (
            f"ClassStatistics({len(self.classes)} classes, {self.n_features} features, "
            f"{self.counts.sum():g} samples, {self.nbytes} bytes)"
        )

    def scatter(self, label: object) -> Array:
        """Σ w (y − ȳ)(y − ȳ)ᵀ of one class, (n_features, n_features).

        Parameters
        ----------
        label : object
            One of `classes`.
        """
        return self.scatters[self._place(label)].matrix()

    def update(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> ClassStatistics:
        """Statistics with these samples added.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        """
        return self.merge(self._alike(X, y, sample_weight))

    def remove(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> ClassStatistics:
        """Statistics as if these samples had never been added; a class without samples is gone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        """
        return self.less(self._alike(X, y, sample_weight))

    def merge(self, other: ClassStatistics) -> ClassStatistics:
        """Statistics of both sets of samples together; either may lack classes of the other.

        Parameters
        ----------
        other : ClassStatistics
            Of samples with as many features, normalised alike.
        """
        self._check_alike(other)
        classes = labels.union(self.classes, other.classes)
        each = [_nothing(self.n_features)] * len(classes)
        for place, moments in zip(labels.places(self.classes, classes), self.moments.by_class()):
            each[place] = moments
        for place, moments in zip(labels.places(other.classes, classes), other.moments.by_class()):
            each[place] = core.together(each[place], moments)
        return self.of_moments(classes, each, self.normalized) if each else self

    def less(self, other: ClassStatistics) -> ClassStatistics:
        """Statistics without those of samples that were added before.

        Parameters
        ----------
        other : ClassStatistics
            Of samples that are among these.
        """
        self._check_alike(other)
        each = self.moments.by_class()
        for label, moments in zip(other.classes.tolist(), other.moments.by_class()):
            place = self._place(label)
            try:
                left_over = core.without(each[place], moments)
                core.check_digits(each[place], moments)
                each[place] = left_over
            except ImpossibleRemovalError as error:
                raise ImpossibleRemovalError(f"Class {label!r}: {error}") from None
        left = np.array([moments.n > 0 for moments in each], dtype=bool)
        if not left.any():
            return self.empty(self.n_features, normalize=self.normalized)
        rest = [moments for moments in each if moments.n > 0]
        return self.of_moments(self.classes[left], rest, self.normalized)

    def without(self, label: object) -> ClassStatistics:
        """Statistics without one class.

        Parameters
        ----------
        label : object
            One of `classes`.
        """
        return self.chosen(np.arange(len(self.classes)) != self._place(label))

    def chosen(self, classes: labels.ClassLabels) -> ClassStatistics:
        """Statistics of some classes, by a mask or by indices in `classes`."""
        numbers = np.arange(len(self.classes))[classes]
        if len(numbers) == 0:
            return self.empty(self.n_features, normalize=self.normalized)
        return ClassStatistics(
            self.classes[numbers], self.moments.reordered(numbers), self.normalized
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all, with a format version and a checksum.

        Parameters
        ----------
        path : path
            By convention ends in .npz.
        """
        archive.save(path, KIND, self.to_arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ClassStatistics:
        """Read a file that `save` wrote; nothing in it is ever run.

        Parameters
        ----------
        path : path

        Raises
        ------
        ValueError
            If the file is damaged, of another kind, or holds what no samples have.
        """
        arrays = archive.load(path, KIND)
        try:
            found = cls.from_arrays(arrays)
            check_scatters(found.moments, found.normalized)
        except (ValueError, KeyError) as error:
            reason = str(error).strip(" .'")
            raise ValueError(f"{path} holds no statistics of samples: {reason}.") from None
        return found

    def to_arrays(self) -> archive.Arrays:
        """The statistics as arrays of numbers and text."""
        arrays = [scatter.array for scatter in self.scatters]
        none = np.zeros((0, self.n_features))
        return {
            "classes": labels.to_array(self.classes),
            "counts": self.counts,
            "means": self.means,
            "rows": np.concatenate([none, *arrays]),
            "sizes": np.array([len(array) for array in arrays], np.int64),
            "is_factor": np.array([scatter.is_factor for scatter in self.scatters], bool),
            "normalized": np.array(self.normalized),
        }

    @classmethod
    def from_arrays(cls, arrays: archive.Arrays) -> ClassStatistics:
        """Statistics from what `to_arrays` gave, checked."""
        check_statistics(arrays)
        ends = np.cumsum(arrays["sizes"])
        rows = np.split(arrays["rows"], ends[:-1]) if len(ends) else []
        scatters = tuple(Scatter(*each) for each in zip(rows, arrays["is_factor"].tolist()))
        moments = Moments(arrays["counts"], arrays["means"], scatters)
        return cls(arrays["classes"], moments, bool(arrays["normalized"]))

    def _alike(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> ClassStatistics:
        samples = in_full(check_array(X, **ROWS, ensure_min_samples=0))
        targets = column_or_1d(np.asarray(y))
        weights = checked_weights(sample_weight, len(samples))
        scaled = unit_rows(samples) if self.normalized else samples
        return self.of_checked(scaled, targets, weights, self.normalized)

    def _place(self, label: object) -> int:
        found = np.flatnonzero(self.classes == label)
        if found.size == 0:
            raise ImpossibleRemovalError(
                f"There are no samples of class {label!r}; the classes are {_listed(self.classes)}."
            )
        return int(found[0])

    def _check_alike(self, other: ClassStatistics) -> None:
        if self.n_features != other.n_features:
            raise ValueError(
                f"Statistics of {self.n_features} features cannot be merged with those of "
                f"{other.n_features} features."
            )
        if self.normalized != other.normalized:
            raise ValueError(
                "Statistics of samples scaled to unit norm cannot be merged with those of samples "
                "as they are. Make both with the same normalize."
            )


def _nothing(n_features: int) -> ClassMoments:
    return ClassMoments(0.0, np.zeros(n_features), Scatter.zero(n_features, np.dtype(float)))


def _listed(classes: labels.ClassLabels) -> str:
    names = [repr(label) for label in classes.tolist()]
    return ", ".join(names if len(names) < 12 else [*names[:10], "…"])
