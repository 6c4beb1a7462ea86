"""Dask partitions become summaries of blocks of classes, where they lie.

The labels are read first: they say which partitions hold samples of which classes. Then each
partition becomes one piece for each block of classes that it has samples of, and the pieces of a
block meet where its classes are learnt: no process needs the statistics of all classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel.core.backend import beside
from crosslabel.intake.labels import ClassLabels, places, union
from crosslabel.intake.partitions import (
    DaskCollection,
    labels_of,
    merged,
    part_of,
    partitions_of,
    weights_of,
)
from crosslabel.intake.summary import Summary

if TYPE_CHECKING:
    from dask.delayed import Delayed


@dataclass(frozen=True, eq=False)
class ClassPartitions:
    """Partitions of samples, and what their labels say.

    Attributes
    ----------
    parts : sequence of tuple of Delayed
        Samples, labels and, where they are given, weights of each partition.
    classes : ndarray of shape (n_classes,)
        Labels of samples that have a weight.
    counts : ndarray of int of shape (n_classes,)
        How many samples of each.
    total : float
        The sum of all weights.
    present : sequence of ndarray of int
        Places in `classes` of those that each partition has, ascending.
    """

    parts: Sequence[tuple[Delayed, ...]]
    classes: ClassLabels
    counts: NDArray[np.intp]
    total: float
    present: Sequence[NDArray[np.intp]]

    @classmethod
    def of(cls, X: DaskCollection, y: object, sample_weight: object) -> Self:
        """Of Dask collections that are partitioned alike; their labels are computed."""
        import dask

        parts, count = partitions_of(X, y, sample_weight), dask.delayed(_counted)
        found = dask.compute([count(*part[1:]) for part in parts])[0]
        classes = reduce(union, [labels for labels, _, _ in found])
        present = [places(labels, classes) for labels, _, _ in found]
        counts = np.zeros(len(classes), np.intp)
        for here, (_, numbers, _) in zip(present, found):
            counts[here] += numbers
        return cls(parts, classes, counts, float(sum(total for *_, total in found)), present)

    def summaries(self, block: NDArray[np.intp], empty: Summary) -> list[Delayed]:
        """The summary of each block of classes, to be computed.

        Parameters
        ----------
        block : ndarray of int of shape (n_classes,)
            In which block each class is, from zero; −1 for one that is not asked for.
        empty : Summary
            Without samples; says type and settings.
        """
        import dask

        cut = dask.delayed(_pieces)
        pieces: list[list[Delayed]] = [[] for _ in range(int(block.max()) + 1)]
        for number, (part, present) in enumerate(zip(self.parts, self.present)):
            here = block[present]
            wanted = np.unique(here[here >= 0]).tolist()
            if wanted:
                found = cut(number, empty, here, *part)
                for place, k in enumerate(wanted):
                    pieces[k].append(found[place])
        return [merged(each) for each in pieces]


def _counted(
    y: ArrayLike, weights: ArrayLike | None = None
) -> tuple[ClassLabels, NDArray[np.intp], float]:
    """Labels of one partition, how many samples have each, and all their weight."""
    targets = labels_of(y)
    given = weights_of(weights, len(targets))
    return *np.unique(targets[given > 0], return_counts=True), float(given.sum())


def _pieces(
    number: int, empty: Summary, blocks: NDArray[np.intp], *part: ArrayLike
) -> list[Summary]:
    """Of one partition the summary of each block; runs on a worker.

    Parameters
    ----------
    number : int
        Of the partition.
    empty : Summary
    blocks : ndarray of int of shape (n_present,)
        Of the classes that it has, in their order.
    part : array-like
        Samples, labels and weights.
    """
    X, targets, weights = part_of(number, empty.dtype, *part)
    heavy = np.flatnonzero(weights > 0)
    seen, numbers = np.unique(targets[heavy], return_inverse=True)
    if len(seen) != len(blocks):
        raise ValueError(
            f"Partition {number} has {len(seen)} classes, but had {len(blocks)} when its labels "
            "were first read. Use partitions that are the same whenever they are computed, or "
            "persist them."
        )
    of_row, found = blocks[numbers], []
    for k in np.unique(blocks[blocks >= 0]).tolist():
        rows = heavy[of_row == k]
        found.append(empty.absorb(X[beside(rows, X)], targets[rows], weights[rows]))
    return found
