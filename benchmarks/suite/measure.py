"""One method on one split: accuracy, log loss, calibration, time; and how it tells the unknown."""

from __future__ import annotations

import time
import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import normalize

from benchmarks.suite.rivals import scaler
from crosslabel.datasets.splits import Split

Array = NDArray[np.floating]
Labels = NDArray[np.intp]
BINS = 15
"""Intervals of confidence, as is usual for the expected calibration error."""
LEAST = 1e-15
"""The least probability that a log loss is taken of, as scikit-learn's."""


def quality(model: BaseEstimator, X: Array, y: Labels, split: Split) -> dict[str, float]:
    """What a model of the training part does on the rest."""
    train, test = split
    with warnings.catch_warnings():
        # A rival that stops at its default number of iterations is what its users get.
        warnings.simplefilter("ignore", ConvergenceWarning)
        started = time.perf_counter()
        model.fit(X[train], y[train])
        seconds = time.perf_counter() - started
    truth = y[test]
    if not hasattr(model, "predict_proba"):
        return {"accuracy": float(np.mean(model.predict(X[test]) == truth)), "seconds": seconds}
    chances = model.predict_proba(X[test])
    position = np.searchsorted(model.classes_, truth)
    own = chances[np.arange(len(truth)), position]
    return {
        "accuracy": float(np.mean(model.predict(X[test]) == truth)),
        "log_loss": float(-np.log(np.maximum(own, LEAST)).mean()),
        "ece": calibration_error(chances, position),
        "seconds": seconds,
    }


def calibration_error(chances: Array, truth: Labels) -> float:
    """Σ over bins of |hits − confidence| / n, for bins of equal width in confidence."""
    confidence, hit = chances.max(axis=1), chances.argmax(axis=1) == truth
    interval = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(np.abs(np.bincount(interval, hit - confidence, BINS)).sum() / len(truth))


def strangers(y: Labels, split: Split, seed: int) -> tuple[Labels, Labels, Labels]:
    """Rows that train, rows of known classes that test, and those of a fifth of the classes."""
    classes = np.unique(y)
    count = max(1, round(len(classes) / 5))
    unknown = np.random.default_rng(seed).permutation(classes)[:count]
    is_new = np.isin(y, unknown)
    train, test = split
    return train[~is_new[train]], test[~is_new[test]], test[is_new[test]]


def auroc(known: Array, new: Array) -> float:
    """Chance that a stranger scores higher than a sample of a known class."""
    return float(roc_auc_score(np.repeat([0, 1], [len(known), len(new)]), np.r_[known, new]))


def novelty(model: BaseEstimator, X: Array, y: Labels, split: Split, seed: int) -> float:
    """AUROC of the model's `novelty_score`, a fifth of the classes unknown."""
    train, known, new = strangers(y, split, seed)
    model.fit(X[train], y[train])
    return auroc(model.novelty_score(X[known]), model.novelty_score(X[new]))


def distances(X: Array, y: Labels, kind: str, split: Split, seed: int) -> dict[str, float]:
    """AUROC of what keeps the training samples: the distance to the nearest one, and LOF."""
    train, known, new = strangers(y, split, seed)
    scaled = scaler(kind).fit(X[train]).transform(X)
    # Features of a table have unlike units: their norm means nothing before they are scaled.
    raw = scaled if kind == "table" else X
    rows = {"nearest, unit norm": normalize(raw), "nearest, scaled": scaled}
    found = {}
    for name, Z in rows.items():
        nearest = NearestNeighbors(n_neighbors=1).fit(Z[train])
        found[name] = auroc(*(nearest.kneighbors(Z[part])[0][:, 0] for part in (known, new)))
        outlier = LocalOutlierFactor(novelty=True, n_neighbors=min(20, len(train) - 1))
        outlier.fit(Z[train])
        label = name.replace("nearest", "LOF")
        found[label] = auroc(*(-outlier.score_samples(Z[part]) for part in (known, new)))
    return found
