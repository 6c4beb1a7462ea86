"""Lifts and their rules race over the folds: who is clearly behind after one runs no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, beside, is_tensor, namespace, zeros
from crosslabel.core.joint import fit_weights, log_losses, mixed, shares, spread, temperature
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.flagship.held_out import (
    Samples,
    discriminants,
    global_evidence,
    local_evidence,
)

DISCRIMINANT, LOCAL, GLOBAL = "discriminant", "local", "global"
"""Kinds of scores that race: of the discriminant, of own atoms alone, of a code over all atoms."""
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
NEAREST = 2
"""Shrinkages, and points of the local rule, that are followed after the first fold."""


class Kind(NamedTuple):
    """A score: of a kind with its ridge or α, by a rule of that kind, with so many atoms."""

    kind: str
    value: float
    rule: str
    n_atoms: int = 0


@dataclass(frozen=True)
class JointSetting:
    """One lift's joint rule; immutable.

    Its logits are dictionary_weight · evidence + discriminant_weight · g.

    Attributes
    ----------
    lift : str
    rule : str
        A name in `RULES`.
    n_atoms : int
        Of a class, which has no more than samples.
    ridge, shrinkage : float
        The shrinkage is of tr(W)/min(n_features, n_samples).
    dictionary_weight, discriminant_weight : float
    """

    lift: str
    rule: str
    n_atoms: int
    ridge: float
    shrinkage: float | None
    dictionary_weight: float
    discriminant_weight: float


@dataclass(frozen=True)
class Candidate:
    """A lift's best joint rule, and the logits and losses of the held-out samples.

    The head start is what it is ahead by before any sample is held out, in log loss.
    """

    setting: JointSetting
    logits: ArrayOrTensor
    losses: Array
    head_start: float = 0.0


@dataclass(frozen=True)
class Grid:
    """What is tried in every lift.

    Attributes
    ----------
    ridges : sequence of float
        Of the local rule.
    global_ridges : sequence of float
        Of the rules by one code over all atoms.
    global_rules : sequence of str
        Their names.
    shrinkages : sequence of float
    n_atoms : sequence of int
        In ascending order.
    """

    ridges: Sequence[float]
    global_ridges: Sequence[float]
    global_rules: Sequence[str]
    shrinkages: Sequence[float]
    n_atoms: Sequence[int]


@dataclass(eq=False)
class Runner:
    """A lift in the race: the rules it still runs, and its scores, filled fold by fold."""

    name: str
    samples: Samples
    grid: Grid
    rules: set[str]
    scores: dict[Kind, ArrayOrTensor] = field(default_factory=dict)
    known: dict[tuple[Kind, int], tuple[float, float]] = field(default_factory=dict)
    near: dict[str, float] = field(default_factory=dict)
    shrinkages: list[float] = field(init=False)
    points: list[tuple[int, float]] = field(init=False)

    def __post_init__(self) -> None:
        self.shrinkages = list(self.grid.shrinkages)
        self.points = list(product(self.grid.n_atoms, self.grid.ridges))

    def run(self, number: int, rules: Iterable[str] | None = None) -> None:
        """Score one fold by these rules, or by all that are left."""
        wanted = self.rules if rules is None else set(rules)
        rows, grid = self.samples.left_out(number), self.grid
        axes = self.samples.axes(number, grid.n_atoms[-1]) if wanted - {DISCRIMINANT} else []
        if LOCAL in wanted:
            found = local_evidence(self.samples, number, axes, self.points)
            self._keep(rows, {local_of(*one): s for one, s in zip(self.points, found)})
        for k, ridge in product(grid.n_atoms, grid.global_ridges) if GLOBAL in wanted else ():
            by_rule = global_evidence(self.samples, number, [a.first(k) for a in axes], k, ridge)
            self._keep(rows, {Kind(GLOBAL, ridge, r, k): by_rule[r] for r in grid.global_rules})
        if DISCRIMINANT in wanted:
            found = discriminants(self.samples, number, self.shrinkages)
            self._keep(rows, {discriminant_of(a): s for a, s in zip(self.shrinkages, found)})

    def _keep(self, rows: Labels, found: dict[Kind, ArrayOrTensor]) -> None:
        for kind, scores in found.items():
            if kind not in self.scores:
                self.scores[kind] = zeros((len(self.samples.labels), scores.shape[1]), scores)
            self.scores[kind][beside(rows, scores)] = scores

    def _of(self, kind: Kind, rows: Labels) -> ArrayOrTensor:
        scores = self.scores[kind]
        return scores[beside(rows, scores)]

    def judged(self, kind: Kind, rows: Labels) -> tuple[float, float]:
        """Temperature and loss of a score on these samples: the first fold, or all held out."""
        key = kind, len(rows)
        if key not in self.known:
            labels, weights = self.samples.labels[rows], self.samples.weights[rows]
            start = self.near.get(kind.rule)
            found = temperature(self._of(kind, rows), labels, weights, start)
            self.known[key], self.near[kind.rule] = found, found[0]
        return self.known[key]

    def judge(self, kinds: Sequence[Kind], rows: Labels) -> None:
        """Find what `judged` tells of all of these at once, where that is sooner done."""
        new = [kind for kind in kinds if (kind, len(rows)) not in self.known]
        if not new or not is_tensor(self.scores[new[0]]):
            return
        from crosslabel.core.gpu.temperatures import temperatures

        labels, weights = self.samples.labels[rows], self.samples.weights[rows]
        scores = [self._of(kind, rows) for kind in new]
        starts = [self.near.get(kind.rule) for kind in new]
        for kind, found in zip(new, temperatures(scores, labels, weights, starts)):
            self.known[kind, len(rows)], self.near[kind.rule] = found, found[0]

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
        self.judge(kinds, rows)
        ordered = sorted(kinds, key=lambda kind: self.judged(kind, rows)[1])
        for kind in ordered[NEAREST:]:
            del self.scores[kind]
        return ordered[:NEAREST]

    def best(self, rules: Iterable[str], rows: Labels) -> tuple[Kind, float, Array]:
        """Of these rules' scores the one of lowest loss, its temperature, and the losses."""
        wanted = set(rules)
        kinds = [kind for kind in self.scores if kind.kind in wanted]
        self.judge(kinds, rows)
        kind = min(kinds, key=lambda one: self.judged(one, rows)[1])
        sharpness, _ = self.judged(kind, rows)
        labels = self.samples.labels[rows]
        return kind, sharpness, log_losses(sharpness * self._of(kind, rows), labels)

    def candidate(self, rows: Labels) -> Candidate:
        """The best dictionary, joined with the best discriminant if that is still in the race."""
        labels, weights = self.samples.labels[rows], self.samples.weights[rows]
        kinds = [self.best(self.rules - {DISCRIMINANT}, rows)]
        if DISCRIMINANT in self.rules:
            kinds.append(self.best({DISCRIMINANT}, rows))
        parts = [self._of(kind, rows) for kind, _, _ in kinds]
        scores = namespace(parts[0]).stack(parts)
        scale = np.array([spread(one) for one in scores])
        totals = np.array([weights @ losses for _, _, losses in kinds])
        is_table = self.samples.own_variances
        totals[1:] -= FAVOUR if is_table else 0.0
        part = shares(totals, RATE)
        start = part * scale * np.array([sharpness for _, sharpness, _ in kinds])
        scaled = scores / beside(scale[:, None, None], scores)
        joined = fit_weights(scaled, labels, weights, start=start, pull=PULL) / scale
        logits = mixed(joined, scores)
        _, ridge, rule, n_atoms = kinds[0][0]
        shrinkage = kinds[1][0].value if len(kinds) > 1 else None
        a, b = [*joined.tolist(), 0.0][:2]
        setting = JointSetting(self.name, rule, n_atoms, ridge, shrinkage, a, b)
        losses = log_losses(logits, labels)
        return Candidate(setting, logits, losses, HEAD_START if is_table else 0.0)


def local_of(n_atoms: int, ridge: float) -> Kind:
    """The score of own atoms with these settings."""
    return Kind(LOCAL, ridge, "local", n_atoms)


def discriminant_of(shrinkage: float) -> Kind:
    """The score of the discriminant with this α."""
    return Kind(DISCRIMINANT, shrinkage, DISCRIMINANT)


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


Tell = Callable[[], None]
"""Called after each fold that a lift has run."""


def silent() -> None:
    """Tell nobody."""


def race(runners: Sequence[Runner], numbers: Sequence[int], tell: Tell = silent) -> list[Runner]:
    """Run the folds; the lifts that have a rule not clearly behind after the first.

    A lift whose discriminant alone is left keeps its local rule: every model has a dictionary.
    """
    for runner in runners:
        runner.run(numbers[0])
        tell()
    left = _not_behind(runners, runners[0].samples.left_out(numbers[0]))
    _run_on(left, numbers[1:], tell)
    return left


def _run_on(runners: Sequence[Runner], numbers: Sequence[int], tell: Tell) -> None:
    for runner in runners:
        for number in numbers:
            runner.run(number)
            tell()


def _not_behind(runners: Sequence[Runner], rows: Labels) -> list[Runner]:
    """Take rules that are clearly behind out of the race; the runners that are left."""
    if len(rows) < ENOUGH:
        return list(runners)
    weights = runners[0].samples.weights[rows]
    losses = {(r.name, rule): r.best({rule}, rows)[2] for r in runners for rule in r.rules}
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
    rows = linear[0].samples.left_out(numbers[0])
    weights, left = linear[0].samples.weights[rows], []
    bar = min((r.best({LOCAL}, rows)[2] for r in linear), key=lambda one: float(weights @ one))
    for runner in runners:
        runner.run(numbers[0], {LOCAL})
        behind = runner.best({LOCAL}, rows)[2] - bar
        if len(rows) < ENOUGH or ahead(behind, weights) <= 1:
            runner.run(numbers[0], {DISCRIMINANT})
            left.append(runner)
        tell()
    still = _not_behind([*left, *(r for r in linear if r.rules)], rows)
    kept = [runner for runner in left if runner in still]
    _run_on(kept, numbers[1:], tell)
    return kept
