"""Lifts and their rules race over the folds: who is clearly behind after one runs no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, product

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, beside, is_tensor, namespace
from crosslabel.core.joint import fit_weights, log_losses, mixed, shares, spread, temperature
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.spectrum import Axes, Point
from crosslabel.flagship.choice import Candidate, Grid, JointSetting, Kind
from crosslabel.flagship.held_out import (
    Samples,
    axes_of,
    discriminants,
    global_evidence,
    local_evidence,
)

DISCRIMINANT, LOCAL, GLOBAL = "discriminant", "local", "global"
"""Kinds of scores that race: of the discriminant, of own atoms alone, of a code over all atoms."""
NEAREST = 2
"""Shrinkages, and points of the local rule, that are followed after the first fold."""
PULL = 10.0
"""Samples that the average of dictionary and discriminant is worth, when their weights are set."""
RATE = 0.1
"""How sharply losses choose between dictionary and discriminant in that average."""
FAVOUR, HEAD_START = 30.0, 4.0
"""Log loss that a table's discriminant is ahead of its dictionary, and its lift of the other lifts.

A covariance of a few features of their own units has little to learn: held-out samples must speak
clearly against it, and some dozens do not.
"""
CLEARLY = 2.0
"""Standard errors by which a score must be behind after a fold to be left out of the others."""
ENOUGH = 100
"""Samples in the first fold from which on this can be told."""
PLENTY = 240
"""Held-out samples that choose as well as more would: no further fold is run."""
NOTHING = 1e-9
"""Log loss below which differences are rounding: two lifts may be one for some samples."""


@dataclass(eq=False)
class Runner:
    """A lift in the race: the rules it still runs, and its scores, fold after fold.

    Scores are of the samples that folds left out, in the order of the folds: those of the first
    fold come first. What is told of `rows` is of that fold's samples, or of all so far.
    """

    name: str
    samples: Samples
    grid: Grid
    rules: set[str]
    scores: dict[Kind, ArrayOrTensor] = field(default_factory=dict)
    known: dict[tuple[Kind, int], tuple[float, float]] = field(default_factory=dict)
    losses: dict[tuple[Kind, int], Array] = field(default_factory=dict)
    near: dict[str, float] = field(default_factory=dict)
    shrinkages: list[float] = field(init=False)
    points: list[Point] = field(init=False)

    def __post_init__(self) -> None:
        self.shrinkages = list(self.grid.shrinkages)
        self.points = list(product(self.grid.n_atoms, self.grid.ridges))

    def run(self, number: int, rules: Iterable[str], axes: Sequence[Axes]) -> None:
        """Score one fold by these rules; those of atoms need the axes of the classes."""
        grid, samples = self.grid, self.samples
        if LOCAL in rules:
            found = local_evidence(samples, number, axes, self.points)
            self._keep({local_of(*one): s for one, s in zip(self.points, found)})
        for k, ridge in product(grid.n_atoms, grid.global_ridges) if GLOBAL in rules else ():
            by_rule = global_evidence(samples, number, axes, k, ridge)
            self._keep({Kind(GLOBAL, ridge, r, k): by_rule[r] for r in grid.global_rules})
        if DISCRIMINANT in rules:
            found = discriminants(samples, number, self.shrinkages)
            self._keep({discriminant_of(a): s for a, s in zip(self.shrinkages, found)})

    def _keep(self, found: dict[Kind, ArrayOrTensor]) -> None:
        for kind, scores in found.items():
            if kind in self.scores:
                scores = namespace(scores).concatenate([self.scores[kind], scores])
            self.scores[kind] = scores

    def judged(self, kind: Kind, rows: Labels) -> tuple[float, float]:
        """Temperature and loss of a score on these samples."""
        key = kind, len(rows)
        if key not in self.known:
            labels, weights = self.samples.labels[rows], self.samples.weights[rows]
            start = self.near.get(kind.rule)
            found = temperature(self.scores[kind][: len(rows)], labels, weights, start)
            self.known[key], self.near[kind.rule] = found, found[0]
        return self.known[key]

    def lost(self, kind: Kind, rows: Labels) -> Array:
        """Losses of these samples by a score at its temperature."""
        key = kind, len(rows)
        if key not in self.losses:
            logits = self.judged(kind, rows)[0] * self.scores[kind][: len(rows)]
            self.losses[key] = log_losses(logits, self.samples.labels[rows])
        return self.losses[key]

    def best(self, rules: Iterable[str], rows: Labels) -> Kind:
        """Of these rules' scores the one of lowest loss."""
        wanted = set(rules)
        kinds = [kind for kind in self.scores if kind.kind in wanted]
        return min(kinds, key=lambda one: self.judged(one, rows)[1])

    def narrow(self, rows: Labels) -> None:
        """Follow the shrinkages, and the points of the local rule, only that did best on these."""
        if DISCRIMINANT in self.rules:
            kept = self._nearest([discriminant_of(a) for a in self.shrinkages], rows)
            self.shrinkages = [kind.value for kind in kept]
        if LOCAL in self.rules:
            kept = self._nearest([local_of(*one) for one in self.points], rows)
            self.points = [(kind.n_atoms, kind.value) for kind in kept]

    def _nearest(self, kinds: Sequence[Kind], rows: Labels) -> list[Kind]:
        """Those of lowest loss; the scores of the others go."""
        ordered = sorted(kinds, key=lambda kind: self.judged(kind, rows)[1])
        for kind in ordered[NEAREST:]:
            del self.scores[kind]
        return ordered[:NEAREST]


def local_of(n_atoms: int, ridge: float) -> Kind:
    """The score of own atoms with these settings."""
    return Kind(LOCAL, ridge, "local", n_atoms)


def discriminant_of(shrinkage: float) -> Kind:
    """The score of the discriminant with this α."""
    return Kind(DISCRIMINANT, shrinkage, DISCRIMINANT)


Scored = tuple[Runner, Kind]
"""A score of a lift."""


def judge(runners: Sequence[Runner], rules: Iterable[str], rows: Labels) -> None:
    """Find what `judged` and `lost` tell of all lifts at once, where that is sooner done."""
    if not runners or not is_tensor(runners[0].samples.scaled):
        return
    wanted, samples = set(rules), runners[0].samples
    labels, weights = samples.labels[rows], samples.weights[rows]
    kinds = [(r, kind) for r in runners for kind in r.scores if kind.kind in wanted & r.rules]
    new = [(r, kind) for r, kind in kinds if (kind, len(rows)) not in r.known]
    starts = [r.near.get(kind.rule) for r, kind in new]
    if new:
        scores = [r.scores[kind][: len(rows)] for r, kind in new]
        for (r, kind), found in zip(new, temperatures(scores, labels, weights, starts)):
            r.known[kind, len(rows)], r.near[kind.rule] = found, found[0]
    best = {(r, r.best({kind.kind}, rows)): None for r, kind in kinds}
    new = [(r, kind) for r, kind in best if (kind, len(rows)) not in r.losses]
    if new:
        sharp = np.array([r.judged(kind, rows)[0] for r, kind in new])
        scores = _stacked(new, rows)
        losses = log_losses(scores * beside(sharp[:, None, None], scores), labels)
        for (r, kind), lost in zip(new, losses):
            r.losses[kind, len(rows)] = lost


def temperatures(
    scores: Sequence[ArrayOrTensor],
    labels: Labels,
    sample_weights: Array,
    starts: Sequence[float | None],
) -> list[tuple[float, float]]:
    """`temperature` of several scores of the same samples; on a device of all at once."""
    if is_tensor(scores[0]):
        from crosslabel.core.gpu import temperatures as there

        return list(there.temperatures(scores, labels, sample_weights, starts))
    each = zip(scores, starts)
    return [temperature(one, labels, sample_weights, start) for one, start in each]


def _stacked(kinds: Sequence[Scored], rows: Labels) -> ArrayOrTensor:
    """Some scores of these samples, (n_kinds, n_samples, n_classes)."""
    scores = [runner.scores[kind][: len(rows)] for runner, kind in kinds]
    return namespace(scores[0]).stack(scores)


def candidates(runners: Sequence[Runner], rows: Labels) -> list[Candidate]:
    """Of each lift the best dictionary, joined with the best discriminant if that still races."""
    judge(runners, (LOCAL, GLOBAL, DISCRIMINANT), rows)
    found = []
    for runner in runners:
        kinds = [(runner, runner.best(runner.rules - {DISCRIMINANT}, rows))]
        if DISCRIMINANT in runner.rules:
            kinds.append((runner, runner.best({DISCRIMINANT}, rows)))
        found.append(kinds)
    joined: dict[int, Candidate] = {}
    for these in _alike(found):
        joined |= dict(zip(these, _joined([found[k] for k in these], rows)))
    return [joined[k] for k in range(len(found))]


def _alike(found: Sequence[Sequence[Scored]]) -> list[list[int]]:
    """Lifts that are joined in one go: of as many scores on a device, at home one by one."""
    if not found or not is_tensor(found[0][0][0].samples.scaled):
        return [[k] for k in range(len(found))]
    numbers = {len(kinds) for kinds in found}
    return [[k for k, kinds in enumerate(found) if len(kinds) == n] for n in numbers]


def _joined(found: Sequence[Sequence[Scored]], rows: Labels) -> list[Candidate]:
    """Candidates of as many kinds of scores as one another."""
    samples, n_kinds = found[0][0][0].samples, len(found[0])
    labels, weights = samples.labels[rows], samples.weights[rows]
    scores = _stacked(list(chain(*found)), rows)
    scores = scores.reshape(len(found), n_kinds, *scores.shape[1:])
    scale = spread(scores)
    sharp = np.array([[r.judged(kind, rows)[0] for r, kind in each] for each in found])
    totals = np.array([[weights @ r.lost(kind, rows) for r, kind in each] for each in found])
    is_table = [each[0][0].samples.own_variances for each in found]
    totals[:, 1:] -= FAVOUR * np.array(is_table)[:, None]
    part = np.stack([shares(one, RATE) for one in totals])
    scaled = scores / beside(scale[..., None, None], scores)
    start = part * scale * sharp
    joined = fit_weights(scaled, labels, weights, start=start, pull=PULL) / scale
    logits = mixed(joined, scores)
    losses = log_losses(logits, labels)
    return [
        Candidate(_setting(each, a), own, lost, HEAD_START if table else 0.0)
        for each, a, own, lost, table in zip(found, joined.tolist(), logits, losses, is_table)
    ]


def _setting(kinds: Sequence[Scored], joined: Sequence[float]) -> JointSetting:
    """The joint rule of a dictionary's score, and of a discriminant's if there is one."""
    runner, (_, ridge, rule, n_atoms) = kinds[0]
    shrinkage = kinds[1][1].value if len(kinds) > 1 else None
    a, b = [*joined, 0.0][:2]
    return JointSetting(runner.name, rule, n_atoms, ridge, shrinkage, a, b)


def ahead(gain: Array, weights: Array) -> float:
    """Mean of paired differences over its standard error; zero where all are equal to rounding."""
    mean = np.average(gain, weights=weights)
    error = np.sqrt(np.average((gain - mean) ** 2, weights=weights) / len(gain))
    return float(mean / error) if error > NOTHING else 0.0


def folds_to_run(fold: Labels) -> list[int]:
    """The first folds that together leave out plenty of samples, or all."""
    numbers, counts = np.unique(fold[fold >= 0], return_counts=True)
    enough = int(np.searchsorted(np.cumsum(counts), PLENTY)) + 1
    return numbers[:enough].tolist()


def left_out_by(fold: Labels, numbers: Iterable[int]) -> Labels:
    """Samples that these folds leave out, fold by fold: the order of a runner's scores."""
    return np.concatenate([np.flatnonzero(fold == number) for number in numbers])


Tell = Callable[[], None]
"""Called after each fold that a lift has run."""


def silent() -> None:
    """Tell nobody."""


def race(runners: Sequence[Runner], numbers: Sequence[int], tell: Tell = silent) -> list[Runner]:
    """Run the folds; the lifts that have a rule not clearly behind after the first.

    A lift whose discriminant alone is left keeps its local rule: every model has a dictionary.
    """
    run_fold(runners, numbers[0], tell=tell)
    left = _not_behind(runners, runners[0].samples.left_out(numbers[0]))
    for number in numbers[1:]:
        run_fold(left, number, tell=tell)
    return left


def run_fold(
    runners: Sequence[Runner], number: int, rules: Iterable[str] | None = None, tell: Tell = silent
) -> None:
    """Score one fold by these rules, or by all that are left, in several lifts."""
    wanted = [runner.rules if rules is None else set(rules) for runner in runners]
    grid, with_atoms = runners[0].grid, [bool(one - {DISCRIMINANT}) for one in wanted]
    points = list(product(grid.n_atoms, dict.fromkeys([*grid.ridges, *grid.global_ridges])))
    samples = [runner.samples for runner, is_one in zip(runners, with_atoms) if is_one]
    axes = iter(axes_of(samples, number, points) if samples else ())
    for runner, own, is_one in zip(runners, wanted, with_atoms):
        runner.run(number, own, next(axes) if is_one else [])
        tell()


def _not_behind(runners: Sequence[Runner], rows: Labels) -> list[Runner]:
    """Take rules that are clearly behind out of the race; the runners that are left."""
    if len(rows) < ENOUGH:
        return list(runners)
    weights = runners[0].samples.weights[rows]
    judge(runners, (LOCAL, GLOBAL, DISCRIMINANT), rows)
    losses = {(r.name, k): r.lost(r.best({k}, rows), rows) for r in runners for k in r.rules}
    leader = min(losses.values(), key=lambda one: float(weights @ one))
    for runner in runners:
        left = {
            rule
            for rule in runner.rules
            if ahead(losses[runner.name, rule] - leader, weights) <= CLEARLY
        }
        runner.rules = left | {LOCAL} if left == {DISCRIMINANT} else left
        runner.narrow(rows)
    return [runner for runner in runners if runner.rules]


def race_kernels(
    runners: Sequence[Runner],
    linear: Sequence[Runner],
    numbers: Sequence[int],
    tell: Tell = silent,
) -> list[Runner]:
    """Run the folds; the kernels whose local rule is not behind the linear lifts' local rules."""
    rows, first = linear[0].samples.left_out(numbers[0]), numbers[0]
    weights = linear[0].samples.weights[rows]
    run_fold(runners, first, {LOCAL})
    judge([*linear, *runners], {LOCAL}, rows)
    local = {r: r.lost(r.best({LOCAL}, rows), rows) for r in [*linear, *runners]}
    bar = min((local[r] for r in linear), key=lambda one: float(weights @ one))
    near = [r for r in runners if len(rows) < ENOUGH or ahead(local[r] - bar, weights) <= 1]
    if near:
        run_fold(near, first, {DISCRIMINANT})
    for _ in runners:
        tell()
    still = _not_behind([*near, *(r for r in linear if r.rules)], rows)
    kept = [runner for runner in near if runner in still]
    for number in numbers[1:] if kept else ():
        run_fold(kept, number, tell=tell)
    return kept
