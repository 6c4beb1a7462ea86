"""Fifteen dynamic textures: LBP-TOP and the flagship, trained on the earlier part of each video.

Parameters are chosen by cross-validation on the training clips.

Run: python -m benchmarks.dynamic_textures
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifierCV
from crosslabel.app.measure import Accuracy
from crosslabel.datasets import load_dynamic_textures
from crosslabel.datasets.splits import earlier_later
from crosslabel.features import LBPTOP

GRID = {
    "ridges": (1e-4, 1e-3, 1e-2, 1e-1),
    "groupings": (0.0, 1.0),
    "atoms_per_class": (2, 4, 6),
}


def lines() -> Iterator[Line]:
    """Accuracy on the later clips, of the bins and of their square roots."""
    data = load_dynamic_textures()
    started = time.perf_counter()
    X = LBPTOP(n_jobs=-1).fit_transform(data.images)
    print(f"LBP-TOP of {len(X)} clips: {time.perf_counter() - started:.1f} s")
    train, test = earlier_later(data.target, data.origins[:, 0])
    print(f"{len(train)} earlier clips train, {len(test)} later ones test")
    yield from judged("histograms", X, data, train, test)
    yield from judged("square roots", np.sqrt(X), data, train, test)


def judged(features: str, X, data, train, test) -> Iterator[Line]:
    names = data.target_names.tolist()
    folds = min(5, np.bincount(data.target[train]).min())
    flagship = CrossLabelClassifierCV(cv=folds, random_state=0, **GRID)
    svm = GridSearchCV(LinearSVC(max_iter=20_000), {"C": [1, 10, 100]}, cv=folds)
    for name, model in {"flagship": flagship, "linear SVM": svm}.items():
        predicted = model.fit(X[train], data.target[train]).predict(X[test])
        found = Accuracy.of(data.target[test], predicted, names)
        yield Line(f"{features}, {name}: accuracy, %", 100 * found.overall)
        print(f"    chosen on the training clips: {model.best_params_}")


if __name__ == "__main__":
    sys.exit(command("dynamic_textures", "15 dynamic textures", lambda given: lines()))
