"""Settings are judged by a scorer, fold by fold, and ranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import get_scorer

from crosslabel.core.scaling import Array
from crosslabel.flagship.answers import HeldOut
from crosslabel.flagship.grid import Setting

EQUAL = 12
"""Digits of mean scores that count: settings equal up to rounding are equal."""


def judged(
    held_out: HeldOut,
    grid: Sequence[Setting],
    scoring: str | Callable[..., float] | None,
    weighted: bool,
) -> Array:
    """The score of each setting on each fold, (n_settings, n_folds).

    Parameters
    ----------
    held_out : HeldOut
    grid : sequence of Setting
    scoring : str, callable or None
        As scikit-learn's; None for accuracy.
    weighted : bool
        Whether the scorer is given the samples' weights.
    """
    X, classes, labels, weights = held_out.training
    scorer: Callable[..., float] | None = None
    if scoring not in (None, "accuracy"):
        scorer = get_scorer(scoring)
    scores = np.empty((len(grid), len(held_out.splits)))
    for place, setting in enumerate(grid):
        for k, (answers, (_, test)) in enumerate(zip(held_out.answers(setting), held_out.splits)):
            if scorer is None:
                right = answers.scores.argmax(axis=1) == labels[test]
                scores[place, k] = np.average(right, weights=weights[test])
                continue
            known = {"sample_weight": weights[test]} if weighted else {}
            scores[place, k] = scorer(answers, X[test], classes[labels[test]], **known)
    return scores


class Results(NamedTuple):
    """`cv_results_` and the place of the best setting."""

    table: dict[str, Any]
    best: int


def results(grid: Sequence[Setting], scores: Array) -> Results:
    """The scores of each setting on each fold as scikit-learn lists them; the best comes first.

    Raises
    ------
    ValueError
        If no setting has a score.
    """
    means = scores.mean(axis=1)
    if np.isnan(means).all():
        raise ValueError("The scorer gave NaN for every setting; give another as scoring.")
    # A setting without a score is the last of all.
    height = np.where(np.isnan(means), -np.inf, np.round(means, EQUAL))
    table = {
        "params": [setting.parameters for setting in grid],
        "mean_test_score": means,
        "std_test_score": scores.std(axis=1),
        "rank_test_score": rankdata(-height, method="min").astype(np.int32),
        "split_test_score": scores,
    }
    columns = {f"split{k}_test_score": column.copy() for k, column in enumerate(scores.T)}
    return Results({**table, **columns}, int(height.argmax()))
