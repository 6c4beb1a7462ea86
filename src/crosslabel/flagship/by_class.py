"""Train some classes at a time, where all of them at once would not fit into memory.

In the closed form every class is a problem of its own, and of a model that is named and keeps no
summary nothing but the atoms is needed afterwards: samples and statistics of a group of classes go
before those of the next one come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from crosslabel.flagship.choice import Choice, Member
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

    def problem(self, classes: NDArray[np.intp], settings: Settings) -> Problem:
        """To learn some of the classes."""
        wanted = wanted_atoms(settings.atoms_per_class, len(self.classes))[classes]
        spans = [self.order[self.starts[c] : self.starts[c + 1]] for c in classes.tolist()]
        rows = np.sort(np.concatenate(spans))
        names = self.classes[self.labels[rows]]
        summary = self.empty.absorb(self.read(rows), names, self.weights[rows])
        return Problem(
            summary, replace(settings, atoms_per_class=wanted.tolist()), self.classes[classes]
        )

    def room(self, settings: Settings) -> Array:
        """As many rows as all classes together can have atoms."""
        wanted = wanted_atoms(settings.atoms_per_class, len(self.classes))
        most = int(np.minimum(wanted, np.diff(self.starts)).sum())
        return np.empty((most, self.empty.statistics.n_features), self.empty.dtype)

    def groups(self, memory_limit: int) -> Iterator[NDArray[np.intp]]:
        """Classes that follow one another, so few that learning them fits into the limit."""
        starts, width = self.starts, self.empty.statistics.n_features
        n_rows, first = memory_limit // (4 * COPIES * max(1, width)), 0
        while first < len(self.classes):
            end = int(np.searchsorted(starts, starts[first] + n_rows, side="right")) - 1
            last = max(first + 1, end)
            yield np.arange(first, last)
            first = last


class _Learnt(NamedTuple):
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
    (member,), starts = choice.members, source.starts
    D = source.room(member.settings)
    parts, end = list[_Learnt](), 0
    for classes in source.groups(memory_limit):
        atoms, part = _learnt(source.problem(classes, member.settings))
        D[end : end + len(atoms)], end = atoms, end + len(atoms)
        parts.append(part)
        advance(int(starts[classes[-1] + 1] - starts[classes[0]]))
    D = D[:end]
    layout = AtomLayout(0, tuple(size for part in parts for size in part.sizes))
    values = [value for part in parts for value in part.values]
    objective = float(np.sum(values))
    if callback:
        callback(0, objective)
    share = _temperature(source, parts, member, layout, D)
    view = View(member.lift, D, layout, member.rule, member.settings.ridge, share)
    members = (replace(member, share=share),)
    return Fitted(
        source.classes,
        (view,),
        np.array([objective]),
        np.flatnonzero(np.concatenate([part.unused for part in parts])),
        tuple([value] for value in values),
        choice.scores,
        replace(choice, members=members, n_samples=float(source.weights.sum())),
    )


def _temperature(
    source: ClassSource, parts: list[_Learnt], member: Member, layout: AtomLayout, D: Array
) -> float:
    """As `calibrated`, from samples of a few classes that are read again."""
    names = ("keys", "distinct", "complete")
    spared = spared_classes(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))
    if not len(spared):
        return 1.0
    few = source.problem(spared, member.settings)
    return temperature(few, spared, member, layout, D)


def _learnt(problem: Problem) -> tuple[Array, _Learnt]:
    """Atoms of some classes, and what stays beside them."""
    found, sample = learn(problem), problem.summary.sample
    distinct = np.bincount(sample.labels, minlength=problem.layout.n_classes)
    values = [trace[-1] for trace in found.apart]
    sizes = problem.layout.per_class
    keys, complete = problem.summary.keys, sample.is_complete
    return found.dictionary, _Learnt(sizes, values, found.unused, keys, distinct, complete)
