"""How far a run of cells is, how long it will take, and how a terminal shows both."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.table import Table

from crosslabel.lab.run import Outcome
from crosslabel.lab.spec import Cell, Spec

QUIET_SECONDS = 30.0  # between two lines of progress where there is no terminal


@dataclass
class Pace:
    """How far a run is, and how long it will take.

    Attributes
    ----------
    missing : list of Cell
        Cells that this run computes.
    jobs : int
        Cells that are computed at a time.
    """

    missing: list[Cell]
    jobs: int
    done: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    accuracies: dict[tuple[str, str, str], list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )
    problems: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Take note of a cell that has come back."""
        place = outcome.cell.place[:3]
        if outcome.record is None:
            self.problems.append(outcome)
            self.done[place].append(0.0)
            return
        self.done[place].append(outcome.record.cell_seconds)
        self.accuracies[place].append(outcome.record.accuracy)

    @property
    def finished(self) -> int:
        """Cells that have come back."""
        return sum(len(times) for times in self.done.values())

    def seconds_left(self) -> float | None:
        """Time of what is left, each cell by the mean of its like; None before the first.

        Its like are cells of the same method and setting; where there are none yet, of the same
        method; where there are none of these either, all.
        """
        if not self.finished:
            return None
        left: dict[tuple[str, str, str], int] = defaultdict(int)
        for cell in self.missing:
            left[cell.place[:3]] += 1
        total = 0.0
        for place, wanted in left.items():
            total += max(0, wanted - len(self.done[place])) * self._mean(place)
        return total / self.jobs

    def _mean(self, place: tuple[str, str, str]) -> float:
        for like in (3, 2, 0):
            times = [t for p, own in self.done.items() if p[:like] == place[:like] for t in own]
            if times:
                return sum(times) / len(times)
        return 0.0


Watch = Callable[[Spec, Pace], None]


@contextmanager
def progress_display(shown: bool) -> Iterator[Watch]:
    """A live table of what is being computed on a terminal, or a line now and then elsewhere."""
    console = Console(stderr=True)
    if not shown:
        yield lambda spec, progress: None
    elif console.is_terminal:
        with Live(console=console, refresh_per_second=4, transient=True) as live:
            yield lambda spec, progress: live.update(_live_table(spec, progress))
    else:
        told = [time.monotonic()]

        def tell(spec: Spec, progress: Pace) -> None:
            if time.monotonic() - told[0] >= QUIET_SECONDS:
                told[0] = time.monotonic()
                console.print(_line(spec, progress), highlight=False)

        yield tell


def _line(spec: Spec, progress: Pace) -> str:
    left = progress.seconds_left()
    return (
        f"{spec.name}: {progress.finished} of {len(progress.missing)} cells, {duration(left)} left"
    )


def _live_table(spec: Spec, progress: Pace) -> Table:
    wanted: dict[tuple[str, str, str], int] = defaultdict(int)
    for cell in progress.missing:
        wanted[cell.place[:3]] += 1
    table = Table(title=f"{spec.title}  ({_line(spec, progress)})")
    for column in ("method", "setting", "splits", "accuracy", "seconds a cell"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for place, total in wanted.items():
        times, scores = progress.done[place], progress.accuracies[place]
        if not times:
            continue
        score = f"{100 * sum(scores) / len(scores):.2f}" if scores else "failed"
        seconds = f"{sum(times) / len(times):.2f}"
        table.add_row(place[1], place[2], f"{len(times)}/{total}", score, seconds)
    return table


def duration(seconds: float | None) -> str:
    """Seconds as a person says them.

    Parameters
    ----------
    seconds : float or None

    Returns
    -------
    str
    """
    if seconds is None:
        return "unknown time"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
