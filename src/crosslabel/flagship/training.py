"""Training samples in canonical order: what the flagship and its cross-validation start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.coding import UndeterminedCodesError
from crosslabel.core.moments import Labels, Moments
from crosslabel.core.ordering import canonical, class_order
from crosslabel.core.scaling import Array


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
    keys : ndarray of uint64 of shape (n_samples,)
        From which the order of the classes follows.
    classes : ndarray of int of shape (n_classes,)
        `classes[c]` is the index in the estimator's `classes_` of canonical class c.
    known : Moments, optional
        The statistics, where they have been found already.
    hashes : ndarray of uint64 of shape (n_samples,), optional
        Of the samples as they were given.
    device : torch.device, optional
        Where to learn from the samples; None for NumPy.
    """

    X: Array
    labels: Labels
    weights: NDArray[np.float64]
    keys: NDArray[np.uint64]
    classes: NDArray[np.intp]
    known: Moments | None = None
    hashes: NDArray[np.uint64] | None = None
    device: Any = None

    @classmethod
    def collect(
        cls,
        X: Array,
        labels: Labels,
        n_classes: int,
        sample_weight: Array | None,
        scale: Callable[[Array], Array],
    ) -> TrainingSet:
        """Put samples in canonical order, join equal ones, then scale."""
        rows, found, weights, keys, hashes, classes = canonical(X, labels, n_classes, sample_weight)
        return cls(scale(X[rows]), found, weights, keys, classes, hashes=hashes)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def distinct(self) -> NDArray[np.intp]:
        """Number of distinct samples of each canonical class."""
        return np.bincount(self.labels, minlength=self.n_classes)

    @cached_property
    def statistics(self) -> Moments:
        """Count, mean and scatter of each canonical class."""
        return self.known or Moments.from_samples(self.X, self.labels, self.n_classes, self.weights)

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

    @property
    def named_statistics(self) -> Moments:
        """The statistics with the classes in the order of `classes_`."""
        return self.statistics.reordered(self.by_name)

    def labels_in(self, other: TrainingSet) -> Labels:
        """The labels as another set with the same classes numbers them."""
        return other.by_name[self.classes[self.labels]]

    @contextmanager
    def naming(self, classes: NDArray[Any]) -> Iterator[None]:
        """Errors about a canonical class come out under its name in `classes`."""
        try:
            yield
        except UndeterminedCodesError as error:
            raise error.named(classes.tolist()[self.classes[error.label]]) from None

    def part(self, chosen: NDArray[np.bool_]) -> tuple[TrainingSet, NDArray[np.intp]]:
        """The chosen samples as if they had been collected alone, and their places in this set."""
        named, keys = self.classes[self.labels[chosen]], self.keys[chosen]
        classes = class_order(keys, named, self.n_classes)
        labels = np.argsort(classes)[named]
        order = np.argsort(labels, kind="stable")
        rows = np.flatnonzero(chosen)[order]
        part = TrainingSet(self.X[rows], labels[order], self.weights[rows], keys[order], classes)
        return replace(part, device=self.device), rows


@dataclass(frozen=True)
class Fold:
    """One split of the training samples: most to learn from, the rest to score on.

    The statistics of `train` are merged from parts that are computed once for all folds; `rows`
    says which samples of the whole set `test` holds, in its order.
    """

    train: TrainingSet
    test: TrainingSet
    rows: NDArray[np.intp]

    @classmethod
    def merged(
        cls,
        train: TrainingSet,
        test: TrainingSet,
        rows: NDArray[np.intp],
        parts: list[Moments],
    ) -> Fold:
        """A fold whose training samples are those of the parts (classes as in `classes_`)."""
        named = reduce(Moments.merge, parts)
        return cls(replace(train, known=named.reordered(train.classes)), test, rows)


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
    parts = {k: training.part(number == k) for k in np.unique(number)}
    statistics = {k: part.named_statistics for k, (part, _) in parts.items()}
    for k in sorted(set(parts) - {-1}):
        train, _ = training.part(number != k)
        test, rows = parts[k]
        yield Fold.merged(train, test, rows, [statistics[j] for j in parts if j != k])
