"""Labels that are probably wrong, and samples that are there twice.

Every sample is judged by a model that has not seen it; the least probable label stands first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crosslabel.core.backend import one_thread
from crosslabel.core.moments import Labels
from crosslabel.core.ordering import row_hashes
from crosslabel.core.scaling import Array
from crosslabel.flagship.choose import Distinct
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.flagship.twins import Twins, equal_groups, near_twins
from crosslabel.flagship.unseen import by_fold_scores, by_models
from crosslabel.intake.checking import Training, check_training
from crosslabel.intake.labels import ClassLabels

MANY = 6000
"""Samples up to which the products of all pairs are kept in memory."""


@dataclass(frozen=True)
class Audit:
    """What was found out about the labels of samples.

    Attributes
    ----------
    probability : ndarray of shape (n_samples,)
        Of each sample's own label, by a model that has not seen the sample. NaN for the only sample
        of a class, which no model without it knows.
    looks_like : ndarray of shape (n_samples,)
        The most probable of the other labels.
    looks_probability : ndarray of shape (n_samples,)
        Its probability.
    equal : list of ndarray of int
        Groups of equal samples, of whatever classes.
    near : list of Twins
        Pairs of nearly equal samples under different labels, the nearest first. Empty for more than
        6000 samples, whose pairs are not compared.
    """

    probability: Array
    looks_like: ClassLabels
    looks_probability: Array
    equal: list[Labels]
    near: list[Twins]

    @property
    def order(self) -> Labels:
        """All samples, the most doubtful label first."""
        return np.argsort(self.probability, kind="stable")

    @property
    def suspects(self) -> Labels:
        """Samples that another label suits better, the most doubtful first."""
        order = self.order
        return order[self.probability[order] < self.looks_probability[order]]


def audit(X: ArrayLike, y: ArrayLike, *, random_state: int = 0) -> Audit:
    """Find samples whose label is probably wrong, and samples that are there twice.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of any type, of at least two classes.
    random_state : int, default=0
        Seeds the folds, which depend on the content of the samples and not on their order.

    Returns
    -------
    Audit
        `suspects`, samples that another label suits better, and `order`, all samples, the most
        doubtful first; of each sample `probability` of its own label, `looks_like`, the best of the
        others, and `looks_probability`; `equal` and `near`, samples that are there twice.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import audit
    >>> X, y = load_digits(return_X_y=True)
    >>> y[42] = 7  # the picture shows a one
    >>> found = audit(X, y)
    >>> int(found.suspects[0]), int(found.looks_like[42])
    (42, 1)
    """
    training = check_training(CrossLabelClassifier(), X, y)
    distinct, places = _distinct(training)
    with one_thread():
        if len(distinct.X) > MANY:
            chances, near = by_models(distinct, random_state), list[Twins]()
        else:
            chances, samples = by_fold_scores(distinct, random_state)
            near = near_twins(samples)
    own = np.arange(len(chances)), distinct.labels
    probability, others = chances[own], np.nan_to_num(chances)
    others[own] = -1.0
    # A pair of distinct samples stands for the first samples that equal them.
    first = np.unique(places, return_index=True)[1]
    return Audit(
        probability[places],
        training.classes[others.argmax(axis=1)][places],
        others.max(axis=1)[places],
        equal_groups(training.X),
        [Twins(int(first[a]), int(first[b]), distance) for a, b, distance in near],
    )


def _distinct(training: Training) -> tuple[Distinct, Labels]:
    """Distinct samples of each class, and which of them each sample is.

    A sample that is there twice must not be judged by a model that has seen the other one.
    """
    distinct = Distinct.of(training)
    keys = zip(distinct.labels.tolist(), distinct.hashes.tolist())
    known = {key: place for place, key in enumerate(keys)}
    wanted = zip(training.labels.tolist(), row_hashes(training.X).tolist())
    return distinct, np.array([known[key] for key in wanted], np.intp)
