"""A progress bar on standard error, for whatever takes long. Imports nothing of the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(name: str | None, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that moves a bar on by a count; without a name there is no bar.

    Parameters
    ----------
    name : str or None
    total : int
    """
    if name is None:
        yield lambda count: None
        return
    # Put off: most programs that import the library show no bar.
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as display:
        task = display.add_task(name, total=total)
        yield lambda count: display.advance(task, count)
