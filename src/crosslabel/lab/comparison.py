"""One table for any data set: every method's accuracy, times and size, on the same splits.

Each cell, one method on one split, is a record of its own, written whole or not at all: a run that
was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.utils import check_X_y

from crosslabel.features.extraction import progress_bar
from crosslabel.files.whole import write_whole

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
WELL_KNOWN = {"svm": LinearSVC(), "knn": KNeighborsClassifier(1), "ridge": RidgeClassifier()}


@dataclass(frozen=True)
class Cell:
    """One method on one split.

    Attributes
    ----------
    accuracy : float
        Share of the test samples labelled rightly.
    per_class : float
        Mean of the classes' accuracies.
    fit_seconds : float
        Time of `fit`.
    query_seconds : float
        Time of `predict` on all test samples, per sample.
    model_bytes : int
        Size of the fitted estimator when pickled.
    problem : str or None
        Why the method could not be fitted to these samples; the numbers are then NaN.
    """

    accuracy: float
    per_class: float
    fit_seconds: float
    query_seconds: float
    model_bytes: float
    problem: str | None = None


@dataclass(frozen=True)
class Row:
    """One method over all splits: mean and standard deviation of accuracy, medians of the rest."""

    method: str
    accuracy: float
    deviation: float
    per_class: float
    fit_seconds: float
    query_seconds: float
    model_bytes: float
    n_splits: int
    problem: str | None = None

    @classmethod
    def of(cls, method: str, cells: list[Cell]) -> Row:
        """Sum up the cells of one method; the first problem stands for all."""
        accuracies = [cell.accuracy for cell in cells]
        return cls(
            method,
            float(np.mean(accuracies)),
            float(np.std(accuracies)),
            float(np.mean([cell.per_class for cell in cells])),
            median(cell.fit_seconds for cell in cells),
            median(cell.query_seconds for cell in cells),
            median(cell.model_bytes for cell in cells),
            len(cells),
            next((cell.problem for cell in cells if cell.problem is not None), None),
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        if self.problem is not None:
            return {"method": self.method, "problem": self.problem}
        return {name: value for name, value in asdict(self).items() if name != "problem"}


def all_methods(random_state: int | None = 0) -> dict[str, Any]:
    """An unfitted classifier for each name: the library's own by short names, then scikit-learn's.

    Parameters
    ----------
    random_state : int or None, default=0
        Given to the methods that have one.
    """
    from crosslabel.lab import estimators

    own = {}
    for name in estimators.NAMES:
        candidate = estimators.estimator_class(name)
        # What wraps another classifier is no method of its own.
        if issubclass(candidate, ClassifierMixin) and not issubclass(candidate, MetaEstimatorMixin):
            short = name.removesuffix("Classifier").lower().replace("classifiercv", "cv")
            own[short] = candidate()
    methods = {name: clone(model) for name, model in (own | WELL_KNOWN).items()}
    for model in methods.values():
        if "random_state" in model.get_params():
            model.set_params(random_state=random_state)
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
    samples, labels = check_X_y(X, y, dtype=None)
    return compare_features(
        lambda train, test: (samples[train], samples[test]),
        labels,
        splits,
        subject=joblib.hash([samples, labels]),
        methods=methods,
        records=records,
        progress=progress,
    )


def compare_features(
    features: Callable[[NDArray[np.intp], NDArray[np.intp]], tuple[Any, Any]],
    y: NDArray[Any],
    splits: Iterable[Split],
    *,
    subject: str,
    methods: Mapping[str, Any] | None = None,
    records: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[Row]:
    """`compare` on features that each split learns from its own training samples.

    Parameters
    ----------
    features : callable
        From the indices of training and test samples to the two arrays. Called once for a split,
        and not at all where every cell of it is recorded.
    y : ndarray of shape (n_samples,)
    splits, methods, records, progress : as for `compare`
    subject : str
        What tells these data and features from others in the records.
    """
    chosen = all_methods() if methods is None else dict(methods)
    splits = list(splits)
    if not (splits and chosen):
        raise ValueError("There is nothing to compare: give at least one split and one method.")
    folder = None if records is None else Path(records)
    results: dict[str, list[Cell]] = {name: [] for name in chosen}
    with progress_bar("results" if progress else None, len(splits) * len(chosen)) as advance:
        for split in splits:
            rows = cache(lambda split=split: features(*split))
            labels = y[split[0]], y[split[1]]
            for name, model in chosen.items():
                described = [subject, name, type(model).__name__, repr(model.get_params()), split]
                make = _measuring(model, rows, labels)
                results[name].append(_recorded(folder, joblib.hash(described), make))
                advance(1)
    found = [Row.of(name, cells) for name, cells in results.items()]
    return sorted(found, key=lambda row: 1.0 if row.problem else -row.accuracy)


def _measuring(model: Any, rows: Callable[[], tuple[Any, Any]], labels: Any) -> Callable[[], Cell]:
    def make() -> Cell:
        (X, Z), (y, truth) = rows(), labels
        return measure(model, X, y, Z, truth)

    return make


def _recorded(folder: Path | None, key: str, make: Callable[[], Cell]) -> Cell:
    """The record of a cell, from its file where there is one."""
    if folder is None:
        return make()
    path = folder / f"{key}.json"
    if path.exists():
        return Cell(**json.loads(path.read_text()))
    cell = make()
    write_whole(path, lambda file: file.write(json.dumps(asdict(cell)).encode()))
    return cell


def measure(model: Any, X: Any, y: Any, queries: Any, truth: Any) -> Cell:
    """Fit a clone to samples, predict queries, and time both.

    Parameters
    ----------
    model : classifier
    X, queries : ndarray of shape (n_samples, n_features)
    y, truth : ndarray of shape (n_samples,)
    """
    started = time.perf_counter()
    try:
        fitted = clone(model).fit(X, y)
    # One method that cannot work on these data must not end the comparison.
    except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
        nothing = float("nan")
        return Cell(nothing, nothing, nothing, nothing, nothing, str(error))
    trained = time.perf_counter()
    predicted = fitted.predict(queries)
    done = time.perf_counter()
    return Cell(
        accuracy=float(np.mean(predicted == truth)),
        per_class=float(balanced_accuracy_score(truth, predicted)),
        fit_seconds=trained - started,
        query_seconds=(done - trained) / max(1, len(truth)),
        model_bytes=len(pickle.dumps(fitted)),
    )


def table(rows: Iterable[Row]) -> str:
    """Rows as lines of text: accuracy in per cent, times and size in units that suit them.

    Parameters
    ----------
    rows : iterable of Row
    """
    head = f"{'method':<20}{'accuracy %':>15}{'per class':>11}"
    lines = [f"{head}{'fit s':>10}{'query ms':>11}{'model MB':>11}"]
    for row in rows:
        if row.problem is not None:
            lines.append(f"{row.method:<20} {row.problem}")
            continue
        accuracy = f"{100 * row.accuracy:.2f} ± {100 * row.deviation:.2f}"
        lines.append(
            f"{row.method:<20}{accuracy:>15}{100 * row.per_class:>11.2f}{row.fit_seconds:>10.2f}"
            f"{1e3 * row.query_seconds:>11.3f}{row.model_bytes / 1e6:>11.2f}"
        )
    return "\n".join(lines)
