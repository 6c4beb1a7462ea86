"""Lift, rule, ridge, atoms, shrinkage, weights, temperature: chosen together by held-out log loss.

Every lift gets its best joint rule: dictionary and discriminant, with the weights of
`core.joint`. The lifts are then averaged by their losses, in the space of scores: some dozens of
samples cannot tell lifts apart, and share the weight; some hundreds leave one. Kernels join only
where the average is better with them by more than one standard error of the difference, because
linear atoms can be looked at. A fold decides which lifts are worth the other folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import (
    ArrayOrTensor,
    dtype_of,
    from_device,
    in_float64,
    one_thread,
)
from crosslabel.core.discriminant import Contrasts, Discriminant
from crosslabel.core.joint import log_losses, shares
from crosslabel.core.moments import Labels
from crosslabel.core.ordering import canonical, ranked
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.flagship.choice import Candidate, Choice, Grid, JointSetting, Member
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.lifts import LiftPlan, carried, lifts
from crosslabel.flagship.problem import Wish
from crosslabel.flagship.race import (
    DISCRIMINANT,
    GLOBAL,
    LOCAL,
    Runner,
    Tell,
    ahead,
    candidates,
    folds_to_run,
    left_out_by,
    race,
    race_kernels,
    silent,
    temperatures,
)
from crosslabel.intake.checking import Training
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary

RIDGES = (0.01, 0.1, 0.5, 2.0)
GLOBAL_RIDGES = (0.01,)
"""One that is near the paper's 0.008: each costs a factorisation of all features."""
GLOBAL_RULES = ("global-residual", "global-length")
"""Rules by one code over all atoms that a rotation of the atoms leaves alone."""
SHRINKAGES = (0.01, 0.1, 1.0, 10.0)
MORE_ATOMS = (60, 120)
"""Tried beside the usual number where a class has that many samples to train with in a fold."""
N_FOLDS = 5
RATE = 0.3
"""How sharply losses choose between lifts."""
NEGLIGIBLE = 0.01
"""Share of the average below which a lift is left out."""
MOST = 2500
"""Samples that choose, at most: beyond, more would cost time and change nothing."""
FEW, DRAWINGS = 150, 3
"""Samples up to which folds are drawn several times, and how often."""
MOST_LIFTS = 6
"""That are tried: four linear ones and two kernels."""
USUAL_RIDGE, USUAL_SHARE = 0.1, 10.0
"""What does well on average, where no sample can be held out."""


def grid_of(wish: Wish, n_samples: int = 0) -> Grid:
    """What is tried in every lift, with so many samples of a usual class in a fold's training."""
    ridges = RIDGES if wish.ridge == "auto" else (float(wish.ridge),)
    wide = GLOBAL_RIDGES if wish.ridge == "auto" and wish.rule not in RULES else ridges
    shrinkages = SHRINKAGES if wish.shrinkage == "auto" else (float(wish.shrinkage),)
    rules: tuple[str, ...] = GLOBAL_RULES
    if wish.rule in RULES:
        # The l1 mass depends on the rotation of atoms, which folds do not make; the length
        # stands in for it.
        rules = (wish.rule,) if wish.rule in GLOBAL_RULES else ("global-length",)
    more = [k for k in MORE_ATOMS if k <= n_samples] if wish.tries_atoms else []
    n_atoms = (int(np.max(wish.settings.atoms_per_class)), *more)
    return Grid(ridges, wide, rules, shrinkages, n_atoms)


def kinds_of(wish: Wish, plan: LiftPlan) -> set[str]:
    """Kinds of scores that race in a lift."""
    if wish.rule in RULES:
        return {LOCAL if wish.rule == LOCAL else GLOBAL}
    # A code over all atoms of a kernel costs more than it has ever gained.
    return {LOCAL, DISCRIMINANT} if plan.kernel else {LOCAL, GLOBAL, DISCRIMINANT}


class Distinct(NamedTuple):
    """Distinct samples of each class, in an order that depends on their content alone."""

    X: ArrayOrTensor
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
        order = np.lexsort((ranked(self.hashes, seed), self.labels))
        counts = np.bincount(self.labels)
        limit = max(2 * N_FOLDS, most // max(1, int(np.count_nonzero(counts))))
        starts = np.cumsum(counts) - counts
        chosen = order[np.arange(len(order)) - starts[self.labels[order]] < limit]
        return Distinct(
            self.X[chosen], self.labels[chosen], self.weights[chosen], self.hashes[chosen]
        )

    def folds(self, seed: int) -> Labels:
        """Stratified folds by the content of the samples; −1 for a class's only sample."""
        ranks, counts = ranked(self.hashes, seed), np.bincount(self.labels)
        order = np.lexsort((ranks, self.labels))
        starts = np.cumsum(counts) - counts
        n_folds = int(np.clip(counts[counts > 1].min(initial=N_FOLDS), 2, N_FOLDS))
        # Each class begins with another fold, which its content tells: the folds are of one size.
        first = ranks[order[np.minimum(starts, len(order) - 1)]] % np.uint64(n_folds)
        fold = np.empty(len(order), np.intp)
        place = np.arange(len(order)) - starts[self.labels[order]]
        fold[order] = (place + first[self.labels[order]].astype(np.intp)) % n_folds
        return np.where(counts[self.labels] > 1, fold, -1)


def choose(samples: Distinct, wish: Wish, lift: Lift | None = None, tell: Tell = silent) -> Choice:
    """Members whose average has the lowest held-out log loss.

    Where few samples choose, how they fall into folds decides much: several drawings are averaged.

    Parameters
    ----------
    samples : Distinct
    wish : Wish
    lift : Lift, optional
        Of samples that are lifted already; those of the wish are tried if it is not given.
    tell : callable, optional
        Called after each fold that a lift has run.
    """
    seed = wish.settings.seed
    some = samples.some(MOST, seed)
    tried = {"fixed": LiftPlan(Lift(unit=False))}
    if lift is None:
        tried = lifts(some.X, some.weights, wish)

    def settled(name: str) -> Lift:
        return lift or tried[name].settled(samples.X, wish.n_landmarks)

    can_choose = (some.folds(seed) >= 0).any() and len(np.unique(some.labels)) > 1
    if not wish.is_open or not can_choose:
        return named_choice(wish, settled(next(iter(tried))))
    drawings = DRAWINGS if len(some.X) <= FEW else 1
    # Many small systems by turns of NumPy and SciPy, whose threads would wait for one another.
    with one_thread():
        raced = [_raced(some, tried, some.folds(seed + k), wish, tell) for k in range(drawings)]
    is_all, members = lift is None and len(some.X) == len(samples.X), []
    for one in together([each.settings for each in raced]):
        taken = settled(one.lift)
        width = samples.X.shape[1] if lift else taken.width(samples.X.shape[1])
        member = _member(one, taken, wish, width, len(some.X))
        known = raced[0].samples.get(one.lift) if is_all else None
        if known and one.shrinkage is not None and member.discriminant_share > 0:
            found = discriminant_of_all(known, one.shrinkage, dtype_of(some.X))
            member = replace(member, discriminant=found)
        members.append(member)
    # The first is shown: atoms of a kernel cannot be looked at.
    members.sort(key=lambda member: member.lift.kernel is not None)
    return Choice(tuple(members), raced[0].accuracies)


def most_steps(n_samples: int, wish: Wish) -> tuple[int, int]:
    """How often a fit tells of progress, about: each lift on each fold, and each iteration."""
    iterations = 1 if wish.settings.is_closed_form else int(wish.settings.max_iter)
    if not wish.is_open:
        return 0, iterations
    lifted = MOST_LIFTS if wish.rule == wish.scale == "auto" else 1
    return lifted * N_FOLDS * (DRAWINGS if n_samples <= FEW else 1), iterations


def together(drawings: Sequence[Sequence[JointSetting]]) -> list[JointSetting]:
    """The mean of several choices in the space of scores, the largest share first."""
    joined: dict[JointSetting, list[tuple[float, float]]] = {}
    for one in (one for settings in drawings for one in settings):
        plain = replace(one, dictionary_weight=0.0, discriminant_weight=0.0)
        joined.setdefault(plain, []).append((one.dictionary_weight, one.discriminant_weight))
    found = []
    for plain, pairs in joined.items():
        a, b = (sum(part) / len(drawings) for part in zip(*pairs))
        found.append(replace(plain, dictionary_weight=a, discriminant_weight=b))
    return sorted(found, key=lambda one: -one.dictionary_weight) if len(drawings) > 1 else found


def named_choice(wish: Wish, lift: Lift) -> Choice:
    """What was named, or does well on average where nothing can be held out."""
    ridge = USUAL_RIDGE if wish.ridge == "auto" else float(wish.ridge)
    settings = replace(wish.settings, ridge=ridge)
    if wish.rule in RULES:
        return Choice((Member(lift, settings, wish.rule, None),))
    return Choice((Member(lift, settings, LOCAL, USUAL_SHARE),))


def discriminant_of_all(samples: Samples, shrinkage: float, dtype: np.dtype) -> Discriminant | None:
    """The discriminant of all samples from products that folds have asked for; None for others."""
    if samples.kernel is not None or samples.own_variances or not samples.is_wide:
        return None
    order = np.argsort(samples.labels, kind="stable")
    classes = Contrasts.of(samples.labels[order], samples.weights[order], samples.n_classes)
    gram = samples.inner(order, order)
    found = classes.beside(gram).discriminant(gram, samples.scaled[order], shrinkage, len(order))
    return Discriminant(*(from_device(a).astype(dtype) for a in (found.weights, found.offsets)))


class Average(NamedTuple):
    """Settings with their shares at the temperature of their average, and its logits."""

    settings: list[JointSetting]
    logits: ArrayOrTensor


class Raced(NamedTuple):
    """The settings that won, the held-out accuracy of lifts that ran to the end, and samples."""

    settings: list[JointSetting]
    accuracies: dict[str, float]
    samples: dict[str, Samples]


def _raced(
    samples: Distinct, tried: Mapping[str, LiftPlan], fold: Labels, wish: Wish, tell: Tell
) -> Raced:
    """Run the lifts on these folds."""
    linear, kernels = _field(samples, tried, fold, wish)
    numbers = folds_to_run(fold)
    rows = left_out_by(fold, numbers)
    labels, weights = samples.labels[rows], samples.weights[rows]
    found = candidates(race(linear or kernels, numbers, tell), rows)
    chosen, curved = average(found, labels, weights), list[Candidate]()
    if linear and kernels:
        curved = candidates(race_kernels(kernels, linear, numbers, tell), rows)
    if curved:
        wider = average([*found, *curved], labels, weights)
        gain = log_losses(chosen.logits, labels) - log_losses(wider.logits, labels)
        chosen = wider if ahead(gain, weights) > 1 else chosen
    both = [*found, *curved]
    scores = {one.setting.lift: from_device(one.logits.argmax(axis=1)) == labels for one in both}
    accuracies = {
        name: float(np.average(is_right, weights=weights)) for name, is_right in scores.items()
    }
    return Raced(chosen.settings, accuracies, {r.name: r.samples for r in [*linear, *kernels]})


def _field(
    samples: Distinct, tried: Mapping[str, LiftPlan], fold: Labels, wish: Wish
) -> tuple[list[Runner], list[Runner]]:
    """All lifts at the start, linear ones and kernels."""
    linear, kernels = list[Runner](), list[Runner]()
    counts = np.bincount(samples.labels[fold != fold.max()])
    grid = grid_of(wish, int(np.median(counts[counts > 0])))
    lifted: dict[int, ArrayOrTensor] = {}
    for name, plan in tried.items():
        if id(plan.lift) not in lifted:
            lifted[id(plan.lift)] = in_float64(plan.lift(samples.X))
        rows = lifted[id(plan.lift)]
        kernel = None if plan.kernel is None else plan.values
        table = kernel is None and plan.lift.keeps_features
        own = Samples(rows, samples.labels, fold, samples.weights, kernel, table)
        # Of long rows all products are found: those of other lifts follow from them.
        long = [one for one in linear if one.samples.is_wide and own.is_wide]
        ways = (carried(plan, rows, tried[one.name], one.samples.inner) for one in long)
        own = replace(own, known=next(filter(None, ways), None))
        runner = Runner(name, own, grid, kinds_of(wish, plan))
        (linear if kernel is None else kernels).append(runner)
    return linear, kernels


def average(found: Sequence[Candidate], labels: Labels, weights: Array) -> Average:
    """The candidates, each with its share, at the temperature of their average."""
    losses = np.array([weights @ one.losses - one.head_start for one in found])
    part = shares(losses, RATE)
    part = np.where(part < NEGLIGIBLE, 0, part)
    part /= part.sum()
    mixture = sum(float(share) * one.logits for share, one in zip(part, found))
    ((sharpness, _),) = temperatures([mixture], labels, weights, [None])
    order = np.argsort(-part, kind="stable")
    kept = [
        replace(
            found[k].setting,
            dictionary_weight=found[k].setting.dictionary_weight * part[k] * sharpness,
            discriminant_weight=found[k].setting.discriminant_weight * part[k] * sharpness,
        )
        for k in order
        if part[k] > 0
    ]
    return Average(kept, sharpness * mixture)


def _member(setting: JointSetting, lift: Lift, wish: Wish, width: int, n_some: int) -> Member:
    """A setting as a view to be learnt from all samples, of this many lifted features."""
    shrinkage = setting.shrinkage
    if shrinkage is not None and not lift.keeps_features:
        # The folds reckon with tr(W) over the dimensions that samples can span.
        shrinkage *= width / min(width, n_some)
    settings = replace(wish.settings, ridge=setting.ridge)
    if wish.tries_atoms:
        settings = replace(settings, atoms_per_class=setting.n_atoms)
    return Member(
        lift,
        settings,
        wish.rule if wish.rule in RULES else setting.rule,
        float(setting.dictionary_weight),
        shrinkage,
        float(setting.discriminant_weight),
    )
