"""Training and test samples of each fold: of a splitter, or by the content of the samples."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator, StratifiedGroupKFold, check_cv

from crosslabel.core.moments import Labels
from crosslabel.core.ordering import ranked, row_hashes
from crosslabel.intake.checking import Training

Words = NDArray[np.uint64]
Folds: TypeAlias = int | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]] | None
"""Into what samples are split: as `cv` of scikit-learn."""


class Split(NamedTuple):
    """Places of the samples that train and of those that test."""

    train: Labels
    test: Labels


def given_splits(
    cv: Folds, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None, weights: NDArray[np.float64]
) -> list[Split]:
    """The splits of scikit-learn's splitters, as places among the samples that have weight.

    An integer with groups gives stratified folds that keep groups together.

    Parameters
    ----------
    cv : int, cross-validation generator, iterable or None
    X, y : array-like
        All samples and their labels.
    groups : array-like of shape (n_samples,) or None
    weights : ndarray of shape (n_samples,)
    """
    if isinstance(cv, Integral) and groups is not None:
        cv = StratifiedGroupKFold(int(cv))
    kept = weights > 0
    place = np.cumsum(kept) - 1
    found = check_cv(cv, y, classifier=True).split(X, y, groups)
    numbers = np.arange(len(kept))
    pairs = [(numbers[train], numbers[test]) for train, test in found]  # masks become numbers
    return [Split(place[a[kept[a]]], place[b[kept[b]]]) for a, b in pairs]


def content_splits(training: Training, n_folds: int, seed: int) -> list[Split]:
    """Stratified folds that depend on the samples alone, not on their order.

    Equal samples are in one fold. A class's only sample is in every training part, so that no
    class is ever without one.
    """
    hashes = row_hashes(training.X)
    ranks = ranked(hashes, seed)
    order = np.lexsort((ranks, training.labels))
    distinct = distinct_numbers(ranks[order], training.labels[order])
    labels = training.labels[order]
    first = distinct[np.searchsorted(labels, np.arange(len(training.classes)))]
    counts = np.diff([*first, distinct[-1] + 1])
    # Each class begins with another fold, so that the folds are of one size; which one follows
    # from its samples, not from its name.
    begin = np.argsort(np.argsort(ranks[order][np.searchsorted(labels, np.arange(len(first)))]))
    fold = (distinct - first[labels] + begin[labels]) % n_folds
    fold[counts[labels] < 2] = -1
    numbers = np.unique(fold[fold >= 0])
    if not len(numbers):
        raise ValueError(
            "Cross-validation needs a class with at least two distinct samples. Use "
            "CrossLabelClassifier, whose parameters are given."
        )
    return [Split(order[fold != k], order[fold == k]) for k in numbers]


def distinct_numbers(hashes: Words, labels: Labels) -> Labels:
    """Numbers of the distinct samples, where samples are ordered by label and hash."""
    new = (np.diff(hashes) != 0) | (np.diff(labels) != 0)
    return np.concatenate([[0], np.cumsum(new)])


def check_splits(splits: list[Split], training: Training) -> None:
    """Refuse splits that test nothing, or that leave a class without training samples."""
    if not splits:
        raise ValueError("cv gives no split; give at least one pair of training and test samples.")
    for k, (train, test) in enumerate(splits):
        counts = np.bincount(training.labels[train], minlength=len(training.classes))
        if counts.min() == 0:
            missing = training.classes.tolist()[int(counts.argmin())]
            raise ValueError(f"Fold {k} of cv has no training sample of class {missing!r}.")
        if len(test) == 0:
            raise ValueError(f"Fold {k} of cv has no test sample of positive weight.")
