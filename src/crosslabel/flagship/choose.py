"""Lift, rule, ridge, shrinkage, weights and temperature, chosen together by held-out log loss.

Every lift gets its best joint rule: dictionary and discriminant, with the weights of
`core.joint`. The lifts are then averaged by their losses, in the space of scores: some dozens of
samples cannot tell lifts apart, and share the weight; some hundreds leave one. Kernels join only
where the average is better with them by more than one standard error of the difference, because
linear atoms can be looked at. A fold decides which lifts are worth the other folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosslabel.core.joint import log_losses, shares, temperature
from crosslabel.core.scaling import Array
from crosslabel.core.statistics import Labels
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.lift import Lift, lifts
from crosslabel.flagship.race import (
    Candidate,
    Grid,
    Runner,
    Setting,
    ahead,
    folds_to_run,
    race,
    race_kernels,
)

RIDGES = (0.01, 0.1, 0.5, 2.0)
SHRINKAGES = (0.01, 0.1, 1.0, 10.0)
ATOMS = 30
RATE = 0.3
"""How sharply losses choose between lifts."""
NEGLIGIBLE = 0.01
"""Share of the average below which a lift is left out."""


@dataclass(frozen=True)
class Choice:
    """What was chosen: the logits of a query are the sums over the settings; immutable.

    Attributes
    ----------
    settings : tuple of Setting
        The weights hold the shares of the average and the temperature.
    loss : float
        Mean held-out log loss.
    held_out : ndarray of int
        Samples that the loss is of.
    logits : ndarray of shape (n_held_out, n_classes)
        Of each of these, by models that have not seen it.
    """

    settings: tuple[Setting, ...]
    loss: float
    held_out: Labels
    logits: Array


def choose(
    X: Array,
    labels: Labels,
    fold: Labels,
    *,
    weights: Array | None = None,
    candidates: Mapping[str, Lift] | None = None,
    ridges: Sequence[float] = RIDGES,
    shrinkages: Sequence[float] = SHRINKAGES,
    n_atoms: int = ATOMS,
) -> Choice:
    """Settings whose average has the lowest held-out log loss.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    labels : ndarray of int of shape (n_samples,)
        Every class has samples in two folds at least.
    fold : ndarray of int of shape (n_samples,)
        Which fold leaves a sample out. The order of the samples does not matter.
    weights : ndarray of shape (n_samples,), optional
    candidates : mapping of Lift, optional
        Those worth a try; all of `lifts` if not given.
    ridges, shrinkages : sequence of float
    n_atoms : int

    Returns
    -------
    Choice
    """
    mass = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    tried = dict(lifts(X) if candidates is None else candidates)
    grid = Grid(ridges, shrinkages, n_atoms)
    field = []
    for name, lift in tried.items():
        own = Samples(lift.scaled(X), labels, fold, mass, lift.gamma)
        rules = {"local", "discriminant"} if lift.gamma else {"local", "global", "discriminant"}
        field.append(Runner(name, own, grid, rules))
    linear = [runner for runner in field if not tried[runner.name].gamma]
    kernels = [runner for runner in field if tried[runner.name].gamma]
    numbers = folds_to_run(fold)
    rows = np.flatnonzero(np.isin(fold, numbers))
    found = [runner.candidate(rows) for runner in race(linear, numbers)]
    chosen = average(found, rows, labels, mass)
    curved = [runner.candidate(rows) for runner in race_kernels(kernels, linear, numbers)]
    if not curved:
        return chosen
    wider = average([*found, *curved], rows, labels, mass)
    gain = log_losses(chosen.logits, labels[rows]) - log_losses(wider.logits, labels[rows])
    return wider if ahead(gain, mass[rows]) > 1 else chosen


def average(found: Sequence[Candidate], rows: Labels, labels: Labels, weights: Array) -> Choice:
    """The candidates, each with its share, at the temperature of their average."""
    losses = np.array([weights[rows] @ one.losses for one in found])
    part = shares(losses, RATE)
    part = np.where(part < NEGLIGIBLE, 0, part)
    part /= part.sum()
    mixed = sum(share * one.logits for share, one in zip(part, found))
    sharpness, loss = temperature(mixed, labels[rows], weights[rows])
    kept = tuple(
        replace(
            one.setting,
            dictionary_weight=one.setting.dictionary_weight * share * sharpness,
            discriminant_weight=one.setting.discriminant_weight * share * sharpness,
        )
        for share, one in zip(part, found)
        if share > 0
    )
    return Choice(kept, loss, rows, sharpness * mixed)
