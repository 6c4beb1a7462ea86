"""Small problems that the tests of the flagship share."""

import numpy as np

from crosslabel.flagship.problem import Problem, Settings
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary
from tests.core.problems import samples


def summary_of(X, y, weights=None, size=100, unit=True):
    """A summary of samples, of each class at most `size` kept."""
    empty = Summary.empty(X.shape[1], X.dtype, Lift(unit=unit), size=size, seed=0)
    return empty.absorb(X, np.asarray(y), weights)


def problem_of(sizes=(8, 9, 10), n_features=12, kept=100, classes=None, seed=0, **settings):
    """A problem of labels 0, 10, 20, …; `classes` may name more than those that have samples."""
    X, labels = samples(np.random.default_rng(seed), sizes, n_features)
    summary = summary_of(X, 10 * labels, size=kept)
    named = summary.classes if classes is None else np.array(classes)
    return Problem(summary, Settings(**{"atoms_per_class": 3, **settings}), named)
