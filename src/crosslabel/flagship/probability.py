"""Decisions and probabilities of the flagship and of its cross-validated form."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from crosslabel.core.calibration import log_ratio, probabilities
from crosslabel.core.scaling import Array
from crosslabel.intake.devices import from_device, like
from crosslabel.intake.partitions import over_partitions
from crosslabel.methods.base import RepresentationClassifier


class ProbabilityMixin(RepresentationClassifier):
    """`predict_proba` where `probability=True`, and a decision that grows with it.

    A subclass sets `temperature_` when it is fitted with `probability=True`.
    """

    probability: bool
    temperature_: float

    def _two_class_decision(self, scores: Array) -> Array:
        return like(log_ratio(from_device(scores)), scores)

    def _probability_enabled(self) -> Literal[True]:
        if not self.probability:
            raise AttributeError("predict_proba needs probability=True before fit.")
        return True

    @available_if(_probability_enabled)
    @over_partitions
    def predict_proba(self, X: ArrayLike) -> Array:
        """Probability of each class, calibrated on held-out training samples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        scores = self._query_scores(X)
        return like(probabilities(from_device(scores), self.temperature_), scores)
