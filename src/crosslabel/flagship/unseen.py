"""The probability of each class for every training sample, by models that have not seen it.

These are the fold scores that choose a model's settings, here of every sample: some whole classes
choose the lift, then all folds are scored in that lift.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.flagship.choice import Candidate
from crosslabel.flagship.choose import Distinct, grid_of
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.lifts import LiftPlan, lifts
from crosslabel.flagship.problem import Settings, Wish
from crosslabel.flagship.race import DISCRIMINANT, LOCAL, Runner, candidates, left_out_by, run_fold

FEW = 300
"""Samples that choose a lift: the whole classes that this holds, at least two."""
FOLDS = 2
"""That these leave out, where they are not all samples."""
SHORT = 256
"""Features up to which the discriminant has a say, where there are more samples than choose."""
RIDGES = (0.1, 0.5, 2.0)
"""Without the smallest that a classifier tries: atoms of wrong labels must not fit too closely."""
ATOMS = 30
"""Of a class: the default of the classifier."""


class Unseen(NamedTuple):
    """What models that have not seen the samples say of them.

    Attributes
    ----------
    chances : ndarray of shape (n_samples, n_classes)
        NaN for the only sample of a class, which no model without it knows.
    samples : Samples
        In the lift in which they were scored.
    """

    chances: Array
    samples: Samples


def by_fold_scores(distinct: Distinct, seed: int) -> Unseen:
    """Probabilities in the lift of lowest held-out log loss.

    Parameters
    ----------
    distinct : Distinct
    seed : int
        Draws the folds.
    """
    wish = Wish(Settings(ATOMS, seed=seed), kernel="linear")
    fold, n_some = distinct.folds(seed), whole_classes(distinct.labels)
    is_part = n_some < len(fold)
    # The discriminant costs factorisations of all features, in double precision.
    joint = not is_part or distinct.X.shape[1] <= SHORT
    rules = {LOCAL, DISCRIMINANT} if joint else {LOCAL}
    left_out = np.where(fold < FOLDS, fold, -1) if is_part else fold
    plans = lifts(distinct.X, distinct.weights, wish)
    few, grid = _part(distinct, left_out, n_some), replace(grid_of(wish), ridges=RIDGES)
    tried = [
        _run(Runner(name, _lifted(few, plan, joint), grid, set(rules)))
        for name, plan in plans.items()
    ]
    best = min(tried, key=_loss)
    if is_part:
        every = _lifted(_part(distinct, fold, len(fold)), plans[best.name], joint)
        best = _run(Runner(best.name, every if joint else _paired(every), grid, rules))
    held_out = _held_out(best.samples)
    chances = np.full((len(fold), best.samples.n_classes), np.nan)
    chances[held_out] = softmax(_candidate(best).logits, axis=1)
    return Unseen(chances, best.samples)


def by_models(distinct: Distinct, seed: int) -> Array:
    """Probabilities by a classifier for each fold, trained on the statistics of the others.

    For samples that are too many for the products of all pairs.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    fold = distinct.folds(seed)
    chances = np.full((len(fold), int(distinct.labels.max()) + 1), np.nan)
    for number in range(int(fold.max()) + 1):
        rest, out = fold != number, fold == number
        model = CrossLabelClassifier(kernel="linear", random_state=seed)
        model.fit(distinct.X[rest], distinct.labels[rest], distinct.weights[rest])
        chances[out] = model.predict_proba(distinct.X[out])
    return chances


def whole_classes(labels: Labels) -> int:
    """How many samples choose a lift: those of the first classes.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        Class by class, in an order that does not depend on their names.
    """
    ends = np.flatnonzero(np.diff(labels, append=-1)) + 1
    most = max(2, int(np.searchsorted(ends, FEW, side="right")))
    return int(ends[most - 1])


def _part(distinct: Distinct, fold: Labels, size: int) -> Samples:
    """The first samples before their lift, with classes counted from zero."""
    labels = np.unique(distinct.labels[:size], return_inverse=True)[1]
    return Samples(distinct.X[:size], labels, fold[:size], distinct.weights[:size])


def _lifted(samples: Samples, plan: LiftPlan, double: bool) -> Samples:
    rows = plan.lift(samples.scaled)
    return replace(samples, scaled=rows.astype(np.float64, copy=False) if double else rows)


def _paired(samples: Samples) -> Samples:
    """The same samples with all their products, which take half as long found at once."""
    found = replace(samples, kernel=_products)
    _ = found.gram
    return found


def _products(some: Array, others: Array) -> Array:
    return some @ others.T


def _held_out(samples: Samples) -> Labels:
    return left_out_by(samples.fold, np.unique(samples.fold[samples.fold >= 0]))


def _run(runner: Runner) -> Runner:
    for number in np.unique(runner.samples.fold[runner.samples.fold >= 0]).tolist():
        run_fold([runner], number)
    return runner


def _candidate(runner: Runner) -> Candidate:
    (found,) = candidates([runner], _held_out(runner.samples))
    return found


def _loss(runner: Runner) -> float:
    weights = runner.samples.weights[_held_out(runner.samples)]
    return float(weights @ _candidate(runner).losses)
