"""Train classes where their samples lie: of Dask partitions, each block of classes in one task.

In the closed form every class is a problem of its own. What comes to the caller are the atoms; the
statistics stay with the workers, no more of them in one task than its block has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback
from crosslabel.flagship.by_class import LearntClasses, assembled, groups, learnt, problem_of
from crosslabel.flagship.choice import Choice
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.problem import Problem, Settings
from crosslabel.intake.class_partitions import ClassPartitions
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.partitions import merged
from crosslabel.intake.summary import Summary


def train_by_task(
    parts: ClassPartitions,
    choice: Choice,
    empty: Summary,
    memory_limit: int,
    callback: Callback | None = None,
    *,
    keeps: bool = False,
) -> tuple[Fitted, Summary | None]:
    """The model that `train` would give, and the summary of all samples if it is to be kept.

    Parameters
    ----------
    parts : ClassPartitions
    choice : Choice
        Of one member, whose rule is named and whose dictionary has a closed form.
    empty : Summary
        Without samples: the lift, and how many samples are kept.
    memory_limit : int
        Bytes that the work on one block of classes may take.
    callback : callable, optional
        Told of the one iteration.
    keeps : bool, default=False
    """
    import dask

    (member,), names = choice.members, parts.classes
    several = list(groups(parts.counts, empty.statistics.n_features, memory_limit))
    block = np.repeat(np.arange(len(several)), [len(classes) for classes in several])
    summaries, solve = parts.summaries(block, empty), dask.delayed(_solved)
    solved = [
        solve(each, member.settings, names, classes) for each, classes in zip(summaries, several)
    ]
    found, summary = dask.compute(solved, merged(summaries) if keeps else None)
    D, learnt_parts = _joined(found)

    def again(classes: NDArray[np.intp], settings: Settings) -> Problem:
        chosen = np.where(np.isin(np.arange(len(names)), classes), 0, -1)
        (few,) = dask.compute(*parts.summaries(chosen, empty))
        return problem_of(few, settings, names, classes)

    choice = replace(choice, n_samples=parts.total)
    return assembled(names, choice, D, learnt_parts, again, callback), summary


def _solved(
    summary: Summary, settings: Settings, names: ClassLabels, classes: NDArray[np.intp]
) -> tuple[Array, LearntClasses]:
    """Atoms of a block of classes, and what stays beside them; runs on a worker."""
    return learnt(problem_of(summary, settings, names, classes))


def _joined(found: Sequence[tuple[Array, LearntClasses]]) -> tuple[Array, list[LearntClasses]]:
    """One dictionary, and what stays of each block."""
    return np.concatenate([atoms for atoms, _ in found]), [part for _, part in found]
