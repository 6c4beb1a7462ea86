"""One order for the same samples, however they come: what makes training blind to their order.

Rows are ordered by a hash of their bits. Integer arithmetic wraps exactly, so that a row's hash
depends on nothing but the row; a floating-point key would depend on where in memory the row lies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array

_CHUNK = 2**16
"""Words hashed at a time: the integer products stay in cache."""

ODD = np.uint64(0x9E3779B97F4A7C15)
"""Set apart from the hash of any likely row."""

UNIT = 2.0**16
"""Keys count weights in this part of a sample, as integers, so that their sums are exact."""


class Canonical(NamedTuple):
    """Samples in canonical order, equal ones joined by adding their weights.

    Attributes
    ----------
    rows : ndarray of int of shape (n_distinct,)
        Which samples stand for all.
    labels : ndarray of int of shape (n_distinct,)
        Classes in canonical order: independent of how they are named.
    weights : ndarray of shape (n_distinct,)
    keys : ndarray of uint64 of shape (n_distinct,)
        What each sample adds to the key of its class; classes are ordered by their keys.
    hashes : ndarray of uint64 of shape (n_distinct,)
    classes : ndarray of int of shape (n_classes,)
        `classes[c]` is the original label of canonical class c.
    """

    rows: NDArray[np.intp]
    labels: Labels
    weights: NDArray[np.float64]
    keys: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    classes: NDArray[np.intp]


def row_hashes(X: Array) -> NDArray[np.uint64]:
    """64-bit hash of each row's values; equal rows have equal hashes.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Of float32 or float64.
    """
    # Two float32 values make one word where the row has an even number of them.
    whole = X.shape[1] * X.dtype.itemsize % 8 == 0
    bits = np.dtype(np.uint64 if whole else f"u{X.dtype.itemsize}")
    n_words = X.shape[1] * X.dtype.itemsize // bits.itemsize
    factors = mixed(np.arange(1, n_words + 1, dtype=np.uint64)) | np.uint64(1)
    hashes = np.empty(len(X), np.uint64)
    step = max(1, _CHUNK // max(1, n_words))
    for start in range(0, len(X), step):
        values = X[start : start + step] + X.dtype.type(0)  # turns −0 into 0, which equals it
        words = np.ascontiguousarray(values).view(bits).astype(np.uint64, copy=False)
        words ^= words >> np.uint64(29)
        words *= factors
        hashes[start : start + step] = words.sum(axis=1, dtype=np.uint64)
    return mixed(hashes)


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every input bit over the whole word, so that sums of hashes stay distinct."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(31))


def canonical(
    X: Array, labels: Labels, n_classes: int, sample_weight: Array | None = None
) -> Canonical:
    """Order samples by class and content, and join equal ones; samples of no weight are left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    labels : ndarray of int of shape (n_samples,)
    n_classes : int
    sample_weight : ndarray of shape (n_samples,), optional
    """
    weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    hashes = row_hashes(X)
    order = np.lexsort((hashes, labels))
    order = order[weights[order] > 0]
    first = np.ones(len(order), dtype=bool)
    alike = (np.diff(hashes[order]) == 0) & (np.diff(labels[order]) == 0)
    pairs = np.flatnonzero(alike)
    first[pairs + 1] = (X[order[pairs]] != X[order[pairs + 1]]).any(axis=1)
    groups = np.cumsum(first) - 1
    rows = order[first]
    joined = np.bincount(groups, weights[order], len(rows)).astype(np.float64)
    keys = sample_keys(hashes[order], weights[order])
    keys = np.add.reduceat(keys, np.flatnonzero(first)) if len(rows) else keys
    classes = class_order(keys, labels[rows], n_classes)
    ranks = np.argsort(classes)[labels[rows]]
    by_class = np.argsort(ranks, kind="stable")
    kept = rows[by_class]
    return Canonical(kept, ranks[by_class], joined[by_class], keys[by_class], hashes[kept], classes)


def sample_keys(hashes: NDArray[np.uint64], weights: Array) -> NDArray[np.uint64]:
    """What samples add to the key of their class: a sample twice adds what a weight of two does.

    Sums of keys wrap and so depend neither on order nor on batches, and samples can leave them.
    """
    units = np.clip(np.rint(weights * UNIT), 1, 2.0**62).astype(np.uint64)
    # A row of zeros has the hash zero, and is a sample all the same.
    return mixed(hashes ^ ODD) * units


def key_sums(keys: NDArray[np.uint64], labels: Labels, n_classes: int) -> NDArray[np.uint64]:
    """Key of each class: the sum of its samples' keys."""
    sums = np.zeros(n_classes, np.uint64)
    np.add.at(sums, labels, keys)
    return sums


def class_order(keys: NDArray[np.uint64], labels: Labels, n_classes: int) -> NDArray[np.intp]:
    """Classes by the sums of their samples' keys, which wrap and so depend on no order."""
    return np.argsort(key_sums(keys, labels, n_classes), kind="stable")
