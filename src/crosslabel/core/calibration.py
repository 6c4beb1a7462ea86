"""Probabilities from scores, calibrated on held-out samples by one temperature."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from crosslabel.core.backend import beside, is_tensor
from crosslabel.core.moments import Labels
from crosslabel.core.rules.rule import evidence
from crosslabel.core.scaling import Array


def fit_temperature(scores: Array, labels: Labels, weights: Array) -> float:
    """min over t of the negative log-likelihood of softmax(t · evidence) on held-out samples.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        By models that have not seen the samples.
    labels : ndarray of int of shape (n_samples,)
    weights : ndarray of shape (n_samples,)

    Returns
    -------
    float
        1 where there is no sample to learn it from.
    """
    if len(labels) == 0:
        return 1.0
    logits, rows = evidence(scores), np.arange(len(labels))
    labels, shares = (beside(v, logits) for v in (labels, weights / weights.sum()))
    # Two extra samples at chance level bound the temperature where no sample is misclassified.
    prior = 2.0 / weights.sum()

    def loss(log_t: float) -> float:
        scaled = float(np.exp(log_t)) * logits
        logp = scaled.log_softmax(1) if is_tensor(scaled) else log_softmax(scaled, axis=1)
        return -float((logp[rows, labels] + prior * logp.mean(axis=1)) @ shares)

    return float(np.exp(minimize_scalar(loss, bounds=(-5.0, 8.0), method="bounded").x))
