"""The probability of each class for every training sample, by models that have not seen it.

These are the fold scores that choose a model's settings, here of every sample: some whole classes
choose the lift and the rule, then all folds are scored in that lift by that rule.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.flagship.choose import Distinct, grid_of
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.lifts import LiftPlan, lifts
from crosslabel.flagship.problem import Settings
from crosslabel.flagship.race import CLEARLY, DISCRIMINANT, LOCAL, Runner, ahead
from crosslabel.flagship.wish import Wish

FEW = 250
"""Samples that choose lift, rule and ridge: the whole classes that this holds, at least two."""
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
    """Probabilities in the lift and by the rule of lowest held-out log loss.

    Parameters
    ----------
    distinct : Distinct
    seed : int
        Draws the folds.
    """
    wish = Wish(Settings(ATOMS, seed=seed), kernel="linear")
    fold, some = distinct.folds(seed), whole_classes(distinct.labels)
    plans = lifts(distinct.X, distinct.weights, wish)
    runners = [
        # A code over all atoms costs a factorisation of all features, and is left out.
        _run(
            Runner(name, _lifted(distinct, plan, fold, some), grid_of(wish), {LOCAL, DISCRIMINANT})
        )
        for name, plan in plans.items()
    ]
    best = min(runners, key=_loss)
    if len(some) < len(fold):
        best = _run(_with_one_rule(best, distinct, plans[best.name], fold))
    held_out = _held_out(best.samples)
    chances = np.full((len(fold), best.samples.n_classes), np.nan)
    chances[held_out] = softmax(_logits(best, held_out), axis=1)
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


def whole_classes(labels: Labels) -> Labels:
    """Samples of the first classes, as many as choose a lift and a rule.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        Class by class, in an order that does not depend on their names.
    """
    ends = np.flatnonzero(np.diff(labels, append=-1)) + 1
    most = max(2, int(np.searchsorted(ends, FEW, side="right")))
    return np.arange(ends[most - 1])


def _lifted(distinct: Distinct, plan: LiftPlan, fold: Labels, some: Labels) -> Samples:
    labels = np.unique(distinct.labels[some], return_inverse=True)[1]
    # A matrix that is factorised needs double precision.
    rows = plan.lift(distinct.X[some]).astype(np.float64, copy=False)
    return Samples(rows, labels, fold[some], distinct.weights[some])


def _held_out(samples: Samples) -> Labels:
    return np.flatnonzero(samples.fold >= 0)


def _run(runner: Runner) -> Runner:
    for number in np.unique(runner.samples.fold[_held_out(runner.samples)]).tolist():
        runner.run(number)
    return runner


def _loss(runner: Runner) -> float:
    rows = _held_out(runner.samples)
    return float(runner.samples.weights[rows] @ runner.candidate(rows).losses)


def _with_one_rule(chooser: Runner, distinct: Distinct, plan: LiftPlan, fold: Labels) -> Runner:
    """All samples, to be scored by the local rule, unless the discriminant is clearly better."""
    rows = _held_out(chooser.samples)
    local, _, losses = chooser.best({LOCAL}, rows)
    linear, _, others = chooser.best({DISCRIMINANT}, rows)
    if ahead(losses - others, chooser.samples.weights[rows]) > CLEARLY:
        every = _lifted(distinct, plan, fold, np.arange(len(fold)))
        grid = replace(chooser.grid, shrinkages=(linear.value,))
        return Runner(chooser.name, every, grid, {DISCRIMINANT})
    # Products of all pairs at once take half as long as those of each fold with the others; of
    # these nothing is factorised but small blocks, so that single precision is enough.
    lifted = plan.lift(distinct.X)
    paired = Samples(lifted, distinct.labels, fold, distinct.weights, _products)
    _ = paired.gram
    return Runner(chooser.name, paired, replace(chooser.grid, ridges=(local.value,)), {LOCAL})


def _products(some: Array, others: Array) -> Array:
    return some @ others.T


def _logits(runner: Runner, rows: Labels) -> Array:
    """Of the joint rule, or of the one rule that was run."""
    if len(runner.rules) > 1:
        return runner.candidate(rows).logits
    (rule,) = runner.rules
    kind, sharpness, _ = runner.best({rule}, rows)
    return sharpness * runner.scores[kind][rows]
