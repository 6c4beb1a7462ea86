"""Run tables and figures of the paper: what is missing, with progress, and ours beside theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib

from crosslabel.app.pace import Pace, Watch, progress_display
from crosslabel.datasets.root import MissingData, Root
from crosslabel.lab.measured import Measured, over_splits, rankings
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Record, Store
from crosslabel.lab.run import Outcome, chosen_cells, is_named, run_cells
from crosslabel.lab.spec import Cell, Spec
from crosslabel.lab.spec_files import load_spec, load_specs
from crosslabel.lab.verdicts import Verdict, ratios, verdicts

ALL = "all"


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
    chosen = list(found.values())
    _check_known(only, chosen or every)
    return chosen


def _check_known(only: Sequence[str], specs: Sequence[Spec]) -> None:
    """Refuse names that none of the tables has a method for."""
    known = sorted({method.name for spec in specs for method in spec.methods}, key=str.casefold)
    unknown = [one for one in only if not any(is_named(name, one) for name in known)]
    if unknown:
        raise ValueError(
            f"There is no method {', '.join(map(repr, unknown))} here. Known: {', '.join(known)}."
        )


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


def reproduce_all(
    specs: Sequence[Spec],
    folder: Path | None,
    tell: Callable[[str], None],
    *,
    jobs: int = 1,
    device: str = "cpu",
    only: Sequence[str] = (),
    limit_splits: int | None = None,
    features: Path | None = None,
    root: Root = None,
    quiet: bool = False,
) -> bool:
    """`reproduce` for one table after the other, with its progress and its lines.

    Parameters
    ----------
    specs : sequence of Spec
    folder : Path or None
        Of the store; None for the default one.
    tell : callable
        Gets each line of text.
    jobs, device, only, limit_splits, features, root : as for `reproduce`
    quiet : bool, default=False
        Show no progress.

    Returns
    -------
    bool
        Whether all went well: no cell failed, and the data of a table asked for alone are there.
    """
    well, store = True, Store(folder)
    for spec in specs:
        with progress_display(not quiet) as watch:
            result = reproduce(
                spec,
                store,
                jobs=jobs,
                device=device,
                only=only,
                limit_splits=limit_splits,
                features=features,
                root=root,
                watch=watch,
            )
        for line in lines(result):
            tell(line)
        well &= not result.problems and not (result.absent and len(specs) == 1)
    return well


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
