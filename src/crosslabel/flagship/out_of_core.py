"""Learn from samples on disk, from a cluster, or from statistics alone; predict over partitions."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, column_or_1d

from crosslabel.flagship.incremental import IncrementalMixin
from crosslabel.flagship.stream_training import order_keys
from crosslabel.intake import passes, sources
from crosslabel.intake.partitions import (
    absorb_partitions,
    is_dask,
    over_partitions,
    samples_like,
)
from crosslabel.intake.sample import KeptSample
from crosslabel.intake.statistics import ClassStatistics, checked_weights
from crosslabel.intake.summary import Stream
from crosslabel.methods.base import RepresentationClassifier


class OutOfCoreMixin(IncrementalMixin):
    """`fit` in one pass over what is not in memory, and `fit_statistics`."""

    _last_dictionary: Any

    predict = over_partitions(RepresentationClassifier.predict)
    decision_function = over_partitions(RepresentationClassifier.decision_function)

    def fit_statistics(self, statistics: ClassStatistics) -> Self:
        """Learn from statistics alone, for example of several sites: no sample is needed.

        Without a dictionary as `init`, atoms start from the principal directions of each class.

        Parameters
        ----------
        statistics : ClassStatistics

        Returns
        -------
        self
        """
        self._validate_params()
        if self.rule == "auto" or self.probability:
            raise ValueError(
                "Statistics hold no samples to choose the rule or to calibrate probabilities on. "
                "Use rule='local' or rule='global', and probability=False."
            )
        if statistics.normalized != self.normalize:
            raise ValueError(
                f"The statistics are of samples with normalize={statistics.normalized}, but the "
                f"classifier has normalize={self.normalize}."
            )
        self._draw_seed()
        self.n_features_in_ = statistics.n_features
        empty = self._empty_stream(statistics.means)
        limits = np.zeros(len(statistics.classes), np.uint64)  # no sample of theirs is kept
        sample = KeptSample(**{**empty.sample.__dict__, "limits": limits})
        self._adopt(Stream(statistics, sample, order_keys(statistics)), statistics.classes)
        self._declared, self._grown = statistics.classes[:0], True
        self._check_several()
        return self._solve_stream(None)

    def _fit_pass(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn from samples that are not in memory."""
        self._draw_seed()
        self._declared, self._grown = np.zeros(0), False
        checkpoint = None
        if is_dask(X):
            like = samples_like(X)
            _check_feature_names(self, like, reset=True)
            self.n_features_in_ = like.shape[1]
            wide = np.asarray(like).dtype != np.float32
            empty = self._empty_stream(np.empty((0, like.shape[1]), float if wide else np.float32))
            # The bound method of a bare copy: the model itself stays here.
            scale = type(self)(normalize=self.normalize)._scaled_in_place
            stream = absorb_partitions(X, y, sample_weight, empty, scale)
            check_classification_targets(stream.classes)
        else:
            stream, checkpoint = self._read_source(X, y, sample_weight)
        self._adopt(stream, stream.classes)
        self._check_several()
        training, layout = self._stream_problem()
        self._solve_stream(self._last_dictionary(training, layout))
        if checkpoint:
            checkpoint.remove()
        return self

    def _read_source(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Stream, passes.Checkpoint | None]:
        """The stream of samples on disk, and the checkpoint to remove when all is done."""
        source, targets = sources.open_source(X), column_or_1d(sources.read_labels(y))
        n_rows, self.n_features_in_ = source.shape
        if n_rows != len(targets):
            raise ValueError(f"X has {n_rows} rows, but y has {len(targets)} labels.")
        if n_rows == 0:
            raise ValueError("X has no rows; there is nothing to learn from.")
        check_classification_targets(targets)
        given = sources.read_weights(sample_weight)
        weights = None if given is None else checked_weights(given, n_rows)
        classes, codes = np.unique(targets, return_inverse=True)
        empty = self._empty_stream(np.empty((0, source.shape[1]), source.dtype))
        checkpoint = None
        if self.checkpoint is not None:
            settings = (self.normalize, empty.sample.size, empty.sample.seed, str(given is None))
            text = repr(settings) + source.fingerprint(targets)
            if weights is not None:
                text += hashlib.sha256(weights.data).hexdigest()
            print_ = hashlib.sha256(text.encode()).hexdigest()
            checkpoint = passes.Checkpoint(Path(self.checkpoint), print_)
        stream = passes.run(
            source,
            codes,
            weights,
            empty,
            self._scaled_in_place,
            memory_limit=self.memory_limit,
            checkpoint=checkpoint,
            progress="reading samples" if self.verbose else None,
        )
        return passes.named(stream, classes), checkpoint

    def _check_several(self) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes, but there is one "
                f"class only: {self.classes_.tolist()}."
            )
