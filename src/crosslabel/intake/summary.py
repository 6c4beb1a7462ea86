"""What training sees of the samples: their lift, statistics, a bounded sample, an order of classes.

A summary is the same for any order and any batching of its samples. Summaries of parts of the data
merge; samples and classes can leave again. `fit` makes one at once, `partial_fit` batch by batch, a
pass over a disk array block by block, and Dask partition by partition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, beside, is_tensor
from crosslabel.core.moments import Moments
from crosslabel.core.ordering import KeptSample, Words, key_sums, row_hashes, sample_keys
from crosslabel.core.scaling import Array
from crosslabel.files import arrays as archive
from crosslabel.intake import labels
from crosslabel.intake.checking import Training
from crosslabel.intake.devices import hashes_there
from crosslabel.intake.lift import Lift
from crosslabel.intake.statistics import ClassStatistics


@dataclass(frozen=True, eq=False)
class Summary:
    """Statistics of all samples seen, a bounded sample of them, and a key of each class; immutable.

    Attributes
    ----------
    lift : Lift
        What was done to the samples before anything else.
    statistics : ClassStatistics
        Of the classes seen.
    sample : KeptSample
        Its labels are indices in `classes`.
    keys : ndarray of uint64 of shape (n_classes,)
        From which the canonical order of the classes follows, as in `core.ordering`.
    declared : ndarray
        Labels of classes that were said to come, whether seen or not.
    """

    lift: Lift
    statistics: ClassStatistics
    sample: KeptSample
    keys: Words
    declared: labels.ClassLabels = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def empty(
        cls, n_features: int, dtype: np.dtype, lift: Lift, *, size: int, seed: int
    ) -> Summary:
        """No samples yet.

        Parameters
        ----------
        n_features : int
        dtype : dtype
            Of the samples.
        lift : Lift
        size : int
            Most samples of a class that are kept.
        seed : int
            Decides which.
        """
        width = lift.width(n_features)
        return cls(
            lift,
            ClassStatistics.empty(width, normalize=lift.unit),
            KeptSample.empty(width, dtype, size, seed),
            np.zeros(0, np.uint64),
        )

    @classmethod
    def of(cls, training: Training, lift: Lift, seed: int, hashes: Words | None = None) -> Summary:
        """Of samples that are all at hand: as of one batch, with every sample kept.

        Parameters
        ----------
        training : Training
            With samples of every class, each of a weight above zero.
        lift : Lift
        seed : int
            Decides which samples stay where the summary is bounded later.
        hashes : ndarray of uint64 of shape (n_samples,), optional
            Of the samples, where they are known.
        """
        X, classes, numbers, weights = training
        hashes = row_hashes(X) if hashes is None else hashes
        rows, n_classes = lift(X), len(classes)
        moments = Moments.from_samples(rows, numbers, n_classes, weights, np.dtype(float))
        none = KeptSample.empty(rows.shape[1], X.dtype, len(X), seed, n_classes)
        sample = none.add(rows, numbers, weights, hashes)
        keys = key_sums(sample_keys(hashes, weights), numbers, n_classes)
        return cls(lift, ClassStatistics(classes, moments, lift.unit), sample, keys)

    @property
    def classes(self) -> labels.ClassLabels:
        """Labels of the classes seen."""
        return self.statistics.classes

    @property
    def all_classes(self) -> labels.ClassLabels:
        """Labels of the classes seen and of those that were said to come."""
        return labels.union(self.declared, self.classes)

    @property
    def dtype(self) -> np.dtype:
        """Type of the samples."""
        return self.sample.X.dtype

    def absorb(
        self,
        X: ArrayOrTensor,
        y: labels.ClassLabels,
        weights: Array | None = None,
        hashes: Words | None = None,
    ) -> Summary:
        """The summary after a batch.

        Parameters
        ----------
        X : ndarray or tensor of shape (n_samples, n_features)
            Valid samples of the summary's type, in C order, as they were given.
        y : ndarray of shape (n_samples,)
        weights : ndarray of shape (n_samples,) or None
        hashes : ndarray of uint64 of shape (n_samples,), optional
            Of the samples, where they are known.
        """
        weights = np.ones(len(X)) if weights is None else weights
        if hashes is None:
            hashes = hashes_there(X) if is_tensor(X) else row_hashes(X)
        kept = weights > 0
        if not kept.all():
            X, y, weights, hashes = X[beside(kept, X)], y[kept], weights[kept], hashes[kept]
        if len(X) == 0:
            return self
        scale: Callable[[ArrayOrTensor], ArrayOrTensor] = self.lift
        if len(X) <= self.sample.size:  # all are kept lifted: once, for statistics and sample
            X, scale = self.lift(X), as_it_is
        found = self.statistics.of_checked(X, y, weights, self.lift.unit, scale)
        statistics = self.statistics.merge(found)
        grown = self._over(statistics)
        numbers = labels.places(y, statistics.classes)
        keys = key_sums(sample_keys(hashes, weights), numbers, len(statistics.classes))
        sample = grown.sample.add(X, numbers, weights, hashes, scale)
        return replace(self, statistics=statistics, sample=sample, keys=grown.keys + keys)

    def declaring(self, classes: labels.ClassLabels) -> Summary:
        """The summary with classes that are going to appear."""
        labels.union(classes, self.classes)  # refuses labels of another kind
        return replace(self, declared=labels.union(self.declared, classes))

    def of_statistics(self, statistics: ClassStatistics) -> Summary:
        """The summary of samples of which nothing but statistics is known."""
        limits = np.zeros(len(statistics.classes), np.uint64)  # no sample of theirs is kept
        # Classes by count, then mean: an order that does not depend on their names.
        order = np.lexsort((statistics.means[:, 0], statistics.counts))
        keys = np.argsort(order).astype(np.uint64)
        return Summary(self.lift, statistics, replace(self.sample, limits=limits), keys)

    def bounded(self, size: int) -> Summary:
        """The summary with at most so many samples of each class."""
        width, seed, n_classes = self.sample.X.shape[1], self.sample.seed, len(self.classes)
        empty = KeptSample.empty(width, self.dtype, size, seed, n_classes)
        return replace(self, sample=empty.merge(self.sample))

    def merge(self, other: Summary) -> Summary:
        """The summary of both sets of samples."""
        statistics = self.statistics.merge(other.statistics)
        a, b = self._over(statistics), other._over(statistics)
        sample, keys = a.sample.merge(b.sample), a.keys + b.keys
        return replace(self, statistics=statistics, sample=sample, keys=keys)

    def remove(self, X: Array, y: labels.ClassLabels, weights: Array | None = None) -> Summary:
        """The summary as if these samples had never been seen; parameters as of `absorb`."""
        weights = np.ones(len(X)) if weights is None else weights
        kept = weights > 0
        X, y, weights = X[kept], y[kept], weights[kept]
        if len(X) == 0:
            return self
        hashes = row_hashes(X)
        gone = self.statistics.of_checked(X, y, weights, self.lift.unit, self.lift)
        statistics = self.statistics.less(gone)
        numbers = labels.places(y, self.classes)
        sample = self.sample.remove(numbers, weights, hashes)
        keys = self.keys - key_sums(sample_keys(hashes, weights), numbers, len(self.keys))
        left = np.isin(self.classes, statistics.classes)
        return replace(self, statistics=statistics, sample=sample.classes(left), keys=keys[left])

    def without(self, label: object) -> Summary:
        """The summary as if a class had never been seen."""
        statistics = self.statistics.without(label)
        left = np.isin(self.classes, statistics.classes)
        sample, declared = self.sample.classes(left), self.declared[self.declared != label]
        return Summary(self.lift, statistics, sample, self.keys[left], declared)

    def _over(self, statistics: ClassStatistics) -> Summary:
        """Sample and keys numbered by the classes of larger statistics."""
        if len(self.classes) == len(statistics.classes):
            return self
        places = labels.places(self.classes, statistics.classes)
        keys = np.zeros(len(statistics.classes), np.uint64)
        keys[places] = self.keys
        return replace(self, sample=self.sample.renumbered(places, len(keys)), keys=keys)

    def to_arrays(self) -> archive.Arrays:
        """The summary, without its lift, as arrays of numbers and text."""
        kept = {name: np.asarray(value) for name, value in self.sample.__dict__.items()}
        return {
            **{f"statistics_{k}": v for k, v in self.statistics.to_arrays().items()},
            **{f"sample_{k}": v for k, v in kept.items()},
            "keys": self.keys,
            "declared": labels.to_array(self.declared),
        }

    @classmethod
    def from_arrays(cls, arrays: archive.Arrays, lift: Lift | None = None) -> Summary:
        """A summary from what `to_arrays` gave; without a lift that of earlier files."""
        kept = _with_prefix(arrays, "sample_")
        sample = KeptSample(size=int(kept.pop("size")), seed=int(kept.pop("seed")), **kept)
        statistics = ClassStatistics.from_arrays(_with_prefix(arrays, "statistics_"))
        lift = lift or Lift(unit=statistics.normalized)
        declared = arrays.get("declared", np.zeros(0))
        return cls(lift, statistics, sample, arrays["keys"], declared)


def merge_all(summaries: list[Summary]) -> Summary:
    """The summary of all samples of several summaries."""
    return reduce(Summary.merge, summaries)


def as_it_is(X: ArrayOrTensor) -> ArrayOrTensor:
    """Samples that need no scaling."""
    return X


def _with_prefix(arrays: archive.Arrays, prefix: str) -> archive.Arrays:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
