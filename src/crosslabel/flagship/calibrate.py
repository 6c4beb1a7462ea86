"""Probabilities of a rule that was named: its temperature, from a few samples that are held out.

Some classes are learnt again without a few of their samples, in the closed form; how the rule
scores these tells how sure it may be. A choice by folds needs none of this: it has held-out scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import SMALL_FACTOR, threads_for
from crosslabel.core.calibration import fit_temperature
from crosslabel.core.moments import Labels, Moments
from crosslabel.core.ordering import Words
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Solution
from crosslabel.flagship.choice import Member
from crosslabel.flagship.problem import Problem

CLASSES, SAMPLES = 16, 3
"""Classes that are learnt again, at most, and samples that each of them gives up."""
FEWEST = 4
"""Distinct samples from which on a class can spare one."""


class SparedSamples(NamedTuple):
    """Samples that some classes gave up, and what those classes have left."""

    rows: NDArray[np.intp]
    classes: Labels
    left: Moments


def calibrated(problem: Problem, member: Member, solution: Solution) -> float:
    """The temperature of a rule's evidence; 1 where no class can spare a sample."""
    everyone = np.arange(problem.layout.n_classes)
    return temperature(problem, everyone, member, problem.layout, solution.dictionary)


def temperature(
    problem: Problem, places: Labels, member: Member, layout: AtomLayout, dictionary: Array
) -> float:
    """The temperature of a rule over many classes, from a problem of some of them.

    Parameters
    ----------
    problem : Problem
        Of the classes that may give up samples.
    places : ndarray of int
        Their places in the layout.
    member : Member
    layout : AtomLayout
        Of all classes.
    dictionary : ndarray of shape (n_atoms, n_features)
    """
    held_out = _held_out(problem) if layout.n_classes > 1 else None
    if held_out is None:
        return 1.0
    D, classes = dictionary.copy(), places[held_out.classes]
    part = AtomLayout(0, tuple(layout.per_class[c] for c in classes))
    again = problem.settings.limit(held_out.left, part, problem.settings.penalties)
    for k, c in enumerate(classes.tolist()):
        D[layout.own(c)] = again.dictionary[part.own(k)]
    sample = problem.summary.sample
    rule, ridge = RULES[member.rule], member.settings.ridge
    # For a few dozen queries a second thread costs more than it brings, unless the rule is large.
    with threads_for(2.0 * D.size * len(D), SMALL_FACTOR):
        scores = rule.scores_once(sample.X[held_out.rows], D, layout, ridge)
    labels = places[sample.labels[held_out.rows]]
    return fit_temperature(scores, labels, sample.weights[held_out.rows])


def spared_classes(keys: Words, counts: Labels, complete: NDArray[np.bool_]) -> Labels:
    """Classes spread over all that can spare samples, in an order blind to their names.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_classes,)
        Of the classes, as in `core.ordering`.
    counts : ndarray of int of shape (n_classes,)
        Distinct samples that are kept of each.
    complete : ndarray of bool of shape (n_classes,)
        Whether these are all.
    """
    order = np.argsort(keys, kind="stable")
    able = order[(counts[order] >= FEWEST) & complete[order]]
    spread = np.linspace(0, len(able) - 1, min(CLASSES, len(able))).astype(int)
    return np.sort(able[spread])


def _held_out(problem: Problem) -> SparedSamples | None:
    """The first samples, by their content, of classes spread over all that can spare some."""
    sample, n_classes = problem.summary.sample, problem.layout.n_classes
    counts = np.bincount(sample.labels, minlength=n_classes)
    classes = spared_classes(problem.summary.keys, counts, sample.is_complete)
    if not len(classes):
        return None
    starts = np.searchsorted(sample.labels, np.arange(n_classes + 1))
    rows, left = [], []
    for c in classes.tolist():
        n_out = min(SAMPLES, int(counts[c]) // FEWEST)
        rows.append(np.arange(starts[c], starts[c] + n_out))
        left.append(np.arange(starts[c] + n_out, starts[c + 1]))
    rest = np.concatenate(left)
    numbers = np.repeat(np.arange(len(classes)), [len(part) for part in left])
    moments = Moments.from_samples(sample.X[rest], numbers, len(classes), sample.weights[rest])
    return SparedSamples(np.concatenate(rows), classes, moments)
