"""Which of the two rules a flagship decides by, found on samples that were held out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.calibration import fit_temperature
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Solution
from crosslabel.flagship.progress import Progress
from crosslabel.flagship.training import TrainingSet, fold_numbers, folds
from crosslabel.intake.devices import rule_scores
from crosslabel.methods.base import Labels

N_FOLDS = 5
"""Folds of the cross-validation that chooses the rule and calibrates probabilities."""

FIRST_LOOK = 5
"""Iterations after which the rules are compared first: most often one is better by then."""

CLEAR = 3.5
"""Standard errors by which a rule that is better will stay so: no more folds are needed."""


class RuleChoiceMixin:
    """Choose the rule where it is "auto", and calibrate where probabilities are asked for."""

    rule: str
    ridge: float
    max_iter: int
    probability: bool
    temperature_: float

    @abstractmethod
    def _layout(self, training: TrainingSet) -> AtomLayout:
        """Atoms of each class."""

    @abstractmethod
    def _start(self, training: TrainingSet, layout: AtomLayout, rng: np.random.Generator) -> Array:
        """The starting dictionary."""

    @abstractmethod
    def _learn(
        self, training: TrainingSet, layout: AtomLayout, start: Array, *, max_iter: int
    ) -> Solution:
        """The dictionary learnt from a start in so many iterations."""

    @property
    def _looks(self) -> list[int]:
        """Iterations of each fold before the rules are compared, and from there to the last."""
        if self.probability or self.max_iter <= FIRST_LOOK:  # probabilities are of finished models
            return [self.max_iter]
        return [FIRST_LOOK, self.max_iter - FIRST_LOOK]

    @property
    def _n_folds(self) -> int:
        """Folds that choose the rule or calibrate it, at most; none where it is neither."""
        return N_FOLDS * len(self._looks) if self.rule == "auto" or self.probability else 0

    def _choose_rule(
        self, training: TrainingSet, rng: np.random.Generator, progress: Progress
    ) -> None:
        """Choose the rule and calibrate, by cross-validation where either is asked for."""
        self.rule_: str = self.rule
        self.rule_scores_: dict[str, float] = {}
        if not progress.n_folds:
            return
        names: list[str] = list(RULES) if self.rule == "auto" else [self.rule]
        held_out = self._held_out_scores(training, names, rng, progress)
        tested = np.isfinite(held_out[names[0]]).all(axis=1)
        labels, weights = training.labels[tested], training.weights[tested]
        self.rule_scores_ = {
            name: accuracy(scores[tested], labels, weights) for name, scores in held_out.items()
        }
        # Of equals the first: the global rule, the paper's better one on most of its data sets.
        self.rule_ = max(names, key=lambda name: self.rule_scores_[name])
        if self.probability:
            self.temperature_ = fit_temperature(held_out[self.rule_][tested], labels, weights)

    def _held_out_scores(
        self,
        training: TrainingSet,
        names: Sequence[str],
        rng: np.random.Generator,
        progress: Progress,
    ) -> dict[str, Array]:
        """Scores of training samples by models that have not seen them; NaN where none was needed.

        Where a first look at all folds leaves open which rule is better, they learn to the end.
        """
        shape = (len(training.labels), training.n_classes)
        held_out = {name: np.full(shape, np.nan) for name in names}
        number = fold_numbers(training, N_FOLDS, rng)
        learnt: dict[int, Array] = {}
        may_stop = len(self._looks) > 1
        for n_iter in self._looks:
            for k, fold in enumerate(folds(training, number)):
                layout = self._layout(fold.train)
                start = learnt[k] if k in learnt else self._start(fold.train, layout, rng)
                learnt[k] = self._learn(fold.train, layout, start, max_iter=n_iter).dictionary
                # Scores come with the classes and the samples in the fold's order.
                columns = fold.train.by_name[training.classes]
                for name in names:
                    rule = RULES[name](learnt[k], layout, self.ridge)
                    scores = rule_scores(rule, fold.test.X, fold.train.device)
                    held_out[name][fold.rows] = scores[:, columns]
                progress.fold()
                if may_stop and is_clear(gains(held_out, training)):
                    return held_out
            if may_stop and not gains(held_out, training).any():  # the rules agree everywhere
                break
        return held_out


def gains(held_out: Mapping[str, Array], training: TrainingSet) -> Array:
    """What the first rule gains over the second: the weight of each sample that one has right."""
    first, second = (scores.argmax(axis=1) == training.labels for scores in held_out.values())
    # Of a sample that was not held out both have NaN, and so both are right or both wrong.
    return training.weights * (first.astype(float) - second)


def is_clear(differences: Array) -> bool:
    """Whether the differences add up to more than chance explains."""
    return bool(abs(differences.sum()) > CLEAR * np.linalg.norm(differences))


def accuracy(scores: Array, labels: Labels, weights: Array) -> float:
    """Weighted accuracy; zero where no sample could be held out."""
    if len(labels) == 0:
        return 0.0
    return float(np.average(scores.argmax(axis=1) == labels, weights=weights))
