"""Compare methods on the same features and splits, and keep every result as it comes.

Methods are whatever classifiers `crosslabel.estimators` exports, and three of scikit-learn's that
everybody knows. A record is a line of JSON under a key of the data, the features, the method and
the split: a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import Bunch

from crosslabel.commands.measure import Accuracy
from crosslabel.datasets.source import load_source
from crosslabel.datasets.splits import Split, half, per_class
from crosslabel.features.recipes import Settings, steps_for

WELL_KNOWN = {"svm": LinearSVC(), "knn": KNeighborsClassifier(1), "ridge": RidgeClassifier()}
Record = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One method's results over all splits.

    Parameters
    ----------
    method : str
    accuracies, per_class : list of float
        Overall and mean per class, one for each split.
    seconds : float
        Median time of training.
    problem : str or None
        Why the method has no result.
    """

    method: str
    accuracies: list[float]
    per_class: list[float]
    seconds: float
    problem: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        if self.problem is not None:
            return {"method": self.method, "problem": self.problem}
        return {
            "method": self.method,
            "mean": float(np.mean(self.accuracies)),
            "std": float(np.std(self.accuracies)),
            "mean_per_class": float(np.mean(self.per_class)),
            "splits": len(self.accuracies),
            "seconds": self.seconds,
        }


def known_methods() -> dict[str, Any]:
    """An unfitted classifier for each name: the library's own, then scikit-learn's."""
    from crosslabel import estimators
    from crosslabel.estimators.base import RepresentationClassifier

    own = {}
    for name in estimators.__all__:
        candidate = getattr(estimators, name)
        if issubclass(candidate, RepresentationClassifier):
            short = name.removesuffix("Classifier").lower().replace("classifiercv", "cv")
            own[short] = candidate()
    return own | WELL_KNOWN


def compare(
    path: str | os.PathLike[str],
    methods: Sequence[str] | None = None,
    *,
    features: str = "auto",
    settings: Settings | None = None,
    n_train: int | None = None,
    repeats: int = 5,
    seed: int = 0,
    records: str | os.PathLike[str] | None = None,
    strict: bool = False,
    advance: Callable[[str], None] | None = None,
) -> tuple[list[Row], Bunch]:
    """Accuracy of several methods over random splits of a folder or feature file.

    Parameters
    ----------
    path : path
        As of `load_source`.
    methods : sequence of str, default=None
        Names of `known_methods`; None for all.
    features : str, default="auto"
        A name of `crosslabel.features.recipes.RECIPES`, or "auto".
    settings : Settings, default=None
        Of the features.
    n_train : int, default=None
        Training samples per class; None for half of each class.
    repeats : int, default=5
        Random splits; a file that holds a split is used once, as it is.
    seed : int, default=0
    records : path, default=None
        File that keeps each result; what is in it is not computed again.
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    advance : callable, default=None
        Told of each result, computed or found.

    Returns
    -------
    rows : list of Row
        Best first.
    data : Bunch
        What was loaded, with `skipped`.
    """
    chosen = _chosen(methods, seed)
    data = load_source(path, strict=strict)
    settings = settings or Settings(seed=seed)
    kept = _Records(records)
    subject = joblib.hash([_fingerprint(data), features, settings, n_train])
    results: list[Record] = []
    for number, split in enumerate(_splits(data, n_train, repeats, seed)):
        keys = {n: joblib.hash([subject, n, m.get_params(), split]) for n, m in chosen.items()}
        missing = {n: m for n, m in chosen.items() if keys[n] not in kept.by_key}
        for record in _measure(missing, data, split, features, settings):
            kept.add({"key": keys[record["method"]], "split": number, **record})
            if advance is not None:
                advance(record["method"])
        for name in chosen.keys() - missing.keys():
            if advance is not None:
                advance(name)
        results.extend(kept.by_key[keys[name]] for name in chosen)
    return _rows(chosen, results), data


def _chosen(methods: Sequence[str] | None, seed: int) -> dict[str, Any]:
    known = known_methods()
    unknown = [name for name in methods or () if name not in known]
    if unknown:
        raise ValueError(
            f"There is no method {', '.join(map(repr, unknown))}. Known: {', '.join(known)}."
        )
    chosen = {name: clone(known[name]) for name in methods or known}
    for model in chosen.values():
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
    return chosen


def _splits(data: Bunch, n_train: int | None, repeats: int, seed: int) -> list[Split]:
    if data.train is not None:
        return [(data.train, data.test)]
    if n_train is None:
        return list(half(data.target, repeats=repeats, seed=seed))
    return list(per_class(data.target, n_train, repeats=repeats, seed=seed))


def _fingerprint(data: Bunch) -> Any:
    """What tells these data from others: the rows, or each file's name, size and time."""
    if data.kind == "features":
        return joblib.hash([data.samples, data.target])
    stats = [os.stat(name) for name in data.samples]
    return [(n, s.st_size, s.st_mtime_ns) for n, s in zip(data.samples, stats)]


def _measure(
    methods: dict[str, Any], data: Bunch, split: Split, features: str, settings: Settings
) -> Iterator[Record]:
    """A record for each method on one split; features are computed once for all of them."""
    if not methods:
        return
    train, test = split
    steps = steps_for(features, data.kind, settings, data.samples, len(train))
    extractor = Pipeline(steps) if steps else None
    rows = [_taken(data.samples, part) for part in (train, test)]
    X, Z = (
        (rows[0], rows[1])
        if extractor is None
        else (
            extractor.fit_transform(rows[0]),
            extractor.transform(rows[1]),
        )
    )
    names = data.target_names.tolist()
    for name, model in methods.items():
        started = time.perf_counter()
        try:
            fitted = clone(model).fit(X, data.target[train])
        # One method that cannot work on these data must not end the comparison.
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            yield {"method": name, "problem": str(error)}
            continue
        seconds = time.perf_counter() - started
        accuracy = Accuracy.of(data.target[test], fitted.predict(Z), names)
        yield {
            "method": name,
            "accuracy": accuracy.overall,
            "per_class": accuracy.mean_per_class,
            "seconds": seconds,
        }


def _taken(items: Any, indices: Any) -> Any:
    return items[indices] if isinstance(items, np.ndarray) else [items[i] for i in indices]


def _rows(chosen: dict[str, Any], results: list[Record]) -> list[Row]:
    rows = []
    for name in chosen:
        own = [record for record in results if record["method"] == name]
        problems = [record["problem"] for record in own if "problem" in record]
        if problems:
            rows.append(Row(name, [], [], float("nan"), problems[0]))
        else:
            values = {key: [r[key] for r in own] for key in ("accuracy", "per_class", "seconds")}
            median = float(np.median(values["seconds"]))
            rows.append(Row(name, values["accuracy"], values["per_class"], median))
    return sorted(rows, key=lambda row: -np.mean(row.accuracies) if row.accuracies else 1.0)


class _Records:
    """Results by key, in memory and, where a place is given, in a file that only grows."""

    def __init__(self, place: str | os.PathLike[str] | None) -> None:
        self.place = None if place is None else Path(place)
        self.by_key: dict[str, Record] = {}
        if self.place is not None and self.place.exists():
            for line in self.place.read_text("utf-8").splitlines():
                # A run that was killed while writing leaves half a line; its result is lost.
                if line.endswith("}"):
                    record = json.loads(line)
                    self.by_key[record["key"]] = record

    def add(self, record: Record) -> None:
        self.by_key[record["key"]] = record
        if self.place is not None:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            with open(self.place, "a", encoding="utf-8") as file:
                # The newline first, too: after half a line the next one must stand alone.
                file.write(f"\n{json.dumps(record)}\n")
