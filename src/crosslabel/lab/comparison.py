"""One table for any data set: every method's accuracy, times and size, on the same splits.

A comparison is a spec made in memory, whose cells are computed by the runner and kept in the store
of the paper's tables (`run`, `records`): a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import median

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_X_y

from crosslabel.core.scaling import Array
from crosslabel.datasets.splits import Split
from crosslabel.lab.estimators import all_methods
from crosslabel.lab.inputs import Input
from crosslabel.lab.records import Record, Store
from crosslabel.lab.run import Prepared, compute
from crosslabel.lab.spec import Cell, Method, Spec, TableSetting
from crosslabel.progress_bar import progress_bar

HELD = 2**30
"""Bytes of features that are kept while others are computed."""
FEW = 4
"""Classes, and samples of each, that show how quick a method is."""

Features = Callable[[NDArray[np.intp], NDArray[np.intp]], tuple[Array, Array]]


@dataclass(frozen=True)
class Standing:
    """One method over all splits.

    Attributes
    ----------
    method : str
    accuracy, per_class : float
        Means of the shares of test samples labelled rightly, of all and in the mean of the classes.
    deviation : float or None
        Standard deviation of the accuracies, with n − 1 below the line; None for one split.
    fit_seconds, query_seconds, model_bytes : float
        Medians of the time of `fit`, of `predict` per query, and of the size of the pickled model.
    n_splits : int
        Splits on which it could be fitted.
    problem : str or None
        Why it could not be fitted to a split; the numbers are then NaN.
    """

    method: str
    accuracy: float = float("nan")
    deviation: float | None = None
    per_class: float = float("nan")
    fit_seconds: float = float("nan")
    query_seconds: float = float("nan")
    model_bytes: float = float("nan")
    n_splits: int = 0
    problem: str | None = None

    @classmethod
    def of(cls, method: str, records: list[Record]) -> Standing:
        """Sum up the records of one method."""
        accuracies = [record.accuracy for record in records]
        return cls(
            method,
            float(np.mean(accuracies)),
            float(np.std(accuracies, ddof=1)) if len(records) > 1 else None,
            float(np.mean([record.mean_per_class for record in records])),
            median(record.fit_seconds for record in records),
            median(record.query_seconds for record in records),
            median(record.extra["model_bytes"] for record in records),
            len(records),
        )

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        if self.problem is not None:
            return {"method": self.method, "problem": self.problem}
        return {name: value for name, value in asdict(self).items() if name != "problem"}


def compare(
    X: ArrayLike,
    y: ArrayLike,
    splits: Iterable[Split],
    *,
    methods: Mapping[str, BaseEstimator] | None = None,
    records: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[Standing]:
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
    list of Standing
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
    features: Features,
    y: ArrayLike,
    splits: Iterable[Split],
    *,
    subject: str,
    methods: Mapping[str, BaseEstimator] | None = None,
    records: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[Standing]:
    """`compare` on features that each split learns from its own training samples.

    Parameters
    ----------
    features : callable
        From the indices of training and test samples to the two arrays. Called once for a split,
        and not at all where every cell of it is recorded.
    y : array-like of shape (n_samples,)
    splits, methods, records, progress : as for `compare`
    subject : str
        What tells these data and features from others in the records.
    """
    chosen = all_methods() if methods is None else dict(methods)
    parts = list(splits)
    if not (parts and chosen):
        raise ValueError("There is nothing to compare: give at least one split and one method.")
    spec = _spec(subject, chosen, parts)
    store = None if records is None else Store(records)
    found = {} if store is None else store.found(spec.cells())
    missing = [cell for cell in spec.cells() if cell not in found]
    prepare = _preparing(features, y, parts, chosen)
    problems: dict[str, str] = {}
    with progress_bar("features" if progress else None, len(found) + len(missing)) as advance:
        advance(len(found))
        try:
            missing = _in_order(missing, chosen, prepare, len(parts))
            names = [f"{c.method.name}, split {c.split + 1} of {len(parts)}" for c in missing]
            advance(0, *names[:1])
            for outcome, following in zip(compute(missing, store, prepare), [*names[1:], "done"]):
                if outcome.record is None:
                    problems.setdefault(outcome.cell.method.name, outcome.problem)
                else:
                    found[outcome.cell] = outcome.record
                advance(1, following)
        except KeyboardInterrupt:
            raise StoppedComparison(_standings(chosen, found, problems)) from None
    return _standings(chosen, found, problems)


class StoppedComparison(KeyboardInterrupt):
    """Somebody had enough of a comparison; what was finished is not lost.

    Attributes
    ----------
    standings : list of Standing
        Of the methods that were fitted to a split, with as many splits as each has.
    """

    def __init__(self, standings: list[Standing]) -> None:
        super().__init__()
        self.standings = standings


def quickest_first(methods: Mapping[str, BaseEstimator], given: Input) -> list[str]:
    """Names of methods by the time that each takes for a few samples of a few classes.

    Parameters
    ----------
    methods : mapping from name to unfitted classifier
    given : Input

    Returns
    -------
    list of str
        Those that cannot be fitted last.
    """
    labels = given.y_train
    few = np.concatenate([np.flatnonzero(labels == c)[:FEW] for c in np.unique(labels)[:FEW]])
    seconds = {}
    for name, model in methods.items():
        begun = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of so few samples methods may well complain
                clone(model).fit(given.X_train[few], labels[few])
            seconds[name] = time.perf_counter() - begun
        except Exception:  # what is wrong with it is told when its turn comes
            seconds[name] = math.inf
    return sorted(methods, key=lambda name: seconds[name])


def _in_order(
    cells: list[Cell],
    methods: Mapping[str, BaseEstimator],
    prepare: Callable[[Cell], Prepared],
    n_splits: int,
) -> list[Cell]:
    """Quick methods first, over all splits where their features can be kept, else on each split."""
    if not cells or len(methods) < 2:
        return cells
    given = prepare(cells[0]).given
    rank = {name: place for place, name in enumerate(quickest_first(methods, given))}
    kept = n_splits * _size(given) <= HELD
    order = sorted(cells, key=lambda cell: rank[cell.method.name])
    return order if kept else sorted(order, key=lambda cell: cell.split)


def _size(given: Input) -> int:
    """Bytes of the features of a split."""
    return given.X_train.nbytes + given.X_test.nbytes


def _standings(
    methods: Iterable[str], records: Mapping[Cell, Record], problems: Mapping[str, str]
) -> list[Standing]:
    """A row for each method that was tried, the best first."""
    tried = {cell.method.name for cell in records} | set(problems)
    rows = [_standing(name, records, problems.get(name)) for name in methods if name in tried]
    return sorted(rows, key=lambda one: 1.0 if one.problem else -one.accuracy)


def _standing(name: str, records: Mapping[Cell, Record], problem: str | None) -> Standing:
    if problem is not None:
        return Standing(name, problem=problem)
    return Standing.of(name, [r for cell, r in records.items() if cell.method.name == name])


def _spec(subject: str, methods: Mapping[str, BaseEstimator], splits: list[Split]) -> Spec:
    """The comparison as a table with one column, whose splits are given by their indices."""
    return Spec(
        name="comparison",
        title="Comparison",
        data={"subject": subject},
        protocol={"kind": "given", "repeats": len(splits)},
        methods=tuple(
            Method(name, name, type(model).__name__, parameters=_words(model))
            for name, model in methods.items()
        ),
        settings=(TableSetting("given", "as given"),),
        keep=("size",),
        indices=tuple(joblib.hash(split) for split in splits),
    )


def _words(model: BaseEstimator) -> dict[str, object]:
    """Parameters as text: they may be objects of any kind, and only tell methods apart."""
    return {name: repr(value) for name, value in sorted(model.get_params().items())}


def _preparing(
    features: Features, y: ArrayLike, splits: list[Split], methods: Mapping[str, BaseEstimator]
) -> Callable[[Cell], Prepared]:
    names, labels = np.unique(np.asarray(y), return_inverse=True)

    kept: dict[int, Input] = {}

    def given(split: int) -> Input:
        if split not in kept:
            train, test = splits[split]
            X_train, X_test = features(train, test)
            arrays = (X_train, labels[train], X_test, labels[test])
            made = Input(*arrays, [str(name) for name in names], [], joblib.hash(arrays))
            if (len(kept) + 1) * _size(made) > HELD:
                kept.clear()
            kept[split] = made
        return kept[split]

    return lambda cell: Prepared(given(cell.split), methods[cell.method.name])


def table(standings: Iterable[Standing]) -> str:
    """Lines of text: accuracy in per cent, times and size in units that suit them.

    Parameters
    ----------
    standings : iterable of Standing
    """
    head = f"{'method':<20}{'accuracy %':>15}{'per class':>11}"
    lines = [f"{head}{'fit s':>10}{'query ms':>11}{'model MB':>11}{'splits':>8}"]
    for one in standings:
        if one.problem is not None:
            lines.append(f"{one.method:<20} {one.problem}")
            continue
        spread = "" if one.deviation is None else f" ± {100 * one.deviation:.2f}"
        lines.append(
            f"{one.method:<20}{f'{100 * one.accuracy:.2f}{spread}':>15}"
            f"{100 * one.per_class:>11.2f}{one.fit_seconds:>10.2f}"
            f"{1e3 * one.query_seconds:>11.3f}{one.model_bytes / 1e6:>11.2f}{one.n_splits:>8}"
        )
    return "\n".join(lines)
