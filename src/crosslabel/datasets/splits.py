"""The paper's protocols: which samples train and which test, from labels and a seed alone.

Every function yields pairs of index arrays (train, test), as scikit-learn's splitters do, and gives
the same pairs for the same seed on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def per_class(y: ArrayLike, n_train: int, *, repeats: int = 10, seed: int = 0) -> Iterator[Split]:
    """`n_train` random samples of each class train and all others test, again and again.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    n_train : int
        Training samples per class; every class must have more.
    repeats : int, default=10
    seed : int, default=0

    Yields
    ------
    train, test : ndarray of int
        Sorted indices.

    Examples
    --------
    >>> from crosslabel.datasets.splits import per_class
    >>> train, test = next(per_class(["cat", "cat", "dog", "dog", "dog"], 1))
    >>> len(train), len(test)
    (2, 3)
    """
    labels = np.asarray(y)
    classes, counts = np.unique(labels, return_counts=True)
    if n_train < 1 or counts.min(initial=n_train + 1) <= n_train:
        smallest = classes.tolist()[counts.argmin()]
        raise ValueError(
            f"n_train={n_train} leaves nothing to train or to test on: class {smallest!r} has "
            f"{counts.min()} samples."
        )
    return _drawn(labels, dict.fromkeys(classes.tolist(), n_train), repeats, seed)


def half(y: ArrayLike, *, repeats: int = 10, seed: int = 0) -> Iterator[Split]:
    """A random half of each class trains and the other half tests; an odd one out tests.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    repeats : int, default=10
    seed : int, default=0

    Yields
    ------
    train, test : ndarray of int

    Examples
    --------
    >>> from crosslabel.datasets.splits import half
    >>> train, test = next(half(["cat", "cat", "dog", "dog", "dog"]))
    >>> len(train), len(test)
    (2, 3)
    """
    labels = np.asarray(y)
    classes, counts = np.unique(labels, return_counts=True)
    if counts.min(initial=2) < 2:
        lonely = classes.tolist()[counts.argmin()]
        raise ValueError(f"Class {lonely!r} has one sample: it cannot be split into halves.")
    return _drawn(labels, dict(zip(classes.tolist(), (counts // 2).tolist())), repeats, seed)


def group_folds(groups: ArrayLike, n_folds: int = 5, *, seed: int = 0) -> Iterator[Split]:
    """Folds that never share a group (a person, a scene, a source video), as for UCF50.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
    n_folds : int, default=5
    seed : int, default=0
        Shuffles the groups before they are dealt out; folds differ by at most one group.

    Yields
    ------
    train, test : ndarray of int

    Examples
    --------
    >>> from crosslabel.datasets.splits import group_folds
    >>> scenes = ["beach", "beach", "hall", "street"]
    >>> sorted(test.tolist() for train, test in group_folds(scenes, 3))
    [[0, 1], [2], [3]]
    """
    names, member = np.unique(np.asarray(groups), return_inverse=True)
    if not 2 <= n_folds <= len(names):
        raise ValueError(
            f"n_folds must lie between 2 and the number of groups, {len(names)}, but it is "
            f"{n_folds}."
        )
    fold_of_group = np.empty(len(names), dtype=np.intp)
    fold_of_group[np.random.default_rng(seed).permutation(len(names))] = (
        np.arange(len(names)) % n_folds
    )
    fold = fold_of_group[member]
    return ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds))


def earlier_later(y: ArrayLike, times: ArrayLike, part: float = 0.5) -> Split:
    """The earlier part of each class trains and the later tests; no moment is in both.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    times : array-like of shape (n_samples,)
        When each sample begins.
    part : float, default=0.5
        Wanted share of each class's samples in training; the cut falls between two moments.

    Returns
    -------
    train, test : ndarray of int

    Examples
    --------
    >>> from crosslabel.datasets.splits import earlier_later
    >>> train, test = earlier_later(["sea", "sea", "fire", "fire"], [3.0, 1.0, 0.0, 9.0])
    >>> train.tolist(), test.tolist()
    ([1, 2], [0, 3])
    """
    labels, moments = np.asarray(y), np.asarray(times)
    early = np.zeros(len(labels), dtype=bool)
    for label in np.unique(labels).tolist():
        members = labels == label
        distinct = np.unique(moments[members])
        if len(distinct) < 2:
            raise ValueError(f"Class {label!r} has one moment only: it has no later part.")
        shares = np.array([(moments[members] <= moment).mean() for moment in distinct[:-1]])
        early |= members & (moments <= distinct[np.abs(shares - part).argmin()])
    return np.flatnonzero(early), np.flatnonzero(~early)


def _drawn(labels: NDArray, quota: dict, repeats: int, seed: int) -> Iterator[Split]:
    for sequence in np.random.SeedSequence(seed).spawn(repeats):
        random = np.random.default_rng(sequence)
        train = np.concatenate(
            [random.permutation(np.flatnonzero(labels == c))[:n] for c, n in quota.items()]
        )
        mask = np.zeros(len(labels), dtype=bool)
        mask[train] = True
        yield np.flatnonzero(mask), np.flatnonzero(~mask)
