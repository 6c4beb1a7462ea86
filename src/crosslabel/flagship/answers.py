"""What settings say of samples that they have not seen, in a form that any scorer can judge.

A setting's logits are Σ_j a_j s_j: s of the dictionary's rule, and of the discriminant for
the joint rule. The weights a, which hold the temperature, come from the other folds: no sample has
a say in how its own scores are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from crosslabel.core.joint import spread
from crosslabel.core.left_out_weights import left_out_weights
from crosslabel.core.moments import Labels
from crosslabel.core.rules.rule import evidence
from crosslabel.core.scaling import Array
from crosslabel.flagship.fold_scores import FoldScores
from crosslabel.flagship.grid import Setting
from crosslabel.flagship.splits import Split
from crosslabel.intake.checking import Training
from crosslabel.intake.labels import ClassLabels


class Answers(ClassifierMixin, BaseEstimator):
    """A classifier that knows the answers to one fold's samples; what scorers are shown.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    scores : ndarray of shape (n_test, n_classes)
        The highest is predicted.
    logits : callable
        Gives log p up to a constant of the sample, where it is asked for.
    """

    def __init__(self, classes: ClassLabels, scores: Array, logits: Callable[[], Array]) -> None:
        self.classes = classes
        self.scores = scores
        self.logits = logits

    @property
    def classes_(self) -> ClassLabels:
        """Labels of the classes."""
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Array) -> ClassLabels:
        """The label of each sample of the fold."""
        return self.classes[self._of(X, self.scores).argmax(axis=1)]

    def predict_proba(self, X: Array) -> Array:
        """The probability of each class."""
        return softmax(self._of(X, self.logits()), axis=1)

    def decision_function(self, X: Array) -> Array:
        """The score of each class; of two classes log p₁/p₀."""
        if len(self.classes) > 2:
            return self._of(X, self.scores)
        found = self._of(X, self.logits())
        return found[:, 1] - found[:, 0]

    def _of(self, X: Array, answers: Array) -> Array:
        if len(X) != len(answers):
            raise ValueError(
                f"The scorer asks about {len(X)} samples, but a fold of {len(answers)} was scored. "
                "Use a scorer that judges the samples it is given."
            )
        return answers


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of every fold's test samples by every setting.

    Attributes
    ----------
    training : Training
        All samples.
    splits : sequence of Split
    folds : sequence of FoldScores
        One for each split.
    offsets : ndarray of shape (n_classes,), optional
        What the costs of errors add to the logits.
    """

    training: Training
    splits: Sequence[Split]
    folds: Sequence[FoldScores]
    offsets: Array | None = None

    @cached_property
    def tested(self) -> Labels:
        """The samples of all folds, one fold after the other."""
        return np.concatenate([split.test for split in self.splits])

    @cached_property
    def starts(self) -> list[int]:
        """Where each fold begins in `tested`, and its end."""
        return np.cumsum([0, *(len(split.test) for split in self.splits)]).tolist()

    def kinds(self, setting: Setting) -> Array:
        """Evidence of the dictionary, and g of the discriminant if the setting has one, centred.

        Returns
        -------
        ndarray of shape (n_kinds, n_tested, n_classes)
        """
        found = [self._evidence(setting.by_dictionary)]
        if setting.shrinkage is not None:
            found.append(self._linear(setting.shrinkage))
        return np.stack(found)

    @cached_property
    def _evidence(self) -> Callable[[Setting], Array]:
        return cache(lambda one: _joined([evidence(fold.by_rule[one]) for fold in self.folds]))

    @cached_property
    def _linear(self) -> Callable[[float], Array]:
        return cache(lambda a: _joined([fold.linear[a] for fold in self.folds]))

    def weights(self, setting: Setting) -> Array:
        """The weights of a setting by all held-out samples, for the model of all samples."""
        return self._weights(self.kinds(setting), np.zeros((1, len(self.tested)), dtype=bool))[0]

    def logits(self, setting: Setting) -> list[Array]:
        """Logits of each fold, with weights from the samples of the other folds."""
        kinds = self.kinds(setting)
        folds = zip(self._weights(kinds, self.tested_with), pairwise(self.starts))
        found = [np.tensordot(a, kinds[:, start:end], 1) for a, (start, end) in folds]
        return found if self.offsets is None else [one + self.offsets for one in found]

    @cached_property
    def tested_with(self) -> NDArray[np.bool_]:
        """Of each fold the samples that have no say in its weights, (n_folds, n_tested).

        With repeated folds a sample is tested in several: it has no say in any of its own.
        """
        return np.array([np.isin(self.tested, split.test) for split in self.splits])

    def _weights(self, kinds: Array, left_out: NDArray[np.bool_]) -> Array:
        """Weights of lowest log loss without what is left out; a common scale if that is all."""
        scale = np.array([spread(one) for one in kinds])
        found, some = np.tile(1 / scale, (len(left_out), 1)), ~left_out.all(axis=1)
        if some.any():
            labels = self.training.labels[self.tested]
            weights = self.training.weights[self.tested]
            scaled = kinds / scale[:, None, None]
            found[some] = left_out_weights(scaled, labels, weights, left_out[some]) / scale
        return found

    def answers(self, setting: Setting) -> list[Answers]:
        """What a setting says of each fold."""
        logits = cache(lambda: self.logits(setting))
        classes = self.training.classes

        def of_fold(k: int) -> Answers:
            is_rule = setting.shrinkage is None and (self.offsets is None or not self.offsets.any())
            scores = self.folds[k].by_rule[setting.by_dictionary] if is_rule else logits()[k]
            return Answers(classes, scores, lambda: logits()[k])

        return [of_fold(k) for k in range(len(self.splits))]


def _joined(folds: Sequence[Array]) -> Array:
    """One array of all folds, with the mean over classes removed from each sample."""
    found = np.concatenate(folds)
    return found - found.mean(axis=1, keepdims=True)
