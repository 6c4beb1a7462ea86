"""Training samples in canonical order: what the flagship and its cross-validation start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.ordering import canonical
from crosslabel.core.scaling import Array
from crosslabel.core.statistics import ClassStatistics, Labels


@dataclass(frozen=True)
class TrainingSet:
    """Distinct samples with weights, in an order that depends on their content alone.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled samples.
    labels : ndarray of int of shape (n_samples,)
        Canonical classes.
    weights : ndarray of shape (n_samples,)
    classes : ndarray of int of shape (n_classes,)
        `classes[c]` is the index in the estimator's `classes_` of canonical class c.
    """

    X: Array
    labels: Labels
    weights: NDArray[np.float64]
    classes: NDArray[np.intp]

    @classmethod
    def collect(
        cls,
        X: Array,
        labels: Labels,
        n_classes: int,
        sample_weight: Array | None,
        scale: Callable[[Array], Array],
        classes: NDArray[np.intp] | None = None,
    ) -> TrainingSet:
        """Put samples in canonical order, join equal ones, then scale.

        The order of the classes is that of the samples' content, unless one is given.
        """
        rows, found, weights, order = canonical(X, labels, n_classes, sample_weight)
        if classes is not None:
            found = np.argsort(classes)[order[found]]
            by_class = np.argsort(found, kind="stable")
            rows, found, weights = rows[by_class], found[by_class], weights[by_class]
            order = classes
        return cls(scale(X[rows]), found, weights, order)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def distinct(self) -> NDArray[np.intp]:
        """Number of distinct samples of each canonical class."""
        return np.bincount(self.labels, minlength=self.n_classes)

    @cached_property
    def statistics(self) -> ClassStatistics:
        """Count, mean and scatter of each canonical class."""
        return ClassStatistics.from_samples(self.X, self.labels, self.n_classes, self.weights)

    @property
    def by_name(self) -> NDArray[np.intp]:
        """Canonical class of each class in `classes_`."""
        return np.argsort(self.classes)

    def layout(
        self, atoms_per_class: NDArray[np.intp], shared_atoms: int, *, limited: bool = True
    ) -> AtomLayout:
        """Atoms in canonical class order; if limited, no more of a class than it has samples."""
        sizes = np.broadcast_to(atoms_per_class, self.n_classes)[self.classes]
        if limited:
            sizes = np.minimum(sizes, self.distinct)
        return AtomLayout(int(shared_atoms), tuple(int(size) for size in sizes))

    def part(self, chosen: NDArray[np.bool_]) -> TrainingSet:
        """The chosen samples."""
        return TrainingSet(self.X[chosen], self.labels[chosen], self.weights[chosen], self.classes)


@dataclass(frozen=True)
class Fold:
    """One split of the training samples: most to learn from, the rest to score on.

    `statistics` are those of `train`, merged from parts that are computed once for all folds.
    """

    train: TrainingSet
    test: TrainingSet
    statistics: ClassStatistics


def fold_numbers(training: TrainingSet, n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Stratified folds 0 … n_folds−1 of the samples.

    A class's only sample gets −1: it is in every training part, so that no class is without one.
    """
    number = np.full(len(training.labels), -1)
    for label, n_samples in enumerate(training.distinct):
        if n_samples > 1:
            # A random first fold for each class keeps the folds of one size.
            places = rng.permutation(n_samples) + rng.integers(n_folds)
            number[training.labels == label] = places % n_folds
    return number


def folds(training: TrainingSet, number: NDArray[np.intp]) -> Iterator[Fold]:
    """The split that holds out fold 0, then fold 1, … of those that have samples."""
    parts = {k: training.part(number == k).statistics for k in np.unique(number)}
    for k in sorted(set(parts) - {-1}):
        others = [part for other, part in parts.items() if other != k]
        yield Fold(
            training.part(number != k),
            training.part(number == k),
            reduce(ClassStatistics.merge, others),
        )
