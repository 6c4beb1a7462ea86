"""Run the cells of a table or comparison that are not in the store yet, each to a durable record.

A cell is one method at one setting on one split. The process that computes it also writes its
record, so that nothing is lost between the two; cells do not know of each other.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple, cast

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from threadpoolctl import threadpool_limits

from crosslabel._version import __version__
from crosslabel.datasets.root import Root
from crosslabel.lab.choice import chosen
from crosslabel.lab.estimators import NAMES, WELL_KNOWN, estimator_class
from crosslabel.lab.figure_data import Trained, extras, write_dictionary
from crosslabel.lab.inputs import Input, Inputs, load
from crosslabel.lab.pyramid_step import make_pyramids
from crosslabel.lab.records import Extra, Record, Store, machine
from crosslabel.lab.spec import Cell, Spec, SpecError

SINGLE_QUERIES = 100
"""Over so many the paper takes its time per query."""


class Prepared(NamedTuple):
    """What a cell is computed from: the rows that its method is given, and the unfitted method."""

    given: Input
    model: BaseEstimator


Prepare = Callable[[Cell], Prepared]


@dataclass(frozen=True)
class Outcome:
    """A cell that has been computed, or could not be.

    Attributes
    ----------
    cell : Cell
    record : Record or None
    problem : str
        Why there is no record.
    """

    cell: Cell
    record: Record | None
    problem: str = ""


def build(cell: Cell, device: str = "cpu") -> BaseEstimator:
    """The unfitted classifier of a cell.

    Parameters
    ----------
    cell : Cell
    device : str, default="cpu"
        Given to the methods that can use one.

    Returns
    -------
    classifier
    """
    name = cell.method.estimator
    model = _estimator(cell)
    known = model.get_params()
    unknown = sorted(cell.parameters.keys() - known.keys())
    if unknown:
        raise SpecError(f"{cell.spec.name}: {name} has no parameter {', '.join(unknown)}.")
    model.set_params(**cell.parameters)
    if "random_state" in known and "random_state" not in cell.parameters:
        model.set_params(random_state=cell.seed)
    if "device" in known and device != "cpu":
        model.set_params(device=device)
    return model


def _estimator(cell: Cell) -> BaseEstimator:
    name, known = cell.method.estimator, [*NAMES, *WELL_KNOWN]
    if name not in known:
        raise SpecError(
            f"{cell.spec.name}: there is no method {name!r}. Known: {', '.join(known)}."
        )
    return estimator_class(name)()


def chosen_cells(
    spec: Spec, only: Iterable[str] = (), limit_splits: int | None = None
) -> list[Cell]:
    """Cells of a spec in the order they are run: method by method, so that ours come first.

    Parameters
    ----------
    spec : Spec
    only : iterable of str, default=()
        Names of methods in any case, with * for any part of a name; none for all methods.
    limit_splits : int, default=None
        Only the first splits.

    Returns
    -------
    list of Cell
    """
    patterns = list(only)
    cells = [
        cell
        for cell in spec.cells(limit_splits)
        if not patterns or any(is_named(cell.method.name, p) for p in patterns)
    ]
    order = {method.name: number for number, method in enumerate(spec.methods)}
    return sorted(cells, key=lambda cell: (order[cell.method.name], cell.split))


def is_named(name: str, pattern: str) -> bool:
    """Whether a name is meant, in whatever case it was written; * stands for any part of it."""
    return fnmatchcase(name.casefold(), pattern.casefold())


def run_cells(
    cells: Iterable[Cell],
    store: Store,
    *,
    jobs: int = 1,
    device: str = "cpu",
    features: Path | None = None,
    root: Root = None,
) -> Iterator[Outcome]:
    """Compute cells and keep their records; each is given back as soon as it is on the disk.

    Parameters
    ----------
    cells : iterable of Cell
        Of one spec; those that have a record are left out.
    store : Store
    jobs : int, default=1
        Processes. A spec whose times are to be compared runs in one, whatever is said here.
    device : str, default="cpu"
    features : Path, default=None
        Folder of features that take long; None for the store's own.
    root : path, default=None
        Folder of data sets.

    Yields
    ------
    Outcome

    Raises
    ------
    MissingData
        Where the data set is absent; nothing has then been computed.
    """
    missing = [cell for cell in cells if store.get(cell) is None]
    if not missing:
        return
    data = load(missing[0].spec, root)  # what is missing is said before any process starts
    where = str(store.features if features is None else features)
    with threadpool_limits(1):  # as a cell's other inputs: the rounding is then the same
        make_pyramids(missing, data, Path(where), jobs)
    place = None if root is None else str(root)
    choices = str(store.choices)
    prepare = partial(prepare_cell, features=where, choices=choices, root=place, device=device)
    yield from compute(missing, store, prepare, jobs=jobs, device=device)


def compute(
    cells: Sequence[Cell],
    store: Store | None,
    prepare: Prepare,
    *,
    jobs: int = 1,
    device: str = "cpu",
) -> Iterator[Outcome]:
    """Fit and score every cell, whatever its rows and classifier come from.

    Parameters
    ----------
    cells : sequence of Cell
        Of one spec.
    store : Store or None
        None keeps no records.
    prepare : callable
        From a cell to its rows and its unfitted classifier; picklable where `jobs` is not 1.
    jobs : int, default=1
    device : str, default="cpu"
        Named in the records.

    Yields
    ------
    Outcome
    """
    serial = bool(cells) and cells[0].spec.serial
    workers = 1 if serial else joblib.effective_n_jobs(jobs)
    # A process of its own keeps the threads that its environment gives it.
    shared = max(1, joblib.cpu_count() // workers) if workers > 1 else None
    threads = 1 if serial else shared
    # One cell a task: the next worker that is free takes the next cell.
    pool = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
    with warnings.catch_warnings():
        # Kept inputs look like a leak to joblib: it then replaces a worker, and nothing is lost.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
        yield from pool(
            joblib.delayed(_guarded)(cell, store, prepare, device, threads) for cell in cells
        )


def _guarded(
    cell: Cell, store: Store | None, prepare: Prepare, device: str, threads: int | None
) -> Outcome:
    """One method that cannot work on these data must not end the table."""
    try:
        with threadpool_limits(threads):
            return Outcome(cell, _run(cell, store, prepare, device))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
        return Outcome(cell, None, f"{type(error).__name__}: {error}")


def prepare_cell(
    cell: Cell, *, features: str, choices: str, root: str | None = None, device: str = "cpu"
) -> Prepared:
    """Rows and classifier of a cell whose spec names its data set, features and estimator.

    Parameters
    ----------
    cell : Cell
    features : str
        Folder of features that take long.
    choices : str
        Folder of parameters that training samples chose.
    root : str, default=None
        Folder of data sets.
    device : str, default="cpu"

    Returns
    -------
    Prepared
    """
    inputs, make = _inputs(features, root), partial(build, device=device)
    model = make(cell)
    if cell.method.search:
        model.set_params(**chosen(cell, inputs.of, make, Path(choices)))
    return Prepared(inputs.of(cell), model)


@lru_cache(maxsize=1)
def _inputs(features: str, root: str | None) -> Inputs:
    """A process's own inputs, kept from cell to cell."""
    return Inputs(Path(features), root)


def _run(cell: Cell, store: Store | None, prepare: Prepare, device: str) -> Record:
    """Fit, predict, time both, and write the record."""
    started = time.perf_counter()
    # On one thread, whatever the method gets: its rounding, and so its hash, are then the same.
    with threadpool_limits(1):
        given, unfitted = prepare(cell)
    found = {name: unfitted.get_params()[name] for name in cell.method.search}
    trained, fit_seconds, query_seconds = _timed(clone(unfitted), given, cell.spec)
    overall, per_class = _accuracies(given.y_test, trained.predicted)
    record = Record(
        table=cell.spec.name,
        method=cell.method.name,
        setting=cell.setting.name,
        split=cell.split,
        seed=cell.seed,
        n_train=cell.setting.n_train,
        estimator=cell.method.estimator,
        parameters={**cell.parameters, **found},
        accuracy=overall,
        mean_per_class=per_class,
        fit_seconds=fit_seconds,
        query_seconds=query_seconds,
        cell_seconds=time.perf_counter() - started,
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        machine=machine(device),
        input_hash=given.digest,
        extra=cast(Extra, _sizes(given) | extras(cell.spec.keep, trained)),
    )
    if store is not None:
        if "dictionary" in cell.spec.keep and cell.split == 0:
            write_dictionary(store.dictionary_place(cell), trained)
        store.put(cell, record)
    return record


def _timed(model: BaseEstimator, given: Input, spec: Spec) -> tuple[Trained, float, float]:
    """The fitted model, the time of `fit`, and that of `predict` per query.

    Tables of times ask one query at a time, as the paper does; else all are asked at once.
    """
    begun = time.perf_counter()
    model.fit(given.X_train, given.y_train)
    fitted = time.perf_counter()
    predicted = model.predict(given.X_test)
    done = time.perf_counter()
    trained = Trained(
        model, given.X_test, given.y_test, predicted, given.names, given.pipeline, spec.codes_of
    )
    per_query = (done - fitted) / len(given.y_test)
    return trained, fitted - begun, _single(model, given) if spec.serial else per_query


def _single(model: BaseEstimator, given: Input) -> float:
    """Mean time of `predict` over single queries, spread evenly over the test samples."""
    places = np.linspace(0, len(given.X_test) - 1, SINGLE_QUERIES).astype(int)
    queries = [given.X_test[place : place + 1] for place in places]
    begun = time.perf_counter()
    for query in queries:
        model.predict(query)
    return (time.perf_counter() - begun) / SINGLE_QUERIES


def _accuracies(truth: NDArray[np.intp], predicted: NDArray[np.intp]) -> tuple[float, float]:
    """Share of all samples labelled rightly, and the mean of the classes' shares."""
    right = predicted == truth
    per_class = [right[truth == label].mean() for label in np.unique(truth)]
    return float(right.mean()), float(np.mean(per_class))


def _sizes(given: Input) -> dict[str, object]:
    return {
        "n_samples": len(given.y_train),
        "n_test": len(given.y_test),
        "n_features": given.X_train.shape[1],
        "n_classes": len(given.names),
    }
