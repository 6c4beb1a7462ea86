"""From summaries and a choice to a trained model, anew or from the model before.

A dictionary is learnt in closed form at infinite suppression, else by iterations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.discriminant import Discriminant, discriminant
from crosslabel.core.moments import Moments
from crosslabel.core.rotation import exemplars
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback, Solution
from crosslabel.flagship.calibrate import calibrated
from crosslabel.flagship.choice import Choice, Member
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.problem import Problem
from crosslabel.flagship.solvers import SOLVERS
from crosslabel.flagship.start import start
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.summary import Summary

LOOKED_AT = 64
"""Samples of a class, drawn by their content, among which those are that its atoms look like."""


class Known(NamedTuple):
    """Atoms of a class that were learnt before from the same statistics, and their objective."""

    atoms: Array
    value: float


@dataclass(frozen=True)
class Before:
    """A model and the summary that it was learnt from."""

    summary: Summary
    fitted: Fitted


def train(
    summaries: Sequence[Summary],
    choice: Choice,
    classes: ClassLabels,
    callback: Callback | None = None,
    *,
    before: Before | None = None,
    first: Array | None = None,
    warm: Fitted | None = None,
) -> Fitted:
    """Learn each view of a choice from the summary of its lift.

    Parameters
    ----------
    summaries : sequence of Summary
        One for each member of the choice.
    choice : Choice
    classes : ndarray
        Labels of all classes, also of those that have no samples yet.
    callback : callable, optional
        Told of the iterations of the first view.
    before : Before, optional
        Classes whose statistics have not changed since keep their atoms, where each class is a
        problem of its own.
    first : ndarray, optional
        A dictionary for the first view to start from.
    warm : Fitted, optional
        A model whose dictionary it starts from, if that fits.
    """
    views, solutions = list[View](), list[Solution]()
    for summary, member in zip(summaries, choice.members):
        problem = Problem(summary, member.settings, classes)
        known = None if before is None else unchanged(problem, before)
        if warm is not None and not views:
            first = warm_dictionary(problem, warm)
        tell = None if views else callback
        solution = learn(problem, tell, known=known, first=first, is_shown=not views)
        first = None
        views.append(view_of(problem, member, solution))
        solutions.append(solution)
    shown = solutions[0]
    # The views have the discriminants; a choice that is kept is of other samples tomorrow.
    learnt = zip(choice.members, views)
    members = [replace(m, share=view.share, discriminant=None) for m, view in learnt]
    # A choice that is kept is still of as many as chose.
    n_samples = choice.n_samples or float(summaries[0].statistics.moments.counts.sum())
    choice = replace(choice, members=tuple(members), n_samples=n_samples)
    return Fitted(
        classes,
        tuple(views),
        np.array(shown.trace),
        np.flatnonzero(shown.unused),
        shown.apart,
        choice.scores,
        choice,
    )


def learn(
    problem: Problem,
    callback: Callback | None = None,
    *,
    known: Mapping[int, Known] | None = None,
    first: Array | None = None,
    is_shown: bool = True,
) -> Solution:
    """The dictionary of a problem, with its classes in the order of `problem.seen`.

    Parameters
    ----------
    problem : Problem
    callback : callable, optional
        Called as ``callback(iteration, objective)``; a true value stops.
    known : mapping of int to Known, optional
        Classes that are not to be learnt anew, where each is a problem of its own.
    first : ndarray of shape (n_atoms, n_features), optional
        A dictionary to start from instead of `init`.
    is_shown : bool, default=True
        Whether someone may look at the atoms: they then look like samples.
    """
    if problem.settings.is_closed_form:
        solution = _closed_form(problem, known or {}, is_shown)
        if callback:
            callback(0, solution.trace[-1])
        return solution
    return SOLVERS[problem.settings.solver](problem, first, callback)


def _closed_form(problem: Problem, known: Mapping[int, Known], is_shown: bool) -> Solution:
    """Every class for itself; those that are known stay."""
    layout, limit = problem.layout, problem.settings.limit
    penalties = problem.settings.penalties
    new = np.array([c for c in range(layout.n_classes) if c not in known], dtype=np.intp)
    if layout.shared or len(new) == layout.n_classes:
        with problem.naming(np.arange(layout.n_classes)):
            rows = likeness(problem, np.arange(layout.n_classes)) if is_shown else None
            return limit(problem.moments, layout, penalties, rows)
    part = AtomLayout(0, tuple(layout.per_class[c] for c in new))
    D = np.empty((layout.n_atoms, problem.moments.n_features), problem.summary.dtype)
    unused, values = np.zeros(layout.n_atoms, dtype=bool), np.empty(layout.n_classes)
    for c, (atoms, value) in known.items():
        D[layout.own(c)], values[c] = atoms, value
    if len(new):
        rows = likeness(problem, new) if is_shown else None
        found = limit(problem.moments.reordered(new), part, penalties, rows)
        for k, c in enumerate(new.tolist()):
            D[layout.own(c)] = found.dictionary[part.own(k)]
            unused[layout.own(c)] = found.unused[part.own(k)]
            values[c] = found.trace[-1] if len(new) == 1 else found.apart[k][-1]
    apart = tuple([value] for value in values.tolist())
    return Solution(D, [float(values.sum())], unused, apart)


def likeness(problem: Problem, classes: NDArray[np.intp]) -> Array | None:
    """Samples that the atoms of these classes shall look like; None where too few are kept.

    The rows of shared atoms, which look like nothing, come first where all classes are asked for.
    """
    sample, layout = problem.summary.sample, problem.layout
    starts = np.searchsorted(sample.labels, np.arange(layout.n_classes + 1))
    counts = np.minimum(np.diff(starts), LOOKED_AT)
    sizes = np.array(layout.per_class)
    if (counts[classes] < np.minimum(sizes[classes], LOOKED_AT)).any():
        return None
    found: dict[int, Array] = {}
    for n, k in {(int(counts[c]), int(sizes[c])) for c in classes}:
        alike = classes[(counts[classes] == n) & (sizes[classes] == k)]
        rows = sample.X[starts[alike][:, None] + np.arange(n)]
        chosen = exemplars(rows, k)
        for one, place, c in zip(rows, chosen, alike.tolist()):
            found[c] = one[place]
    shared = layout.shared if len(classes) == layout.n_classes else 0
    none = np.zeros((shared, sample.X.shape[1]))
    return np.concatenate([none, *(found[c] for c in classes.tolist())])


def view_of(problem: Problem, member: Member, solution: Solution) -> View:
    """What was learnt, with a place for classes that have no samples yet."""
    linear = None
    if member.shrinkage is not None and member.discriminant_share > 0:
        own = problem.summary.lift.keeps_features
        known = member.discriminant or discriminant(problem.moments, member.shrinkage, own)
        linear = _over_places(known, problem)
    return View(
        problem.summary.lift,
        solution.dictionary,
        problem.with_places(problem.layout),
        member.rule,
        member.settings.ridge,
        calibrated(problem, member, solution) if member.share is None else member.share,
        linear,
        member.discriminant_share,
    )


def _over_places(found: Discriminant, problem: Problem) -> Discriminant:
    """A class without samples gets the lowest score there is."""
    if len(problem.seen) == len(problem.classes):
        return found
    weights = np.zeros((len(problem.classes), found.weights.shape[1]), found.weights.dtype)
    offsets = np.full(len(problem.classes), found.offsets.min() - np.abs(found.weights).sum())
    weights[problem.seen], offsets[problem.seen] = found.weights, found.offsets
    return Discriminant(weights, offsets.astype(found.offsets.dtype))


def unchanged(problem: Problem, before: Before) -> dict[int, Known]:
    """Classes whose statistics are the very ones that the model before was learnt from."""
    old, view = before.fitted, before.fitted.view
    settings = problem.settings
    same = old.choice is not None and old.choice.members[0].settings.equals(settings)
    if not (same and settings.is_closed_form and old.apart):
        return {}
    names = {label: place for place, label in enumerate(before.summary.classes.tolist())}
    places = np.searchsorted(old.classes, before.summary.classes)
    now, then = problem.summary.statistics.moments, before.summary.statistics.moments
    known = {}
    for c, label in enumerate(problem.summary.classes.tolist()):
        b = names.get(label)
        if b is None or not _are_same(now, c, then, b):
            continue
        own = view.layout.own(int(places[b]))
        if own.stop - own.start == problem.layout.per_class[c]:
            known[c] = Known(view.dictionary[own], old.apart[b][-1])
    return known


def _are_same(now: Moments, c: int, then: Moments, b: int) -> bool:
    """Whether two classes have one statistic: adding to others copies no scatter."""
    same = now.scatters[c].array is then.scatters[b].array
    return same and bool(now.counts[c] == then.counts[b])


def continued(problem: Problem, fitted: Fitted | None) -> Array | None:
    """The present dictionary, with a start for classes that are new or grow.

    None where a dictionary is given as `init` and classes that it has atoms for are missing.
    """
    init, layout = problem.settings.init, problem.layout
    if not isinstance(init, str) and not callable(init):
        atoms = np.shape(init)[0]
        whole = problem.settings.shared_atoms + int(
            np.broadcast_to(problem.settings.atoms_per_class, len(problem.classes)).sum()
        )
        if atoms not in (layout.n_atoms, whole):
            return None
    D = start(problem)
    if fitted is None or fitted.view.layout.shared != layout.shared:
        return D
    old, names = fitted.view, {label: c for c, label in enumerate(fitted.classes.tolist())}
    kept = [names.get(label) for label in problem.summary.classes.tolist()]
    sizes = [0 if c is None else old.layout.per_class[c] for c in kept]
    same = [size == wanted for size, wanted in zip(sizes, layout.per_class)]
    if not any(same) or (not isinstance(init, str) and not all(same)):
        return D
    D[: layout.shared] = old.dictionary[: layout.shared]
    for c, (b, is_same) in enumerate(zip(kept, same)):
        if is_same and b is not None:
            D[layout.own(c)] = old.dictionary[old.layout.own(b)]
    return D


def warm_dictionary(problem: Problem, fitted: Fitted | None) -> Array | None:
    """The dictionary of the model before, for a warm start; None where it does not fit."""
    if fitted is None:
        return None
    layout, D = problem.with_places(problem.layout), fitted.view.dictionary
    same = layout == fitted.view.layout and np.array_equal(fitted.classes, problem.classes)
    if not same or D.shape[1] != problem.moments.n_features:
        return None
    return D.astype(problem.summary.dtype)
