"""Run tables and figures of the paper: what is missing, with progress, and ours beside theirs."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import joblib
from rich.console import Console
from rich.live import Live
from rich.table import Table

from crosslabel.datasets.root import MissingData, Root
from crosslabel.lab.measured import Measured, over_splits, rankings
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Record, Store
from crosslabel.lab.run import Outcome, chosen_cells, run_cells
from crosslabel.lab.spec import Cell, Spec
from crosslabel.lab.spec_files import load_spec, load_specs
from crosslabel.lab.verdicts import Verdict, ratios, verdicts

ALL = "all"
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


@dataclass(frozen=True)
class Result:
    """A table or figure after a run.

    Attributes
    ----------
    spec : Spec
    records : dict of Cell to Record
        All that the store holds of it, from this run and earlier ones.
    computed : int
        Cells of this run.
    problems : list of Outcome
        Cells that could not be computed.
    absent : str
        What data are missing and how to get them; empty where they are there.
    """

    spec: Spec
    records: dict[Cell, Record]
    computed: int
    problems: list[Outcome]
    absent: str = ""


Watch = Callable[[Spec, Pace], None]


def selected(names: Sequence[str], only: Sequence[str] = ()) -> list[Spec]:
    """Specs by name; "all" stands for every one that has one of the methods.

    Parameters
    ----------
    names : sequence of str
    only : sequence of str, default=()
        Names of methods, with * for any part; none for all.

    Returns
    -------
    list of Spec
    """
    every = load_specs() if ALL in names else []
    found: dict[str, Spec] = {}
    for name in names:
        if name == ALL:
            found |= {spec.name: spec for spec in every if chosen_cells(spec, only, 1)}
        elif name not in found:
            found[name] = load_spec(name)
    return list(found.values())


def reproduce(
    spec: Spec,
    store: Store,
    *,
    jobs: int = 1,
    device: str = "cpu",
    only: Sequence[str] = (),
    limit_splits: int | None = None,
    features: Path | None = None,
    root: Root = None,
    watch: Watch | None = None,
) -> Result:
    """Compute the cells of a table that the store lacks.

    Parameters
    ----------
    spec : Spec
    store : Store
    jobs : int, default=1
        Processes; -1 for one on each core.
    device : str, default="cpu"
    only : sequence of str, default=()
        Names of methods, with * for any part; none for all.
    limit_splits : int, default=None
        Only the first splits.
    features : Path, default=None
        Folder of features that take long; None for the store's own.
    root : path, default=None
        Folder of data sets.
    watch : callable, default=None
        Told of progress after each cell.

    Returns
    -------
    Result
    """
    cells = chosen_cells(spec, only, limit_splits)
    if not cells:
        known = ", ".join(spec.method)
        raise ValueError(f"{spec.name} has no method {', '.join(only)}. Known: {known}.")
    missing = [cell for cell in cells if store.get(cell) is None]
    progress = Pace(missing, 1 if spec.serial else joblib.effective_n_jobs(jobs))
    absent = ""
    try:
        for outcome in run_cells(
            missing, store, jobs=jobs, device=device, features=features, root=root
        ):
            progress.add(outcome)
            if watch is not None:
                watch(spec, progress)
    except MissingData as error:
        absent = str(error)
    return Result(spec, store.found(spec.cells()), progress.finished, progress.problems, absent)


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


def lines(result: Result) -> Iterator[str]:
    """A table for a terminal: ours, the published value, and what that says.

    Parameters
    ----------
    result : Result

    Yields
    ------
    str
    """
    spec, records = result.spec, result.records
    yield f"{spec.name}: {spec.title}"
    if result.absent:
        yield f"  Not run: {result.absent}"
        return
    for quantity in spec.quantities:
        judged = verdicts(spec, records, quantity)
        shown = [one for one in over_splits(spec, records, quantity).values() if one.n]
        if not shown:
            continue
        yield f"  {quantity.replace('_', ' ')}"
        for measured in shown:
            yield _row(spec, measured, judged[measured.method, measured.setting])
    yield from _ranks(result)
    yield from _ratios(result)
    yield from _gaps(result)


def _ranks(result: Result) -> Iterator[str]:
    """Methods with a dictionary of one size, the most accurate first, in each column."""
    for setting, order in rankings(result.spec, result.records):
        names = ", ".join(f"{one.method} {one.value:.2f}" for one in order)
        yield f"  same dictionary size, {setting.label}: {names}"


def _row(spec: Spec, measured: Measured, verdict: Verdict) -> str:
    unit = "{:.3g} s" if QUANTITIES[measured.quantity].is_time else "{:.2f}"
    spread = "" if measured.n < 2 else " ± " + unit.format(measured.deviation)
    ours = unit.format(measured.value) + spread
    part = "" if measured.complete else f" ({measured.n} of {measured.wanted} splits)"
    row = f"    {measured.method:<12} {spec.setting[measured.setting].label:<24} {ours}{part}"
    if verdict.word == "unpublished":
        return row
    row += f"; published {unit.format(verdict.published)}: {verdict}"
    return f"{row}. {verdict.reason}" if verdict.reason else row


def _ratios(result: Result) -> Iterator[str]:
    """How many times as long one method takes as another, here and in the paper."""
    for one in ratios(result.spec, result.records):
        if one.reached is not None:
            what = one.ratio
            yield (
                f"  {what.quantity.replace('_', ' ')}, {what.slow} over {what.fast}: "
                f"{one.ours:.3g}; published {one.published:.3g}"
            )


def _gaps(result: Result) -> Iterator[str]:
    """What is not computed yet, and what could not be."""
    missing = sum(1 for _ in result.spec.cells()) - len(result.records)
    if missing:
        yield f"  {missing} cells are not computed yet."
    for outcome in result.problems:
        yield f"  {' '.join(map(str, outcome.cell.place))}: {outcome.problem}"
