"""Lifts race over the folds: who is clearly behind after one fold does not run the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crosslabel.core.joint import fit_weights, log_losses, shares, spread, temperature
from crosslabel.core.scaling import Array
from crosslabel.core.statistics import Labels
from crosslabel.flagship.held_out import (
    Samples,
    discriminants,
    global_evidence,
    local_evidence,
)
from crosslabel.flagship.lift import Lift, squared_distances

GLOBAL_RIDGE = 0.01
"""The ridge that the global rule is tried with: near the paper's 0.008."""
PULL = 10.0
"""Samples that the average of dictionary and discriminant is worth, when their weights are set."""
RATE = 0.1
"""How sharply losses choose between dictionary and discriminant in that average."""
CLEARLY = 2.0
"""Standard errors by which a lift must be behind after a fold to be left out of the others."""
ENOUGH = 100
"""Samples in the first fold from which on this can be told."""


@dataclass(frozen=True)
class Setting:
    """One lift's joint rule; immutable.

    Its logits are dictionary_weight · evidence + discriminant_weight · g.

    Attributes
    ----------
    lift : str
    rule : str
        "local" or "global".
    mass : str
        Of the global rule: "none" or "l2".
    n_atoms : int
        Of a class, which has no more than samples.
    ridge, shrinkage : float
        The shrinkage is of tr(W)/min(n_features, n_samples).
    dictionary_weight, discriminant_weight : float
    """

    lift: str
    rule: str
    mass: str
    n_atoms: int
    ridge: float
    shrinkage: float
    dictionary_weight: float
    discriminant_weight: float


@dataclass(frozen=True)
class Candidate:
    """A lift's best joint rule, its held-out logits and losses, and those of its dictionary."""

    setting: Setting
    logits: Array
    losses: Array
    dictionary_losses: Array


@dataclass(frozen=True)
class Grid:
    """What is tried in every lift."""

    ridges: Sequence[float]
    shrinkages: Sequence[float]
    n_atoms: int

    @property
    def local(self) -> list[tuple[int, float]]:
        """Numbers of atoms and ridges of the local rule."""
        return [(self.n_atoms, ridge) for ridge in self.ridges]


@dataclass
class Runner:
    """A lift in the race: its scores, filled fold by fold."""

    name: str
    samples: Samples
    grid: Grid
    local: Array = field(init=False)
    linear: Array = field(init=False)
    whole: dict[str, Array] = field(init=False)

    def __post_init__(self) -> None:
        shape = (len(self.samples.labels), self.samples.n_classes)
        self.local = np.zeros((len(self.grid.ridges), *shape))
        self.linear = np.zeros((len(self.grid.shrinkages), *shape))
        self.whole = {}

    def run_dictionary(self, number: int) -> None:
        """The local rule on one fold."""
        rows = self.samples.left_out(number)
        axes = self.samples.axes(number, self.grid.n_atoms)
        self.local[:, rows] = local_evidence(self.samples, number, axes, self.grid.local)

    def run_discriminant(self, number: int) -> None:
        """The discriminant on one fold."""
        rows = self.samples.left_out(number)
        self.linear[:, rows] = discriminants(self.samples, number, self.grid.shrinkages)

    def run_global(self, number: int) -> None:
        """The global rule on one fold."""
        rows, ridge = self.samples.left_out(number), GLOBAL_RIDGE
        axes = self.samples.axes(number, self.grid.n_atoms)
        found = global_evidence(self.samples, number, axes, self.grid.n_atoms, ridge)
        for mass, scores in found.items():
            self.whole.setdefault(mass, np.zeros(self.local.shape[1:]))[rows] = scores

    def losses(self, rows: Labels, kinds: Sequence[Array]) -> Array:
        """Losses of these samples by the best score of the kinds, at its own temperature."""
        labels, weights = self.samples.labels[rows], self.samples.weights[rows]
        scores = [one[rows] for kind in kinds for one in kind]
        tried = [temperature(one, labels, weights) for one in scores]
        best = min(range(len(tried)), key=lambda place: tried[place][1])
        return log_losses(tried[best][0] * scores[best], labels)

    def candidate(self) -> Candidate:
        """The best dictionary and discriminant, joined."""
        labels, weights = self.samples.labels, self.samples.weights
        dictionaries = {("local", "none", r): s for r, s in zip(self.grid.ridges, self.local)}
        dictionaries |= {("global", mass, GLOBAL_RIDGE): s for mass, s in self.whole.items()}
        linear = dict(zip(self.grid.shrinkages, self.linear))
        (rule, mass, ridge), t, t_loss = _best(dictionaries, labels, weights)
        shrinkage, u, u_loss = _best(linear, labels, weights)
        pair = np.stack([dictionaries[rule, mass, ridge], linear[shrinkage]])
        scale = np.array([spread(scores) for scores in pair])
        part = shares(weights.sum() * np.array([t_loss, u_loss]), RATE)
        joined = fit_weights(
            pair / scale[:, None, None], labels, weights, start=part * scale * [t, u], pull=PULL
        )
        joined = joined / scale
        logits = np.tensordot(joined, pair, 1)
        a, b = joined.tolist()
        setting = Setting(self.name, rule, mass, self.grid.n_atoms, ridge, shrinkage, a, b)
        by_dictionary = log_losses(t * dictionaries[rule, mass, ridge], labels)
        return Candidate(setting, logits, log_losses(logits, labels), by_dictionary)


def _best(scores: Mapping, labels: Labels, weights: Array) -> tuple:
    """The key of the score with the lowest loss, with its temperature and that loss."""
    tried = {key: temperature(one, labels, weights) for key, one in scores.items()}
    key = min(tried, key=lambda name: tried[name][1])
    return key, *tried[key]


def samples_of(lift: Lift, X: Array, labels: Labels, fold: Labels, weights: Array) -> Samples:
    """Inner products of the samples in the lift's space, exact for kernels too."""
    rows = lift.scaled(X)
    if not lift.gamma:
        return Samples(rows @ rows.T, labels, fold, weights, rows)
    return Samples(np.exp(-lift.gamma * squared_distances(rows, rows)), labels, fold, weights)


def ahead(gain: Array, weights: Array) -> float:
    """Mean of paired differences over its standard error; zero where all are equal."""
    mean = np.average(gain, weights=weights)
    error = np.sqrt(np.average((gain - mean) ** 2, weights=weights) / len(gain))
    return float(mean / error) if error > 0 else 0.0


def race(runners: Sequence[Runner]) -> list[Candidate]:
    """Candidates of the lifts that are not clearly behind after the first fold.

    The global rule is tried where the race ends.
    """
    numbers = np.unique(runners[0].samples.fold).tolist()
    first = runners[0].samples.left_out(numbers[0])
    left = list(runners)
    for runner in left:
        runner.run_dictionary(numbers[0])
        runner.run_discriminant(numbers[0])
    if len(left) > 1 and len(first) >= ENOUGH:
        losses = {r.name: r.losses(first, [r.local, r.linear]) for r in left}
        leader = min(losses.values(), key=np.mean)
        weights = left[0].samples.weights[first]
        left = [r for r in left if ahead(losses[r.name] - leader, weights) <= CLEARLY]
    for runner in left:
        for number in numbers[1:]:
            runner.run_dictionary(number)
            runner.run_discriminant(number)
        for number in numbers:
            runner.run_global(number)
    return [runner.candidate() for runner in left]


def race_kernels(runners: Sequence[Runner], linear: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of the kernels whose local rule is not behind that of the linear lifts."""
    bar = min((one.dictionary_losses for one in linear), key=np.mean)
    found = []
    for runner in runners:
        numbers = np.unique(runner.samples.fold).tolist()
        first = runner.samples.left_out(numbers[0])
        runner.run_dictionary(numbers[0])
        if len(first) >= ENOUGH:
            behind = runner.losses(first, [runner.local]) - bar[first]
            if ahead(behind, runner.samples.weights[first]) > 1:
                continue
        for number in numbers[1:]:
            runner.run_dictionary(number)
        for number in numbers:
            runner.run_discriminant(number)
        found.append(runner.candidate())
    return found
