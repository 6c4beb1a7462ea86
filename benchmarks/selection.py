"""`CrossLabelClassifierCV` beside `GridSearchCV`: the same grid, the same folds, one run.

Times are of the processor, so that other processes do not count.
Run: python -m benchmarks.selection
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

from benchmarks.lines import Line, show
from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV
from crosslabel.datasets import load_digits, load_orl
from crosslabel.features import Pixels

ATOMS, RIDGES, SHRINKAGES = (8, 15, 30), (1e-3, 1e-2, 1e-1, 5e-1), (1e-2, 1e-1, 1.0)
SAME = {"atoms_per_class": ATOMS, "ridge": RIDGES}
GRIDS: dict[str, list[dict[str, Any]]] = {
    "rules of the dictionary": [{**SAME, "rule": ["local", "global-length", "global-residual"]}],
    "all rules": [
        {**SAME, "rule": ["local", "global-length"]},
        {**SAME, "rule": ["joint"], "shrinkage": SHRINKAGES},
    ],
}
TURNS = 3
"""Of ours, whose median counts; a grid search is long enough to be timed once."""


def _problems() -> Iterator[tuple[str, Any, Any]]:
    digits = load_digits()
    yield "digits", digits.images.reshape(len(digits.images), -1).astype(float), digits.target
    faces = load_orl()
    yield "ORL", Pixels((28, 23)).fit_transform(faces.images), faces.target


def _seconds(model: CrossLabelClassifierCV | GridSearchCV, X: Any, y: Any) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def _place(settings: list[dict[str, Any]], wanted: dict[str, Any]) -> int:
    """Where the setting is listed that has these values wherever both name one."""
    return next(
        k
        for k, one in enumerate(settings)
        if all(one[name] == wanted[name] for name in one.keys() & wanted.keys())
    )


def lines() -> Iterator[Line]:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for name, X, y in _problems():
        X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)
        for rules, grids in GRIDS.items():
            tried = [rule for grid in grids for rule in grid["rule"]]
            ours = CrossLabelClassifierCV(
                atoms_per_class=ATOMS, ridges=RIDGES, rules=tried, shrinkages=SHRINKAGES,
                cv=folds, random_state=0,
            )  # fmt: skip
            theirs = GridSearchCV(
                CrossLabelClassifier(scale="unit", random_state=0), grids, cv=folds
            )
            ratio = _seconds(theirs, X, y) / median(_seconds(ours, X, y) for _ in range(TURNS))
            # Grid search's joint rule takes its weights, and which rule it joins, from folds within
            # the fold: it may choose otherwise. One face of ORL's test set is half a point.
            near = 0.5 if "joint" in tried else 0.2
            what = f"{name}, {rules}"
            yield Line(f"{what}: grid search / ours, time", ratio, ">=", 40)
            listed, found = theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"]
            behind = theirs.best_score_ - found[_place(listed, ours.best_params_)]
            yield Line(
                f"{what}: grid search's score of our choice, points behind",
                100 * behind,
                "<=",
                near,
            )
            ahead = round(100 * (ours.score(X_test, y_test) - theirs.score(X_test, y_test)), 9)
            yield Line(f"{what}: test accuracy, points ahead", ahead, ">=", -near)
            if "joint" not in tried:
                places = [_place(ours.cv_results_["params"], one) for one in listed]
                apart = np.abs(found - ours.cv_results_["mean_test_score"][places])
                yield Line(f"{what}: scores apart, points", 100 * apart.max(), "<=", 1e-9)


def main() -> None:
    show("Selection by cross-validation", lines())


if __name__ == "__main__":
    main()
