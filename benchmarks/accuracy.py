"""Accuracy of the flagship on real data: the paper's settings, and the defaults with nothing tuned.

Run: python -m benchmarks.accuracy        (needs $CROSSLABEL_DATA; sets that are absent are skipped)

Each figure is the mean of ten random splits. The rivals are scikit-learn's own defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.lines import Line, lines_of, show
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_digits, load_extended_yale_b, load_orl, load_yale
from crosslabel.datasets.splits import Split, half, per_class
from crosslabel.features import Eigenfaces, Pixels, RandomFaces

SPLITS = 10
FACE = (54, 48)


def extended_yale_b_eigenfaces() -> Iterator[Line]:
    """The paper's setting with λ = ∞: un-centred 300-dimensional eigenfaces of unit-norm images."""
    data = load_extended_yale_b()
    pixels, y = Pixels(FACE).fit_transform(data.images), data.target
    for n_train, atoms, bar in ((10, 10, 93.0), (20, 15, 97.0), (32, 15, 98.4)):
        scores = []
        for train, test in per_class(y, n_train, repeats=SPLITS):
            faces = Eigenfaces(300).fit(pixels[train])
            model = CrossLabelClassifier(
                atoms_per_class=atoms, ridge=8e-3, grouping=2e-2, rule="global",
                random_state=0,
            ).fit(faces.transform(pixels[train]), y[train])  # fmt: skip
            scores.append(model.score(faces.transform(pixels[test]), y[test]))
        yield _line(f"Extended Yale B, eigenfaces, {n_train} per person, global", scores, ">=", bar)


def yale() -> Iterator[Line]:
    data = load_yale(crops=True)
    X, y = Pixels((24, 24)).fit_transform(data.images), data.target
    bars = {"global": 97.0, "local": 95.0}
    scores: dict[str, list[float]] = {rule: [] for rule in bars}
    for train, test in per_class(y, 6, repeats=SPLITS):
        for rule in bars:
            model = CrossLabelClassifier(
                atoms_per_class=4, shared_atoms=5, ridge=4e-3, suppression=2e3, grouping=1.0,
                rule=rule, random_state=0,
            ).fit(X[train], y[train])  # fmt: skip
            scores[rule].append(model.score(X[test], y[test]))
    for rule, bar in bars.items():
        yield _line(f"Yale, 24×24, 6 per person, {rule}", scores[rule], ">=", bar)


def defaults() -> Iterator[Line]:
    """`CrossLabelClassifier()` beside a linear SVM and k-nearest neighbours, all by default."""
    for name, make in PROBLEMS.items():
        X, y, splits = make()
        models: list[Any] = [
            CrossLabelClassifier(random_state=0),
            LinearSVC(),
            KNeighborsClassifier(),
        ]
        ours, svm, knn = (_scores(model, X, y, splits) for model in models)
        yield _line(f"{name}: defaults above a linear SVM", ours, ">", 100 * np.mean(svm))
        yield _line(f"{name}: defaults above k-nearest neighbours", ours, ">", 100 * np.mean(knn))
        if name == "digits":
            yield _line("digits: defaults", ours, ">=", 98.0)


def tables() -> Iterator[Line]:
    """Standardised tables by default, where a class need not point away from the origin."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for load, bar in ((load_iris, 95.0), (load_wine, 97.5), (load_breast_cancer, 96.5)):
        X, y = load(return_X_y=True)
        model = make_pipeline(StandardScaler(), CrossLabelClassifier(random_state=0))
        name = load.__name__.removeprefix("load_").replace("_", " ")
        yield _line(
            f"{name}, standardised, 5 folds: defaults",
            _scores(model, X, y, list(folds.split(X, y))),
            ">=",
            bar,
        )


def _scores(model: Any, X: Any, y: Any, splits: list[Split]) -> list[float]:
    return [model.fit(X[train], y[train]).score(X[test], y[test]) for train, test in splits]


def _line(name: str, scores: list[float], relation: str, bar: float) -> Line:
    spread = 100 * np.std(scores)
    return Line(f"{name} (± {spread:.2f})", 100 * float(np.mean(scores)), relation, bar)


def _digits() -> tuple[Any, Any, list[Split]]:
    data = load_digits()
    X = data.images.reshape(len(data.images), -1).astype(float)
    return X, data.target, list(half(data.target, repeats=SPLITS))


def _faces(load: Callable[[], Any], n_train: int, *steps: Any) -> tuple[Any, Any, list[Split]]:
    data = load()
    X = data.images
    for step in steps:
        X = step.fit_transform(X)  # neither pixels nor random faces learn from the images
    return X, data.target, list(per_class(data.target, n_train, repeats=SPLITS))


PROBLEMS: dict[str, Callable[[], tuple[Any, Any, list[Split]]]] = {
    "digits": _digits,
    "ORL": lambda: _faces(load_orl, 5, Pixels((56, 46))),
    "Extended Yale B": lambda: _faces(
        load_extended_yale_b, 32, Pixels(FACE), RandomFaces(504, random_state=0)
    ),
    "Yale": lambda: _faces(lambda: load_yale(crops=True), 6, Pixels((24, 24))),
}

PARTS = (extended_yale_b_eigenfaces, yale, defaults, tables)


def main() -> None:
    show(f"Accuracy in percent, mean of {SPLITS} splits", lines_of(PARTS))


if __name__ == "__main__":
    main()
