"""One table for any data set: every method's accuracy, times and size, on the same splits.

Each cell, one method on one split, is a record of its own, written whole or not at all: a run that
was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_X_y

from crosslabel.files import write_whole

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Cell:
    """One method on one split.

    Attributes
    ----------
    accuracy : float
        Share of the test samples labelled rightly.
    fit_seconds : float
        Time of `fit`.
    query_seconds : float
        Time of `predict` on all test samples, per sample.
    model_bytes : int
        Size of the fitted estimator when pickled.
    """

    accuracy: float
    fit_seconds: float
    query_seconds: float
    model_bytes: int


@dataclass(frozen=True)
class Row:
    """One method over all splits: mean and standard deviation of accuracy, medians of the rest."""

    method: str
    accuracy: float
    deviation: float
    fit_seconds: float
    query_seconds: float
    model_bytes: float
    n_splits: int


def all_methods(random_state: int | None = 0) -> dict[str, Any]:
    """Every classifier of the library with its default parameters, unfitted, by name.

    Parameters
    ----------
    random_state : int or None, default=0
        Given to the methods that have one.
    """
    from crosslabel import estimators

    methods = {}
    for name in estimators.__all__:
        candidate = getattr(estimators, name)
        if issubclass(candidate, ClassifierMixin):
            model = candidate()
            if "random_state" in model.get_params():
                model.set_params(random_state=random_state)
            methods[name] = model
    return methods


def compare(
    X: ArrayLike,
    y: ArrayLike,
    splits: Iterable[Split],
    *,
    methods: Mapping[str, Any] | None = None,
    records: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[Row]:
    """Fit and score every method on every split.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    splits : iterable of (train, test) index arrays
        As of ``StratifiedKFold().split(X, y)``.
    methods : mapping from name to unfitted classifier, default=None
        A pipeline is a classifier too. None compares `all_methods`.
    records : path, default=None
        Folder that keeps each cell's record; a cell found there is not computed again.
    progress : bool, default=False
        Show a bar.

    Returns
    -------
    list of Row
        Most accurate first.
    """
    X, y = check_X_y(X, y, dtype=None)
    chosen = all_methods() if methods is None else dict(methods)
    cells = [(name, (train, test)) for train, test in splits for name in chosen]
    if not cells:
        raise ValueError("There is nothing to compare: give at least one split and one method.")
    data = joblib.hash([X, y])
    folder = None if records is None else Path(records)
    results: dict[str, list[Cell]] = {name: [] for name in chosen}
    with _bar(progress, len(cells)) as advance:
        for name, split in cells:
            model = chosen[name]
            key = joblib.hash([data, name, type(model).__name__, repr(model.get_params()), split])
            results[name].append(_cell(folder, key, model, X, y, split))
            advance(name)
    rows = [_row(name, found) for name, found in results.items()]
    return sorted(rows, key=lambda row: -row.accuracy)


def _cell(folder: Path | None, key: str, model: Any, X: Any, y: Any, split: Split) -> Cell:
    """The record of a cell, from its file where there is one."""
    if folder is None:
        return measure(model, X, y, split)
    path = folder / f"{key}.json"
    if path.exists():
        return Cell(**json.loads(path.read_text()))
    cell = measure(model, X, y, split)
    write_whole(path, lambda file: file.write(json.dumps(asdict(cell)).encode()))
    return cell


def measure(model: Any, X: Any, y: Any, split: Split) -> Cell:
    """Fit a clone on the training samples, predict the test samples, and time both.

    Parameters
    ----------
    model : classifier
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    split : (train, test) index arrays
    """
    train, test = split
    started = time.perf_counter()
    fitted = clone(model).fit(X[train], y[train])
    trained = time.perf_counter()
    predicted = fitted.predict(X[test])
    done = time.perf_counter()
    return Cell(
        accuracy=float(np.mean(predicted == y[test])),
        fit_seconds=trained - started,
        query_seconds=(done - trained) / max(1, len(test)),
        model_bytes=len(pickle.dumps(fitted)),
    )


def _row(method: str, cells: list[Cell]) -> Row:
    accuracies = [cell.accuracy for cell in cells]
    rest = {
        field.name: median(getattr(cell, field.name) for cell in cells)
        for field in fields(Cell)
        if field.name != "accuracy"
    }
    return Row(
        method, float(np.mean(accuracies)), float(np.std(accuracies)), n_splits=len(cells), **rest
    )


def table(rows: Iterable[Row]) -> str:
    """Rows as lines of text: accuracy in per cent, times and size in units that suit them.

    Parameters
    ----------
    rows : iterable of Row
    """
    lines = [f"{'method':<24}{'accuracy %':>15}{'fit s':>10}{'query ms':>11}{'model MB':>11}"]
    for row in rows:
        accuracy = f"{100 * row.accuracy:.2f} ± {100 * row.deviation:.2f}"
        lines.append(
            f"{row.method:<24}{accuracy:>15}{row.fit_seconds:>10.2f}"
            f"{1e3 * row.query_seconds:>11.3f}{row.model_bytes / 1e6:>11.2f}"
        )
    return "\n".join(lines)


class _bar:
    """A progress bar, or none: a context that gives the function to call after each cell."""

    def __init__(self, shown: bool, total: int) -> None:
        self.shown, self.total = shown, total

    def __enter__(self) -> Any:
        if not self.shown:
            return lambda name: None
        from rich.progress import Progress

        self.progress = Progress()
        self.progress.start()
        task = self.progress.add_task("", total=self.total)
        return lambda name: self.progress.update(task, advance=1, description=name)

    def __exit__(self, *problem: object) -> None:
        if self.shown:
            self.progress.stop()
