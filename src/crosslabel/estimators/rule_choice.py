"""Which of the two rules a flagship decides by, found on samples that were held out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Solution
from crosslabel.estimators.base import Labels
from crosslabel.estimators.calibration import fit_temperature
from crosslabel.estimators.devices import rule_scores
from crosslabel.estimators.progress import Progress
from crosslabel.estimators.training import TrainingSet, fold_numbers, folds

N_FOLDS = 5
"""Folds of the cross-validation that chooses the rule and calibrates probabilities."""


class RuleChoiceMixin:
    """Choose the rule where it is "auto", and calibrate where probabilities are asked for."""

    rule: str
    ridge: float
    probability: bool
    temperature_: float

    @abstractmethod
    def _layout(self, training: TrainingSet) -> AtomLayout:
        """Atoms of each class."""

    @abstractmethod
    def _start(self, training: TrainingSet, layout: AtomLayout, rng: np.random.Generator) -> Array:
        """The starting dictionary."""

    @abstractmethod
    def _learn(self, training: TrainingSet, layout: AtomLayout, start: Array) -> Solution:
        """The dictionary learnt from a start."""

    @property
    def _n_folds(self) -> int:
        """Folds by which the rule is chosen or calibrated; none where it is neither."""
        return N_FOLDS if self.rule == "auto" or self.probability else 0

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
        """Scores of each training sample by models that have not seen it; NaN where none could."""
        shape = (len(training.labels), training.n_classes)
        held_out = {name: np.full(shape, np.nan) for name in names}
        number = fold_numbers(training, N_FOLDS, rng)
        for k, fold in zip(np.unique(number[number >= 0]), folds(training, number)):
            layout = self._layout(fold.train)
            start = self._start(fold.train, layout, rng)
            solution = self._learn(fold.train, layout, start)
            # Scores come with the classes and the samples in the fold's order.
            columns = fold.train.by_name[training.classes]
            for name in names:
                rule = RULES[name](solution.dictionary, layout, self.ridge)
                scores = rule_scores(rule, fold.test.X, fold.train.device)
                held_out[name][fold.rows] = scores[:, columns]
            progress.fold(k)
        return held_out


def accuracy(scores: Array, labels: Labels, weights: Array) -> float:
    """Weighted accuracy; zero where no sample could be held out."""
    if len(labels) == 0:
        return 0.0
    return float(np.average(scores.argmax(axis=1) == labels, weights=weights))
