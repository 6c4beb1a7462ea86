"""Samples on a disk or on a cluster become a summary, in one pass over them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, column_or_1d

from crosslabel.core.scaling import Array
from crosslabel.intake import passes, sources
from crosslabel.intake.checking import check_classes, checked_weights
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.partitions import DaskCollection, absorb_partitions, samples_like
from crosslabel.intake.summary import Summary

PROBE = 512
"""Rows, spread over all, from which a pass sees what the samples are like before it begins."""

READING = "reading samples"
"""Name of the bar of a pass."""

Begin = Callable[[Array], Summary]
"""From some rows to a summary without samples."""


class Opened(NamedTuple):
    """Samples on disk with their labels, checked.

    Attributes
    ----------
    source : Source
    classes : ndarray of shape (n_classes,)
    codes : ndarray of int of shape (n_rows,)
        Places of the labels in `classes`.
    weights : ndarray of shape (n_rows,) or None
    """

    source: sources.Source
    classes: ClassLabels
    codes: NDArray[np.intp]
    weights: NDArray[np.float64] | None

    def rows(self, rows: NDArray[np.intp]) -> Array:
        """Samples by their numbers, in ascending order: those that lie together at one go."""
        block = np.empty((len(rows), self.source.shape[1]), self.source.dtype)
        edges = [0, *(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows)]
        for a, b in pairwise(edges):
            block[a:b] = self.source.read(int(rows[a]), int(rows[b - 1]) + 1)
        return block


def opened(estimator: BaseEstimator, X: sources.OnDisk, y: object, sample_weight: object) -> Opened:
    """Samples, labels and weights as `sources` reads them; the estimator gets `n_features_in_`."""
    source, targets = sources.open_source(X), column_or_1d(sources.read_labels(y))
    n_rows, n_features = source.shape
    if n_rows != len(targets):
        raise ValueError(f"X has {n_rows} rows, but y has {len(targets)} labels.")
    if n_rows == 0:
        raise ValueError("X has no rows; there is nothing to learn from.")
    check_classification_targets(targets)
    estimator.n_features_in_ = n_features
    given = sources.read_weights(sample_weight)
    weights = None if given is None else checked_weights(given, n_rows)
    return Opened(source, *np.unique(targets, return_inverse=True), weights)


def begin_of_dask(estimator: BaseEstimator, X: DaskCollection, begin: Begin) -> Summary:
    """A summary without samples; the estimator gets number and names of the features."""
    few = samples_like(X)
    _check_feature_names(estimator, few, reset=True)
    estimator.n_features_in_ = few.shape[1]
    wide = np.asarray(few).dtype != np.float32
    return begin(np.empty((0, few.shape[1]), float if wide else np.float32))


def summary_of_dask(X: DaskCollection, y: object, sample_weight: object, empty: Summary) -> Summary:
    """The summary of Dask collections."""
    summary = absorb_partitions(X, y, sample_weight, empty)
    check_classes(summary.classes)
    return summary


def summary_of_pass(
    samples: Opened,
    begin: Begin,
    *,
    memory_limit: int,
    checkpoint: str | os.PathLike[str] | None,
    verbose: int,
) -> tuple[Summary, passes.Checkpoint | None]:
    """The summary of samples on disk, and the checkpoint to remove when all is done.

    Parameters
    ----------
    samples : Opened
    begin : callable
    memory_limit, checkpoint, verbose
        As of `CrossLabelClassifier`.
    """
    source, classes, codes, weights = samples
    empty, mark = begin(source.probe(PROBE)), None
    if checkpoint is not None:
        text = source.fingerprint(classes[codes]) + _settings_text(empty, weights)
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        mark = passes.Checkpoint(Path(checkpoint), fingerprint, empty.lift)
    summary = passes.run(
        source,
        codes,
        weights,
        empty,
        memory_limit=memory_limit,
        checkpoint=mark,
        progress=READING if verbose else None,
    )
    return passes.named(summary, classes), mark


def _settings_text(empty: Summary, weights: NDArray[np.float64] | None) -> str:
    """What a checkpoint must agree in beside the data: lift, kept sample and weights."""
    lift = {name: np.asarray(value).tolist() for name, value in empty.lift.to_state().items()}
    text = repr((sorted(lift.items()), empty.sample.size, empty.sample.seed))
    return text if weights is None else text + hashlib.sha256(weights.data).hexdigest()
