"""`CrossLabelClassifierCV` beside `GridSearchCV`: the same grid, the same folds, one run.

Run: python -m benchmarks.selection
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

from benchmarks.lines import Line, show
from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV
from crosslabel.datasets import load_digits, load_orl
from crosslabel.features import Pixels

GRID = {
    "atoms_per_class": [8, 15],
    "suppression": [2.0, 2e3],
    "grouping": [2e-2, 5e-1],
    "ridge": [8e-3, 8e-2],
    "rule": ["global", "local"],
}


def _problems() -> Iterator[tuple[str, Any, Any]]:
    digits = load_digits()
    yield "digits", digits.images.reshape(len(digits.images), -1).astype(float), digits.target
    faces = load_orl()
    yield "ORL", Pixels((28, 23)).fit_transform(faces.images), faces.target


def lines() -> Iterator[Line]:
    for name, X, y in _problems():
        X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        start = time.perf_counter()
        ours = CrossLabelClassifierCV(
            atoms_per_class=GRID["atoms_per_class"], ridges=GRID["ridge"],
            suppressions=GRID["suppression"], groupings=GRID["grouping"], cv=folds, random_state=0,
        ).fit(X, y)  # fmt: skip
        middle = time.perf_counter()
        theirs = GridSearchCV(CrossLabelClassifier(random_state=0), GRID, cv=folds).fit(X, y)
        end = time.perf_counter()
        print(f"{name}: ours {ours.best_params_}, grid search {theirs.best_params_}")
        yield Line(f"{name}: grid search / ours, time", (end - middle) / (middle - start), ">=", 3)
        place = theirs.cv_results_["params"].index(ours.best_params_)
        behind = theirs.best_score_ - theirs.cv_results_["mean_test_score"][place]
        yield Line(
            f"{name}: grid search's score of our choice, points behind", 100 * behind, "<=", 0.2
        )
        ahead = 100 * (ours.score(X_test, y_test) - theirs.score(X_test, y_test))
        yield Line(f"{name}: test accuracy, points ahead", ahead, ">=", -0.2)


def main() -> None:
    show("Selection by cross-validation", lines())


if __name__ == "__main__":
    main()
