"""One order for the same samples, however they come: what makes training blind to their order.

Rows are ordered by a hash of their bits. Integer arithmetic wraps exactly, so that a row's hash
depends on nothing but the row; a floating-point key would depend on where in memory the row lies.

A bounded sample of each class follows from it, the same for any order and any batching. The rank of
a sample is a seeded hash of its own bits, and a class keeps all that rank below a limit. The limit
falls when there would be too many: so a sample that belongs to the final selection was never left
out on the way, equal samples are joined, and one that is removed leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import ArrayOrTensor, beside, from_device
from crosslabel.core.moments import ImpossibleRemovalError, Labels
from crosslabel.core.scaling import Array

Words = NDArray[np.uint64]

_CHUNK = 2**16
"""Words hashed at a time: the integer products stay in cache."""

ODD = np.uint64(0x9E3779B97F4A7C15)
"""Set apart from the hash of any likely row."""

UNIT = 2.0**16
"""Keys count weights in this part of a sample, as integers, so that their sums are exact."""

NO_LIMIT = np.uint64(2**64 - 1)
"""Of the ranks of a class of which all samples are kept."""


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
    keys: Words
    hashes: Words
    classes: NDArray[np.intp]


def row_hashes(X: Array) -> Words:
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


def mixed(hashes: Words) -> Words:
    """Spread every input bit over the whole word, so that sums of hashes stay distinct."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(31))


def ranked(hashes: Words, seed: int) -> Words:
    """An order of samples that follows from their content and a seed."""
    return mixed(hashes ^ mixed(np.array([seed + 1], np.uint64)))


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


def sample_keys(hashes: Words, weights: Array) -> Words:
    """What samples add to the key of their class: a sample twice adds what a weight of two does.

    Sums of keys wrap and so depend neither on order nor on batches, and samples can leave them.
    """
    units = np.clip(np.rint(weights * UNIT), 1, 2.0**62).astype(np.uint64)
    # A row of zeros has the hash zero, and is a sample all the same.
    return mixed(hashes ^ ODD) * units


def key_sums(keys: Words, labels: Labels, n_classes: int) -> Words:
    """Key of each class: the sum of its samples' keys."""
    sums = np.zeros(n_classes, np.uint64)
    np.add.at(sums, labels, keys)
    return sums


def class_order(keys: Words, labels: Labels, n_classes: int) -> NDArray[np.intp]:
    """Classes by the sums of their samples' keys, which wrap and so depend on no order."""
    return np.argsort(key_sums(keys, labels, n_classes), kind="stable")


@dataclass(frozen=True, eq=False)
class KeptSample:
    """Distinct samples of a summary, at most `size` of each class; immutable.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features)
        Scaled samples.
    labels : ndarray of int of shape (n_kept,)
    weights : ndarray of shape (n_kept,)
        How often each was seen.
    hashes : ndarray of uint64 of shape (n_kept,)
        Of the samples as they were given.
    limits : ndarray of uint64 of shape (n_classes,)
        Samples of a class whose rank is not below this are left out.
    size : int
    seed : int
    """

    X: Array
    labels: Labels
    weights: NDArray[np.float64]
    hashes: Words
    limits: Words
    size: int
    seed: int

    @classmethod
    def empty(
        cls, n_features: int, dtype: np.dtype, size: int, seed: int, n_classes: int = 0
    ) -> KeptSample:
        """No samples yet."""
        X, labels = np.zeros((0, n_features), dtype), np.zeros(0, np.intp)
        hashes, limits = np.zeros(0, np.uint64), np.full(n_classes, NO_LIMIT)
        return cls(X, labels, np.zeros(0), hashes, limits, size, seed)

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Of which classes no sample was ever left out."""
        return self.limits == NO_LIMIT

    def ranks(self, hashes: Words) -> Words:
        """Where samples stand in the order in which they are kept."""
        return ranked(hashes, self.seed)

    def admits(self, labels: Labels, hashes: Words) -> NDArray[np.bool_]:
        """Which samples are to be kept, as far as the limits say."""
        return self.ranks(hashes) < self.limits[labels]

    def renumbered(self, places: NDArray[np.intp], n_classes: int) -> KeptSample:
        """The same sample with class c called places[c], among more classes."""
        limits = np.full(n_classes, NO_LIMIT)
        limits[places] = self.limits
        return self._with(labels=places[self.labels], limits=limits)

    def add(
        self,
        X: ArrayOrTensor,
        labels: Labels,
        weights: Array,
        hashes: Words,
        scale: Callable[[ArrayOrTensor], ArrayOrTensor] = lambda X: X,
    ) -> KeptSample:
        """The sample after these samples were seen too; only what is kept is scaled, comes home."""
        new = np.flatnonzero(self.admits(labels, hashes))
        new = new[self._places(labels[new], hashes[new]) <= self.size]
        if len(new) == 0:
            return self
        rows = from_device(scale(X[beside(new, X)]))
        other = self._with(X=rows, labels=labels[new], weights=weights[new], hashes=hashes[new])
        return self.merge(other)

    def _places(self, labels: Labels, hashes: Words) -> NDArray[np.intp]:
        """How many distinct samples of its class rank before each."""
        order = np.lexsort((self.ranks(hashes), labels))
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(hashes[order]) != 0) | (np.diff(labels[order]) != 0)
        count = np.cumsum(first) - 1
        begins = np.searchsorted(labels[order], labels[order])
        places = np.empty(len(order), np.intp)
        places[order] = count - count[begins]
        return places

    def merge(self, other: KeptSample) -> KeptSample:
        """The sample of both summaries together; classes are numbered alike."""
        limits = np.minimum(self.limits, other.limits)
        labels, weights, hashes = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("labels", "weights", "hashes")
        )
        ranks = self.ranks(hashes)
        order = np.lexsort((ranks, labels))
        order = order[ranks[order] < limits[labels[order]]]
        # Equal bits have equal hashes; different ones among so few have different ones.
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(hashes[order]) != 0) | (np.diff(labels[order]) != 0)
        groups = np.cumsum(first) - 1
        rows = order[first]
        joined = np.bincount(groups, weights[order], len(rows)).astype(np.float64)
        # The place of each row within its class; the first one too many sets the limit.
        begins = np.searchsorted(labels[rows], np.arange(len(limits)))
        place = np.arange(len(rows)) - begins[labels[rows]]
        over = place == self.size
        limits[labels[rows[over]]] = ranks[rows[over]]
        kept = rows[place < self.size]
        return self._with(
            X=_rows_of(self.X, other.X, kept),
            labels=labels[kept],
            weights=joined[place < self.size],
            hashes=hashes[kept],
            limits=limits,
        )

    def remove(self, labels: Labels, weights: Array, hashes: Words) -> KeptSample:
        """The sample as if these samples had never been seen; they leave a gap.

        Raises
        ------
        ImpossibleRemovalError
            If one that must be here is not, or not as often: it was never added.
        """
        left = self.weights.copy()
        here = zip(self.labels.tolist(), self.hashes.tolist())
        where = {key: place for place, key in enumerate(here)}
        for row in np.flatnonzero(self.admits(labels, hashes)):
            place = where.get((int(labels[row]), int(hashes[row])))
            if place is None or left[place] < weights[row] * (1 - 1e-9):
                raise ImpossibleRemovalError(
                    f"Sample {row} was to be removed, but no such sample of its class was added"
                    + (" that often." if place is not None else ".")
                )
            left[place] -= weights[row]
        return self._with(weights=left)._chosen(left > 1e-9 * self.weights)

    def classes(self, kept: NDArray[np.bool_]) -> KeptSample:
        """The sample of some classes, which are numbered anew."""
        numbers = np.cumsum(kept) - 1
        chosen = self._chosen(kept[self.labels])
        return chosen._with(labels=numbers[chosen.labels], limits=self.limits[kept])

    def _chosen(self, rows: NDArray[np.bool_]) -> KeptSample:
        names = ("X", "labels", "weights", "hashes")
        return self._with(**{name: getattr(self, name)[rows] for name in names})

    def _with(self, **changed: NDArray[np.generic]) -> KeptSample:
        return KeptSample(**{**self.__dict__, **changed})


def _rows_of(a: Array, b: Array, rows: NDArray[np.intp]) -> Array:
    """Rows of two arrays, one after the other, without joining them first."""
    if len(a) == 0:
        return b[rows]
    # Most come from a: they are copied at one go, and the few others put in their places.
    chosen = a.take(rows, axis=0, mode="clip")
    of_b = np.flatnonzero(rows >= len(a))
    chosen[of_b] = b[rows[of_b] - len(a)]
    return chosen
