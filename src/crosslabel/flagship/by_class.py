"""Train some classes at a time, where all of them at once would not fit into memory.

In the closed form every class is a problem of its own, and of a model that is named and keeps no
summary nothing but the atoms is needed afterwards: samples and statistics of a group of classes go
before those of the next one come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.moments import Labels
from crosslabel.core.ordering import Words
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback
from crosslabel.flagship.calibrate import spared_classes, temperature
from crosslabel.flagship.choice import Choice
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.problem import Problem, Settings, wanted_atoms
from crosslabel.flagship.train import learn
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.summary import Summary

COPIES = 16
"""What learning takes, in copies of the samples as float32: the samples as they are and scaled,
kept ones, statistics and axes in double precision, and the work on them."""


@dataclass(frozen=True, eq=False)
class ClassSource:
    """Samples that can be read class by class.

    Attributes
    ----------
    read : callable
        From ascending row numbers to samples as they were given.
    classes : ndarray of shape (n_classes,)
    labels : ndarray of int of shape (n_samples,)
        Places in `classes`; every class has a sample.
    weights : ndarray of shape (n_samples,)
        Positive.
    empty : Summary
        Without samples: the lift, and how many samples are kept.
    """

    read: Callable[[NDArray[np.intp]], Array]
    classes: ClassLabels
    labels: Labels
    weights: NDArray[np.float64]
    empty: Summary

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Rows by class."""
        return np.argsort(self.labels, kind="stable")

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each class begins in that order, and the end of the last."""
        return np.cumsum([0, *np.bincount(self.labels, minlength=len(self.classes))])

    @property
    def n_features(self) -> int:
        """Features of a lifted sample."""
        return self.empty.statistics.n_features

    def problem(self, classes: NDArray[np.intp], settings: Settings) -> Problem:
        """To learn some of the classes."""
        spans = [self.order[self.starts[c] : self.starts[c + 1]] for c in classes.tolist()]
        rows = np.sort(np.concatenate(spans))
        names = self.classes[self.labels[rows]]
        summary = self.empty.absorb(self.read(rows), names, self.weights[rows])
        return problem_of(summary, settings, self.classes, classes)

    def room(self, settings: Settings) -> Array:
        """As many rows as all classes together can have atoms."""
        wanted = wanted_atoms(settings.atoms_per_class, len(self.classes))
        most = int(np.minimum(wanted, np.diff(self.starts)).sum())
        return np.empty((most, self.n_features), self.empty.dtype)


def groups(
    counts: NDArray[np.intp], n_features: int, memory_limit: int
) -> Iterator[NDArray[np.intp]]:
    """Classes that follow one another, so few that learning them fits into the limit.

    Parameters
    ----------
    counts : ndarray of int of shape (n_classes,)
        Samples of each.
    n_features : int
    memory_limit : int
        Bytes.
    """
    starts, first = np.cumsum([0, *counts]), 0
    n_rows = memory_limit // (4 * COPIES * max(1, n_features))
    while first < len(counts):
        end = int(np.searchsorted(starts, starts[first] + n_rows, side="right")) - 1
        last = max(first + 1, end)
        yield np.arange(first, last)
        first = last


def problem_of(
    summary: Summary, settings: Settings, names: ClassLabels, classes: NDArray[np.intp]
) -> Problem:
    """To learn some classes, by their places among the names of all, from a summary of them."""
    wanted = wanted_atoms(settings.atoms_per_class, len(names))[classes]
    return Problem(summary, replace(settings, atoms_per_class=wanted.tolist()), names[classes])


class LearntClasses(NamedTuple):
    """What stays of some classes beside their atoms."""

    sizes: tuple[int, ...]
    values: list[float]
    unused: NDArray[np.bool_]
    keys: Words
    distinct: NDArray[np.intp]
    complete: NDArray[np.bool_]


def exceeds(X: Array, memory_limit: int) -> bool:
    """Whether learning from these samples at once would take more than the limit."""
    return 4 * COPIES * X.size > memory_limit


def train_by_class(
    source: ClassSource,
    choice: Choice,
    memory_limit: int,
    callback: Callback | None = None,
    advance: Callable[[int], None] = lambda n_samples: None,
) -> Fitted:
    """The model that `train` would give, with the work on some classes at a time in memory.

    Parameters
    ----------
    source : ClassSource
    choice : Choice
        Of one member, whose rule is named and whose dictionary has a closed form.
    memory_limit : int
        Bytes, beside the samples of the source and the dictionary.
    callback : callable, optional
        Told of the one iteration.
    advance : callable, optional
        Told how many samples were learnt from.
    """
    settings, starts = choice.members[0].settings, source.starts
    D = source.room(settings)
    parts, end = list[LearntClasses](), 0
    for classes in groups(np.diff(starts), source.n_features, memory_limit):
        atoms, part = learnt(source.problem(classes, settings))
        D[end : end + len(atoms)], end = atoms, end + len(atoms)
        parts.append(part)
        advance(int(starts[classes[-1] + 1] - starts[classes[0]]))
    choice = replace(choice, n_samples=float(source.weights.sum()))
    return assembled(source.classes, choice, D[:end], parts, source.problem, callback)


def learnt(problem: Problem) -> tuple[Array, LearntClasses]:
    """Atoms of some classes, and what stays beside them."""
    found, sample = learn(problem), problem.summary.sample
    distinct = np.bincount(sample.labels, minlength=problem.layout.n_classes)
    values = [trace[-1] for trace in found.apart]
    sizes = problem.layout.per_class
    keys, complete = problem.summary.keys, sample.is_complete
    return found.dictionary, LearntClasses(sizes, values, found.unused, keys, distinct, complete)


def assembled(
    names: ClassLabels,
    choice: Choice,
    D: Array,
    parts: Sequence[LearntClasses],
    again: Callable[[NDArray[np.intp], Settings], Problem],
    callback: Callback | None = None,
) -> Fitted:
    """The model of classes that were learnt some at a time.

    Parameters
    ----------
    names : ndarray of shape (n_classes,)
    choice : Choice
        Of one member.
    D : ndarray of shape (n_atoms, n_features)
    parts : sequence of LearntClasses
        In the order of the classes.
    again : callable
        From the places of a few classes and settings to their problem, for the calibration.
    callback : callable, optional
    """
    (member,) = choice.members
    layout = AtomLayout(0, tuple(size for part in parts for size in part.sizes))
    values = [value for part in parts for value in part.values]
    objective = float(np.sum(values))
    if callback:
        callback(0, objective)
    fields = ("keys", "distinct", "complete")
    spared = spared_classes(*(np.concatenate([getattr(p, name) for p in parts]) for name in fields))
    share = 1.0
    if len(spared):
        share = temperature(again(spared, member.settings), spared, member, layout, D)
    return Fitted(
        names,
        (View(member.lift, D, layout, member.rule, member.settings.ridge, share),),
        np.array([objective]),
        np.flatnonzero(np.concatenate([part.unused for part in parts])),
        tuple([value] for value in values),
        choice.scores,
        replace(choice, members=(replace(member, share=share),)),
    )
