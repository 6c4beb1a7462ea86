"""Learn from samples that are not in memory: by a summary of them all, or class by class.

A summary goes on as a stream. One of very many classes with few samples each would hold all of
them, twice over: where it does not fit, classes are read and learnt some at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosslabel.flagship.by_class import ClassSource, part_freely, train_by_class
from crosslabel.flagship.choose import named_choice
from crosslabel.flagship.progress import Progress
from crosslabel.intake.checking import check_several
from crosslabel.intake.class_weights import weighed_pass
from crosslabel.intake.disk import (
    PROBE,
    READING,
    Opened,
    opened,
    summary_of_dask,
    summary_of_pass,
)
from crosslabel.intake.partitions import DaskCollection, is_dask
from crosslabel.intake.sources import OnDisk
from crosslabel.progress_bar import progress_bar

if TYPE_CHECKING:
    from crosslabel.flagship.crosslabel import CrossLabelClassifier


def fit_from_disk(
    model: CrossLabelClassifier, X: OnDisk | DaskCollection, y: object, sample_weight: object
) -> CrossLabelClassifier:
    """`fit` for samples on a disk or on a cluster."""
    bare, checkpoint = model._bare(), None
    weights = weighed_pass(model.class_weight, X, y, sample_weight)
    if is_dask(X):
        summary = summary_of_dask(bare, X, y, weights, model._empty_summary)
    else:
        samples = opened(bare, X, y, weights)
        if _goes_by_class(model, samples):
            return _fit_by_class(model, bare, samples)
        summary, checkpoint = summary_of_pass(
            samples,
            model._empty_summary,
            memory_limit=model.memory_limit,
            checkpoint=model.checkpoint,
            verbose=model.verbose,
        )
    check_several(model, summary.classes, "there is")
    model._adopt(bare, *model._learnt_on(bare, summary))
    if checkpoint:
        checkpoint.remove()
    return model


def _goes_by_class(model: CrossLabelClassifier, samples: Opened) -> bool:
    """Whether a summary may be done without, and would take more than the limit."""
    if model.checkpoint is not None or not part_freely(model._wish(0), model.keep_summary):
        return False
    width, counts = samples.source.shape[1], np.bincount(samples.codes).astype(float)
    statistics = 8 * np.minimum(counts, width).sum() * width
    kept = samples.source.dtype.itemsize * np.minimum(counts, model._kept()).sum() * width
    return bool(statistics + kept > model.memory_limit)


def _fit_by_class(
    model: CrossLabelClassifier, bare: CrossLabelClassifier, samples: Opened
) -> CrossLabelClassifier:
    """The model of named settings, without a summary."""
    source, classes, labels, weights = samples
    if weights is None:
        weights = np.ones(len(labels))
    heavy = np.flatnonzero(weights > 0)
    seen, labels = np.unique(labels[heavy], return_inverse=True)
    check_several(model, classes[seen], "there is")
    empty = model._empty_summary(source.probe(PROBE))
    every = len(heavy) == len(weights)
    parts = ClassSource(
        samples.rows if every else lambda rows: samples.rows(heavy[rows]),
        classes[seen],
        labels,
        weights[heavy],
        empty,
    )
    choice = named_choice(model._wish(empty.sample.seed), empty.lift)
    with (
        Progress(bare, empty.sample.X, labels[:0], model.max_iter) as progress,
        progress_bar(READING if model.verbose else None, len(labels)) as advance,
    ):
        fitted = train_by_class(parts, choice, model.memory_limit, progress.iteration, advance)
        return model._adopt(bare, None, model._raised(fitted))
