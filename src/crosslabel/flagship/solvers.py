"""How a dictionary is learnt where there is something to iterate: every solver by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from crosslabel.core import reference
from crosslabel.core.memory import check_room
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback, Solution
from crosslabel.core.solver import learn as iterate
from crosslabel.flagship.problem import Problem
from crosslabel.flagship.start import start
from crosslabel.intake.devices import device_solver

LONGEST = 40
"""Most sweeps of the limit before the iterations of a finite λ."""
INSTEAD = "Use suppression=inf, whose cost is linear in the number of classes, or fewer atoms."


def _exact(
    problem: Problem, first: Array | None, callback: Callback | None, momentum: bool = False
) -> Solution:
    """Codes and atoms in turn, from the statistics alone, perhaps with momentum.

    Classes are updated in an order that does not depend on their names.
    """
    settings, order = problem.settings, problem.canonical
    D = start(problem) if first is None else first
    layout, atoms = problem.layout.reordered(order)
    limit = np.isinf(settings.suppression)
    if not limit:
        # The Gram matrix, its factor and the moment XᵀX.
        check_room(3, layout.n_atoms, "atoms", "A finite suppression", INSTEAD)
    # On the host classes that share nothing stop each by itself.
    there = settings.device is not None and (layout.shared > 0 or not limit)
    run: Callable[..., Solution] = device_solver(str(settings.device)) if there else iterate
    with problem.naming(order):
        found = run(
            problem.moments.reordered(order),
            D[atoms],
            layout,
            settings.penalties,
            method="class" if limit else "exact",
            momentum=momentum,
            approach=_approach(problem) if momentum and first is None else 0,
            max_iter=settings.max_iter,
            tol=settings.tol,
            callback=callback,
        )
    back = np.argsort(atoms)
    apart = tuple(found.apart[c] for c in np.argsort(order)) if found.apart else ()
    return Solution(
        np.ascontiguousarray(found.dictionary[back]), found.trace, found.unused[back], apart
    )


def _approach(problem: Problem) -> int:
    """How many sweeps of the limit lead from the closed form to iterations of a finite λ.

    Of few classes they cost no less than these iterations, so that there are as few of them.
    """
    settings, layout = problem.settings, problem.layout
    takes = settings.starts_closed and 0 < settings.suppression < np.inf and settings.ridge > 0
    return min(LONGEST, 2 * layout.n_classes) if takes and layout.shared else 0


def _paper(problem: Problem, first: Array | None, callback: Callback | None) -> Solution:
    """Algorithm 1, which knows no weights: a sample of weight w is repeated w times.

    Classes are updated in the order of their labels.
    """
    _check_paper(problem)
    D = start(problem) if first is None else first
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


Solver = Callable[[Problem, Array | None, Callback | None], Solution]
"""Begins with a given dictionary, or else with the start of the problem."""

SOLVERS: dict[str, Solver] = {
    "exact": _exact,
    "accelerated": partial(_exact, momentum=True),
    "paper": _paper,
}
