"""Learn from samples that are not in memory: by a summary of them all, or class by class.

A summary goes on as a stream. One of very many classes with few samples each would hold all of
them, twice over: where it does not fit, classes are read and learnt some at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from crosslabel.flagship.by_class import ClassSource, train_by_class
from crosslabel.flagship.choose import named_choice
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.problem import Wish
from crosslabel.flagship.progress import Progress
from crosslabel.intake.checking import check_several
from crosslabel.intake.disk import (
    PROBE,
    READING,
    Begin,
    Opened,
    opened,
    summary_of_dask,
    summary_of_pass,
)
from crosslabel.intake.partitions import DaskCollection, is_dask
from crosslabel.intake.passes import Checkpoint
from crosslabel.intake.sources import OnDisk
from crosslabel.intake.summary import Summary
from crosslabel.progress_bar import progress_bar

Wishing = Callable[[int], Wish]
"""From a seed to what the user names."""


class Pass(NamedTuple):
    """The summary of all samples, and the checkpoint to remove when all is done."""

    summary: Summary
    checkpoint: Checkpoint | None = None


def from_disk(
    model: BaseEstimator,
    X: OnDisk | DaskCollection,
    y: object,
    weights: object,
    begin: Begin,
    wishing: Wishing,
    kept: int,
) -> Pass | Fitted:
    """What is to be learnt from; or the model itself, where its summary would not fit.

    Parameters
    ----------
    model : CrossLabelClassifier
        Gets `n_features_in_` and `feature_names_in_`.
    X, y, weights
        On disk as `sources` reads them, or Dask collections.
    begin : callable
    wishing : callable
    kept : int
        Samples of a class that a summary keeps.
    """
    if is_dask(X):
        return Pass(summary_of_dask(model, X, y, weights, begin))
    samples = opened(model, X, y, weights)
    free = wishing(0).parts_classes and not model.keep_summary and model.checkpoint is None
    if free and _summary_bytes(samples, kept) > model.memory_limit:
        return _by_class(model, samples, begin, wishing)
    settings = {name: getattr(model, name) for name in ("memory_limit", "checkpoint", "verbose")}
    return Pass(*summary_of_pass(samples, begin, **settings))


def _summary_bytes(samples: Opened, kept: int) -> float:
    """What statistics and kept samples would take."""
    width, counts = samples.source.shape[1], np.bincount(samples.codes).astype(float)
    statistics = 8 * np.minimum(counts, width).sum() * width
    return statistics + samples.source.dtype.itemsize * np.minimum(counts, kept).sum() * width


def _by_class(model: BaseEstimator, samples: Opened, begin: Begin, wishing: Wishing) -> Fitted:
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
    choice = named_choice(wishing(empty.sample.seed), empty.lift)
    with (
        Progress(model, empty.sample.X, labels[:0], model.max_iter) as progress,
        progress_bar(READING if model.verbose else None, len(labels)) as advance,
    ):
        return train_by_class(parts, choice, model.memory_limit, progress.iteration, advance)
