"""The flagship's solvers by name: each learns a dictionary from a training set and a start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from crosslabel.core import reference
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback, Solution, learn
from crosslabel.flagship.training import TrainingSet

Solver = Callable[
    [TrainingSet, Array, AtomLayout, Penalties, int, float, Callback | None], Solution
]


def _from_statistics(
    training: TrainingSet,
    start: Array,
    layout: AtomLayout,
    penalties: Penalties,
    max_iter: int,
    tol: float,
    callback: Callback | None,
    *,
    method: str,
) -> Solution:
    run: Callable[..., Solution] = partial(learn, method=method)
    if training.device is not None:
        _check_on_device(method)
        from crosslabel.core.gpu import solver as on_device

        run = partial(on_device.learn, device=training.device)
    return run(
        training.statistics,
        start,
        layout,
        penalties,
        max_iter=max_iter,
        tol=tol,
        callback=callback,
    )


def _check_on_device(solver: str) -> None:
    if solver != "exact":
        raise ValueError(
            f"solver={solver!r} runs on the CPU only. Use solver='exact' with a device, or "
            "device=None and arrays."
        )


def _paper(
    training: TrainingSet,
    start: Array,
    layout: AtomLayout,
    penalties: Penalties,
    max_iter: int,
    tol: float,
    callback: Callback | None,
) -> Solution:
    """Algorithm 1, which knows no weights: a sample of weight w is repeated w times."""
    if training.device is not None:
        _check_on_device("paper")
    repeats = np.round(training.weights).astype(int)
    if not np.array_equal(repeats, training.weights):
        raise ValueError(
            "solver='paper' is Algorithm 1, which knows no fractional weights; got a sample of "
            f"weight {training.weights[repeats != training.weights][0]:g}. Use solver='exact'."
        )
    Y, labels = np.repeat(training.X, repeats, axis=0).T, np.repeat(training.labels, repeats)
    trace: list[float] = []

    def follow(iteration: int, D: Array, X: Array) -> bool:
        trace.append(reference.objective(Y, labels, D, X, layout, penalties))
        stop = bool(callback and callback(iteration, trace[-1]))
        # Its codes are a fixed-point step, so that the objective may rise on the way.
        return stop or (iteration > 0 and abs(trace[-2] - trace[-1]) < tol * trace[-1])

    D, X = reference.learn(Y, labels, start.T, layout, penalties, max_iter, follow)
    unused = np.logical_not(np.abs(X).max(axis=1))
    return Solution(np.ascontiguousarray(D.T, dtype=training.X.dtype), trace, unused)


SOLVERS: dict[str, Solver] = {
    "exact": partial(_from_statistics, method="exact"),
    "class": partial(_from_statistics, method="class"),
    "paper": _paper,
}
