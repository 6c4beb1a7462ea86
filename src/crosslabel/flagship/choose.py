"""Lift, rule, ridge, shrinkage, weights and temperature, chosen together by held-out log loss.

Every lift gets its best joint rule: dictionary and discriminant, with the weights of
`core.joint`. The lifts are then averaged by their losses, in the space of scores: some dozens of
samples cannot tell lifts apart, and share the weight; some hundreds leave one. Kernels join only
where the average is better with them by more than one standard error of the difference, because
linear atoms can be looked at. A fold decides which lifts are worth the other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.joint import log_losses, shares, temperature
from crosslabel.core.moments import Labels
from crosslabel.core.ordering import canonical, mixed
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.flagship.choice import Choice, Member
from crosslabel.flagship.lifts import lift_named, lifts
from crosslabel.flagship.problem import Settings
from crosslabel.flagship.race import Candidate, Grid, Runner, ahead, race, race_kernels, samples_of
from crosslabel.intake.checking import Training
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary

RIDGES = (0.01, 0.1, 0.5, 2.0)
GLOBAL_RIDGES = (0.01,)
"""One that is near the paper's 0.008: each costs a factorisation of all features."""
GLOBAL_RULES = ("global-residual", "global-length")
"""Rules by one code over all atoms that a rotation of the atoms leaves alone."""
SHRINKAGES = (0.01, 0.1, 1.0, 10.0)
N_FOLDS = 5
RATE = 0.3
"""How sharply losses choose between lifts."""
NEGLIGIBLE = 0.01
"""Share of the average below which a lift is left out."""
MOST = 2500
"""Samples that choose, at most: beyond, more would cost time and change nothing."""
USUAL_RIDGE, USUAL_SHARE = 0.1, 10.0
"""What does well on average, where no sample can be held out."""


@dataclass(frozen=True)
class Wish:
    """What a user names, and what is left to the choice; names as of `CrossLabelClassifier`."""

    settings: Settings
    rule: str = "auto"
    ridge: Literal["auto"] | float = "auto"
    shrinkage: Literal["auto"] | float = "auto"
    scale: str = "auto"
    offset: Literal["auto"] | float = "auto"
    kernel: str | Callable[[Array, Array], Array] = "auto"
    n_landmarks: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything is left to the choice of held-out samples."""
        return self.rule not in RULES or self.ridge == "auto"

    def grid(self) -> Grid:
        """What is tried in every lift."""
        ridges = RIDGES if self.ridge == "auto" else (float(self.ridge),)
        wide = GLOBAL_RIDGES if self.ridge == "auto" and self.rule not in RULES else ridges
        shrinkages = SHRINKAGES if self.shrinkage == "auto" else (float(self.shrinkage),)
        most = int(np.max(self.settings.atoms_per_class))
        if self.rule not in RULES:
            return Grid(ridges, wide, GLOBAL_RULES, shrinkages, most)
        if self.rule == "local":
            return Grid(ridges, (), (), (), most)
        # The l1 mass depends on the rotation of atoms, which folds do not make: the length does as
        # well.
        stand_in = self.rule if self.rule in GLOBAL_RULES else "global-length"
        return Grid((), ridges, (stand_in,), (), most)


class Distinct(NamedTuple):
    """Distinct samples of each class, in an order that depends on their content alone."""

    X: Array
    labels: Labels
    weights: NDArray[np.float64]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, training: Training) -> Distinct:
        """Of valid training samples."""
        order = canonical(training.X, training.labels, len(training.classes), training.weights)
        labels = order.classes[order.labels]
        return cls(training.X[order.rows], labels, order.weights, order.hashes)

    @classmethod
    def kept(cls, summary: Summary) -> Distinct:
        """Of the lifted samples that a summary keeps."""
        sample = summary.sample
        return cls(sample.X, sample.labels, sample.weights, sample.hashes)

    def some(self, most: int, seed: int) -> Distinct:
        """At most about so many, drawn from each class alike by their content."""
        ranks = mixed(self.hashes ^ mixed(np.array([seed + 1], np.uint64)))
        order = np.lexsort((ranks, self.labels))
        counts = np.bincount(self.labels)
        place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        limit = max(2 * N_FOLDS, most // max(1, np.count_nonzero(counts)))
        chosen = order[place < limit]
        return Distinct(*(part[chosen] for part in self))

    def folds(self) -> Labels:
        """Stratified folds of samples in the order of `some`; −1 for a class's only sample."""
        counts = np.bincount(self.labels)
        n_folds = int(np.clip(counts[counts > 1].min(initial=N_FOLDS), 2, N_FOLDS))
        starts = np.cumsum(counts) - counts
        # Each class begins with another fold, so that the folds are of one size.
        place = np.arange(len(self.labels)) - starts[self.labels] + self.labels
        return np.where(counts[self.labels] > 1, place % n_folds, -1)


def choose(samples: Distinct, wish: Wish, candidates: Mapping[str, Lift] | None = None) -> Choice:
    """Members whose average has the lowest held-out log loss.

    Parameters
    ----------
    samples : Distinct
    wish : Wish
    candidates : mapping of Lift, optional
        Lifts that are tried; those of the wish if not given.
    """
    if not wish.is_open:
        lift = lift_named(samples.X, samples.weights, wish)
        return named_choice(wish, lift if candidates is None else next(iter(candidates.values())))
    some = samples.some(MOST, wish.settings.seed)
    tried = dict(lifts(some.X, some.weights, wish) if candidates is None else candidates)
    fold = some.folds()
    if not (fold >= 0).any() or some.labels.max(initial=0) == 0:
        return named_choice(wish, next(iter(tried.values())))
    found, scores = _raced(some, tried, fold, wish.grid())
    members = tuple(_member(one, tried, wish, samples, len(some.X)) for one in found)
    return Choice(members, scores, float(samples.weights.sum()))


def named_choice(wish: Wish, lift: Lift) -> Choice:
    """What was named, or does well on average where nothing can be held out."""
    ridge = USUAL_RIDGE if wish.ridge == "auto" else float(wish.ridge)
    settings = replace(wish.settings, ridge=ridge)
    if wish.rule in RULES:
        return Choice((Member(lift, settings, wish.rule, None),))
    return Choice((Member(lift, settings, "local", USUAL_SHARE),))


class Average(NamedTuple):
    """Candidates with their shares at the temperature of their average, and its logits."""

    settings: list
    logits: Array


def _raced(
    samples: Distinct, tried: Mapping[str, Lift], fold: Labels, grid: Grid
) -> tuple[list, dict[str, float]]:
    labels = samples.labels
    judged = np.where(fold < 0, 0, samples.weights)

    def runners(kernels: bool) -> list[Runner]:
        return [
            Runner(name, samples_of(lift, samples.X, labels, fold, samples.weights), grid)
            for name, lift in tried.items()
            if (lift.kernel is not None) == kernels
        ]

    straight = runners(kernels=False)
    linear = race(straight) if straight else []
    curved = race_kernels(runners(kernels=True), linear)
    chosen = average(linear or curved, labels, judged)
    if linear and curved:
        wider = average([*linear, *curved], labels, judged)
        gain = log_losses(chosen.logits, labels) - log_losses(wider.logits, labels)
        if ahead(gain, judged) > 1:
            chosen = wider
    scores = {one.setting.lift: _accuracy(one.logits, labels, judged) for one in linear + curved}
    return chosen.settings, scores


def average(found: Sequence[Candidate], labels: Labels, weights: Array) -> Average:
    """The candidates, each with its share, at the temperature of their average."""
    losses = np.array([weights @ one.losses for one in found])
    part = shares(losses, RATE)
    part = np.where(part < NEGLIGIBLE, 0, part)
    part /= part.sum()
    mixture = np.sum([share * one.logits for share, one in zip(part, found)], axis=0)
    sharpness, _ = temperature(mixture, labels, weights)
    kept = [
        replace(
            one.setting,
            dictionary_weight=one.setting.dictionary_weight * share * sharpness,
            discriminant_weight=one.setting.discriminant_weight * share * sharpness,
        )
        for share, one in sorted(zip(part, found), key=lambda pair: -pair[0])
        if share > 0
    ]
    return Average(kept, sharpness * mixture)


def _member(
    setting, tried: Mapping[str, Lift], wish: Wish, samples: Distinct, n_chosen: int
) -> Member:
    """A setting as a view to be learnt from all samples."""
    lift = tried[setting.lift]
    width = lift(samples.X[:1]).shape[1] if lift.kernel is None else len(samples.X)
    shrinkage = setting.shrinkage
    if shrinkage is not None:
        # The folds reckon with tr(W) over the dimensions that samples can span.
        shrinkage *= width / min(width, n_chosen)
    rule = wish.rule if wish.rule in RULES else setting.rule
    return Member(
        lift,
        replace(wish.settings, ridge=setting.ridge),
        rule,
        setting.dictionary_weight,
        shrinkage,
        setting.discriminant_weight,
    )


def _accuracy(logits: Array, labels: Labels, weights: Array) -> float:
    return float(np.average(logits.argmax(axis=1) == labels, weights=weights))
