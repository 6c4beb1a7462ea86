"""A progress bar on standard error, for whatever takes long. Imports nothing of the library."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 2.0
"""Seconds after which a bar appears: what is done sooner needs none."""


@contextmanager
def progress_bar(name: str | None, total: int) -> Iterator[Callable[..., None]]:
    """Give a function that moves a bar on by a count; without a name there is no bar.

    It takes the count and, where the work has a new name from now on, the name.

    Parameters
    ----------
    name : str or None
    total : int
    """
    if name is None:
        yield lambda count, name=None: None
        return
    # Put off: most programs that import the library show no bar.
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    display = Progress(*columns, console=Console(stderr=True))
    with shown_later(display):
        task = display.add_task(name, total=total)
        yield lambda count, name=None: display.update(task, advance=count, description=name)


@contextmanager
def shown_later(display: Progress) -> Iterator[None]:
    """Show a display once `PATIENCE` is over, and end it with the work.

    Parameters
    ----------
    display : rich.progress.Progress
    """
    ended, lock = False, threading.Lock()

    def show() -> None:
        with lock:
            if not ended:
                display.start()

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    if PATIENCE > 0:
        timer.start()
    else:
        show()
    try:
        yield
    finally:
        with lock:
            ended = True
        timer.cancel()
        if display.live.is_started:
            display.stop()
