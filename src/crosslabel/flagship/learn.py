"""From a problem to a dictionary: the closed form at infinite suppression, else iterations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core import reference
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import UndeterminedCodesError
from crosslabel.core.memory import check_room
from crosslabel.core.rotation import exemplars
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback, Solution
from crosslabel.core.solver import learn as iterate
from crosslabel.flagship.problem import Problem
from crosslabel.flagship.start import start
from crosslabel.intake.devices import device_solver

LOOKED_AT = 64
"""Samples of a class, drawn by their content, among which those are that its atoms look like."""

INSTEAD = "Use suppression=inf, whose cost is linear in the number of classes, or fewer atoms."


class Known(NamedTuple):
    """Atoms of a class that were learnt before from the same statistics, and their objective."""

    atoms: Array
    value: float


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
    D = start(problem) if first is None else first
    return SOLVERS[problem.settings.solver](problem, D, callback)


def _closed_form(problem: Problem, known: Mapping[int, Known], is_shown: bool) -> Solution:
    """Every class for itself; those that are known stay."""
    layout, limit = problem.layout, problem.settings.limit
    penalties = problem.settings.penalties
    new = np.array([c for c in range(layout.n_classes) if c not in known], dtype=np.intp)
    if layout.shared or len(new) == layout.n_classes:
        with _naming(problem, np.arange(layout.n_classes)):
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


@contextmanager
def _naming(problem: Problem, order: NDArray[np.intp]) -> Iterator[None]:
    """Errors about a class come out under its name."""
    try:
        yield
    except UndeterminedCodesError as error:
        raise error.named(problem.summary.classes.tolist()[order[error.label]]) from None


def _exact(problem: Problem, D: Array, callback: Callback | None) -> Solution:
    """Codes and atoms in turn, from the statistics alone.

    Classes are updated in an order that does not depend on their names.
    """
    settings, order = problem.settings, problem.canonical
    layout, atoms = problem.layout.reordered(order)
    limit = np.isinf(settings.suppression)
    if not limit:
        # The Gram matrix, its factor and the moment XᵀX.
        check_room(3, layout.n_atoms, "atoms", "A finite suppression", INSTEAD)
    run: Callable[..., Solution] = partial(iterate, method="class" if limit else "exact")
    if settings.device is not None and not limit:
        run = device_solver(settings.device)
    with _naming(problem, order):
        found = run(
            problem.moments.reordered(order),
            D[atoms],
            layout,
            settings.penalties,
            max_iter=settings.max_iter,
            tol=settings.tol,
            callback=callback,
        )
    back = np.argsort(atoms)
    apart = tuple(found.apart[c] for c in np.argsort(order)) if found.apart else ()
    return Solution(
        np.ascontiguousarray(found.dictionary[back]), found.trace, found.unused[back], apart
    )


def _paper(problem: Problem, D: Array, callback: Callback | None) -> Solution:
    """Algorithm 1, which knows no weights: a sample of weight w is repeated w times.

    Classes are updated in the order of their labels.
    """
    _check_paper(problem)
    settings, sample = problem.settings, problem.summary.sample
    repeats = np.round(sample.weights).astype(int)
    Y, labels = np.repeat(sample.X, repeats, axis=0).T, np.repeat(sample.labels, repeats)
    layout, penalties, trace = problem.layout, settings.penalties, list[float]()

    def follow(iteration: int, D: Array, X: Array) -> bool:
        trace.append(reference.objective(Y, labels, D, X, layout, penalties))
        stop = bool(callback and callback(iteration, trace[-1]))
        # Its codes are a fixed-point step, so that the objective may rise on the way.
        change = abs(trace[-2] - trace[-1]) if iteration > 0 else np.inf
        return stop or change < settings.tol * trace[-1]

    D, X = reference.learn(Y, labels, D.T, layout, penalties, settings.max_iter, follow)
    unused = np.logical_not(np.abs(X).max(axis=1))
    return Solution(np.ascontiguousarray(D.T, dtype=problem.summary.dtype), trace, unused)


def _check_paper(problem: Problem) -> None:
    """Algorithm 1 needs the samples themselves, whole weights, a finite λ and the host."""
    settings, weights = problem.settings, problem.summary.sample.weights
    if settings.device is not None:
        raise ValueError(
            "solver='paper' runs on the CPU only. Use solver='exact' with a device, or device=None "
            "and arrays."
        )
    if np.isinf(settings.suppression):
        raise ValueError(
            "solver='paper' is Algorithm 1, which needs a finite suppression; got inf. Name one, "
            "such as suppression=2e3, or use solver='exact'."
        )
    if not problem.summary.sample.is_complete.all():
        raise ValueError(
            "solver='paper' is Algorithm 1, which needs all samples, but the stream keeps only "
            f"{problem.summary.sample.size} of each class. Raise kept_samples, or use "
            "solver='exact'."
        )
    fractional = weights != np.round(weights)
    if fractional.any():
        raise ValueError(
            "solver='paper' is Algorithm 1, which knows no fractional weights; got a sample of "
            f"weight {weights[fractional][0]:g}. Use solver='exact'."
        )


Solver = Callable[[Problem, Array, Callback | None], Solution]

SOLVERS: dict[str, Solver] = {"exact": _exact, "paper": _paper}
