"""A progress bar on standard error that follows the fit of a classifier through its callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from crosslabel.progress_bar import shown_later


class Task(Protocol):
    """What scikit-learn tells callbacks of a task."""

    task_name: str
    max_subtasks: int | None
    parent: Task | None


Watch = Callable[[object], None]
"""Makes a classifier report to a bar."""


@contextmanager
def training_bar(quiet: bool, name: str = "training") -> Iterator[Watch | None]:
    """Give a function that makes a classifier report to a bar; None where nothing is to be shown.

    With a scikit-learn that has no callbacks (before 1.9) the bar shows the time that goes by.

    Parameters
    ----------
    quiet : bool
    name : str, default="training"
        Of the work.
    """
    if quiet:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    progress, watched = Progress(*columns, console=Console(stderr=True)), list[object]()
    with shown_later(progress):
        task = progress.add_task(name, total=None)

        def watch(model: object) -> None:
            if hasattr(model, "set_callbacks"):
                model.set_callbacks(_Bar(progress, task, name))
                watched.append(model)

        try:
            yield watch
        finally:
            # A model that is stored or copied has nothing to report any more.
            for model in watched:
                model.set_callbacks()  # type: ignore[attr-defined]
        progress.update(task, description=f"{name}: done", total=1, completed=1)


class _Bar:
    """A callback in scikit-learn's protocol: each finished task moves the bar."""

    def __init__(self, progress: Progress, task: TaskID, name: str) -> None:
        self.progress, self.task, self.name = progress, task, name

    def setup(self, estimator: object, context: Task) -> None:
        """Learn how many tasks there will be."""
        self.progress.update(self.task, total=context.max_subtasks)

    def on_fit_task_begin(self, estimator: object, context: Task) -> None:
        """Name what is being done."""
        if context.parent is not None:
            self.progress.update(self.task, description=f"{self.name}: {context.task_name}")

    def on_fit_task_end(self, estimator: object, context: Task) -> bool:
        """Move the bar; never ask to stop."""
        if context.parent is not None:
            self.progress.advance(self.task)
        return False

    def teardown(self, estimator: object, context: Task) -> None:
        """Fill the bar: fewer iterations than allowed may have been enough."""
        self.progress.update(self.task, completed=context.max_subtasks)
