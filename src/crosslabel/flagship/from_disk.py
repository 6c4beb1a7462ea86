"""Learn from samples that are not in memory: by a summary of them all, or class by class.

A summary goes on as a stream. One of very many classes with few samples each would hold all of
them, twice over: where it does not fit, classes are read and learnt some at a time. In partitions
classes that are problems of their own are learnt where their samples lie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from crosslabel.flagship.by_class import ClassSource, train_by_class
from crosslabel.flagship.by_task import train_by_task
from crosslabel.flagship.choose import named_choice
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.problem import Wish
from crosslabel.flagship.progress import Progress
from crosslabel.intake.checking import check_classes, check_several
from crosslabel.intake.class_partitions import ClassPartitions
from crosslabel.intake.disk import (
    PROBE,
    READING,
    Begin,
    Opened,
    begin_of_dask,
    opened,
    summary_of_dask,
    summary_of_pass,
)
from crosslabel.intake.partitions import DaskCollection, is_dask
from crosslabel.intake.passes import Checkpoint
from crosslabel.intake.sources import OnDisk
from crosslabel.intake.summary import Summary
from crosslabel.progress_bar import progress_bar


class Pass(NamedTuple):
    """What a pass over all samples gives.

    Attributes
    ----------
    summary : Summary or None
        None where it would not fit.
    checkpoint : Checkpoint or None
        To remove when all is done.
    fitted : Fitted or None
        The model, where it is learnt already.
    """

    summary: Summary | None = None
    checkpoint: Checkpoint | None = None
    fitted: Fitted | None = None


def from_disk(
    model: BaseEstimator,
    X: OnDisk | DaskCollection,
    y: object,
    weights: object,
    begin: Begin,
    kept: int,
) -> Pass:
    """What is to be learnt from; or the model itself, where each class is learnt by itself.

    Parameters
    ----------
    model : CrossLabelClassifier
        Gets `n_features_in_` and `feature_names_in_`.
    X, y, weights
        On disk as `sources` reads them, or Dask collections.
    begin : callable
    kept : int
        Samples of a class that a summary keeps.
    """
    parts_classes = Wish.of(model, 0).parts_classes
    if is_dask(X):
        empty = begin_of_dask(model, X, begin)
        if parts_classes:
            return _by_task(model, ClassPartitions.of(X, y, weights), empty, kept)
        return Pass(summary_of_dask(X, y, weights, empty))
    samples = opened(model, X, y, weights)
    free = parts_classes and not model.keep_summary and model.checkpoint is None
    source, counts = samples.source, np.bincount(samples.codes)
    size = _summary_bytes(counts, source.shape[1], source.dtype, kept)
    if free and size > model.memory_limit:
        return Pass(fitted=_by_class(model, samples, begin))
    settings = {name: getattr(model, name) for name in ("memory_limit", "checkpoint", "verbose")}
    return Pass(*summary_of_pass(samples, begin, **settings))


def _summary_bytes(counts: NDArray[np.intp], n_features: int, dtype: np.dtype, kept: int) -> float:
    """What statistics and kept samples would take."""
    statistics = 8.0 * np.minimum(counts, n_features).sum() * n_features
    return statistics + dtype.itemsize * float(np.minimum(counts, kept).sum()) * n_features


def _by_task(model: BaseEstimator, parts: ClassPartitions, empty: Summary, kept: int) -> Pass:
    """The model of named settings by tasks, and its summary where that fits or is asked for."""
    check_classes(parts.classes)
    check_several(model, parts.classes, "there is")
    size = _summary_bytes(parts.counts, empty.statistics.n_features, empty.dtype, kept)
    keeps = model.keep_summary or size <= model.memory_limit
    choice = named_choice(Wish.of(model, empty.sample.seed), empty.lift)
    with Progress(model, empty.sample.X, parts.classes[:0]) as progress:
        fitted, summary = train_by_task(
            parts, choice, empty, model.memory_limit, progress.iteration, keeps=keeps
        )
    return Pass(summary, fitted=fitted)


def _by_class(model: BaseEstimator, samples: Opened, begin: Begin) -> Fitted:
    """The model of named settings, without a summary."""
    source, classes, labels, given = samples
    weights = np.ones(len(labels)) if given is None else given
    heavy = np.flatnonzero(weights > 0)
    seen, labels = np.unique(labels[heavy], return_inverse=True)
    check_several(model, classes[seen], "there is")
    empty = begin(source.probe(PROBE))
    parts = ClassSource(
        lambda rows: samples.rows(heavy[rows]), classes[seen], labels, weights[heavy], empty
    )
    choice = named_choice(Wish.of(model, empty.sample.seed), empty.lift)
    with (
        Progress(model, empty.sample.X, labels[:0]) as progress,
        progress_bar(READING if model.verbose else None, len(labels)) as advance,
    ):
        return train_by_class(parts, choice, model.memory_limit, progress.iteration, advance)
