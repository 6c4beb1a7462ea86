"""From summaries and a choice to a trained model, anew or from the model before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosslabel.core.discriminant import Discriminant, discriminant
from crosslabel.core.moments import Moments
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback, Solution
from crosslabel.flagship.calibrate import calibrated
from crosslabel.flagship.choice import Choice, Member
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.learn import Known, learn
from crosslabel.flagship.problem import Problem
from crosslabel.flagship.start import start
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.summary import Summary


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
    n_samples = float(summaries[0].statistics.counts.sum())
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
    same_settings = old.choice is not None and old.choice.members[0].settings == problem.settings
    if not (same_settings and problem.settings.is_closed_form and old.apart):
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
