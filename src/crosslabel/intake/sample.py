"""A bounded sample of each class of a summary, the same for any order and any batching.

Each sample has a rank: a seeded hash of its own bits. The sample of a class is all that rank below
a limit, and the limit falls when there would be too many. So a sample that belongs to the final
selection was never left out on the way, equal samples are joined, and one that is removed leaves
nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.moments import ImpossibleRemovalError, Labels
from crosslabel.core.ordering import mixed
from crosslabel.core.scaling import Array

Words = NDArray[np.uint64]

NO_LIMIT = np.uint64(2**64 - 1)


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
    def empty(cls, n_features: int, dtype: np.dtype, size: int, seed: int) -> KeptSample:
        """No samples of no classes."""
        none, labels = np.zeros(0, np.uint64), np.zeros(0, np.intp)
        X = np.zeros((0, n_features), dtype)
        return cls(X, labels, np.zeros(0), none, none, size, seed)

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Of which classes no sample was ever left out."""
        return self.limits == NO_LIMIT

    def ranks(self, hashes: Words) -> Words:
        """Where samples stand in the order in which they are kept."""
        return mixed(hashes ^ mixed(np.array([self.seed + 1], np.uint64)))

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
        X: Array,
        labels: Labels,
        weights: Array,
        hashes: Words,
        scale: Callable[[Array], Array] = lambda X: X,
    ) -> KeptSample:
        """The sample after these samples were seen too; only those that are kept are scaled."""
        new = np.flatnonzero(self.admits(labels, hashes))
        new = new[self._places(labels[new], hashes[new]) <= self.size]
        if len(new) == 0:
            return self
        other = self._with(
            X=scale(X[new]), labels=labels[new], weights=weights[new], hashes=hashes[new]
        )
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
