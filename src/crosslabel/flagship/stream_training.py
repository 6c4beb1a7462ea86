"""From a stream to a training set, whose sample starts the dictionary, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.ordering import key_sums, sample_keys
from crosslabel.core.scaling import Array
from crosslabel.flagship.training import TrainingSet
from crosslabel.intake.statistics import ClassStatistics
from crosslabel.intake.summary import Stream


def stream_of(training: TrainingSet, classes: NDArray[Any], empty: Stream) -> Stream:
    """The stream of a training set in memory, as if it had come in batches.

    Parameters
    ----------
    training : TrainingSet
        With the hashes of its samples.
    classes : ndarray
        Labels of the classes.
    empty : Stream
        Says how many samples are kept, and which.
    """
    named, numbers = training.named_statistics, training.classes[training.labels]
    each = list(zip(named.counts, named.means, named.scatters))
    statistics = ClassStatistics.of_moments(classes, each, empty.statistics.normalized)
    keys = key_sums(training.keys, numbers, len(classes))
    none = empty.sample.renumbered(np.zeros(0, np.intp), len(classes))
    assert training.hashes is not None
    sample = none.add(training.X, numbers, training.weights, training.hashes)
    return Stream(statistics, sample, keys)


def training_set(stream: Stream, n_directions: int) -> TrainingSet:
    """The kept sample in canonical order, with the statistics of all samples.

    A class of which no sample is kept is represented by its principal directions.
    """
    sample, statistics = stream.sample, stream.statistics.moments.astype(stream.dtype)
    X, found = [sample.X], [sample.labels]
    weights, hashes = [sample.weights], [sample.hashes]
    for c in np.flatnonzero(np.bincount(sample.labels, minlength=len(stream.keys)) == 0):
        n, mean, scatter = stream.statistics.moments.by_class()[c]
        rows = _principal_directions(np.vstack([np.sqrt(n) * mean, scatter.factor()]), n_directions)
        X.append(rows.astype(stream.dtype))
        found.append(np.full(len(rows), c))
        weights.append(np.full(len(rows), n / len(rows)))
        hashes.append(np.arange(len(rows), dtype=np.uint64))
    classes = np.argsort(stream.keys, kind="stable")
    numbers, bits = np.argsort(classes)[np.concatenate(found)], np.concatenate(hashes)
    order, mass = np.lexsort((bits, numbers)), np.concatenate(weights)
    return TrainingSet(
        np.concatenate(X)[order],
        numbers[order],
        mass[order],
        sample_keys(bits, mass)[order],
        classes,
        known=statistics.reordered(classes),
    )


def _principal_directions(rows: Array, n_directions: int) -> Array:
    """Leading unit-norm directions of the second moment of rows, as many as it has."""
    _, energies, axes = np.linalg.svd(rows, full_matrices=False)
    rank = int((energies > energies.max(initial=0.0) * 1e-10).sum())
    return axes[: max(1, min(n_directions, rank))]


def order_keys(statistics: ClassStatistics) -> NDArray[np.uint64]:
    """A key of each class from its statistics, where there are no samples: by count, then mean."""
    order = np.lexsort((statistics.means[:, 0], statistics.counts))
    return np.argsort(order).astype(np.uint64)
