"""The objective of the closed form on real data, beside the iterated one and beside its own bound.

Run: python -m benchmarks.objectives     (needs $CROSSLABEL_DATA; sets that are absent are skipped)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

from benchmarks.lines import Line, Part, lines_of, show
from crosslabel import CrossLabelClassifier
from crosslabel.core.scaling import Array
from crosslabel.datasets import load_dynamic_textures, load_extended_yale_b, load_orl, load_yale
from crosslabel.datasets.splits import per_class
from crosslabel.features import LBPTOP, Eigenfaces, Pixels

RIDGE, GROUPINGS = 8e-3, (0.0, 2e-2)
ROUNDING = 1e-9
"""Where atoms suffice both find the optimum, and differ in the last digits."""

Samples = tuple[Array, Array, int]


def learnt(X: Array, y: Array, atoms: int, grouping: float, **start: Any) -> CrossLabelClassifier:
    """The local rule costs nothing: what is measured is the dictionary alone."""
    return CrossLabelClassifier(
        atoms_per_class=atoms, ridge=RIDGE, grouping=grouping, rule="local", scale="unit",
        offset=0.0, kernel="linear", keep_summary=True, random_state=0, **start,
    ).fit(X, y)  # fmt: skip


def compared(name: str, make: Callable[[], Samples]) -> Part:
    """The lines of one data set."""

    def part() -> Iterator[Line]:
        X, y, atoms = make()
        # A class of n samples spans at most n directions.
        enough = min(X.shape[1], int(np.unique(y, return_counts=True)[1].max()))
        for grouping in GROUPINGS:
            where = f"{name}, γ = {grouping:g}"
            ours = learnt(X, y, atoms, grouping).objective_trace_[-1]
            sweeps = learnt(X, y, atoms, grouping, init="kmeans", max_iter=50, tol=0.0)
            ratio = float(ours / sweeps.objective_trace_[-1])
            bar = 1 + ROUNDING
            yield Line(f"objective / 50 sweeps from k-means, {where}", ratio, "<=", bar)
            model = learnt(X, y, enough, grouping)
            gap = model.optimality_gap_ / model.objective_trace_[-1]
            yield Line(f"relative gap with {enough} atoms, {where}", float(gap), "<=", 1e-6)

    part.__name__ = name.lower().replace(" ", "_")
    return part


def _digits() -> Samples:
    X, y = load_digits(return_X_y=True)
    return X[::2], y[::2], 30


def _pixels(load: Callable[[], Any], size: tuple[int, int], n_train: int, atoms: int) -> Samples:
    data = load()
    X, y = Pixels(size).fit_transform(data.images).astype(float), data.target
    rows = _rows(y, n_train)
    return X[rows], y[rows], atoms


def _eigenfaces() -> Samples:
    X, y, atoms = _pixels(load_extended_yale_b, (54, 48), 32, 15)
    return Eigenfaces(300).fit_transform(X), y, atoms


def _textures() -> Samples:
    data = load_dynamic_textures()
    rows = _rows(data.target, 7)
    X = LBPTOP(n_jobs=1).fit_transform(data.images[rows])
    return X.astype(float), data.target[rows], 4


def _table(load: Callable[..., Any]) -> Samples:
    X, y = load(return_X_y=True)
    return scale(X), y, 3


def _rows(y: Array, n_train: int) -> Array:
    return next(iter(per_class(y, n_train, repeats=1, seed=0)))[0]


PROBLEMS: dict[str, Callable[[], Samples]] = {
    "digits": _digits,
    "ORL pixels": lambda: _pixels(load_orl, (56, 46), 5, 4),
    "Extended Yale B eigenfaces": _eigenfaces,
    "Yale": lambda: _pixels(lambda: load_yale(crops=True), (24, 24), 6, 4),
    "wine": lambda: _table(load_wine),
    "iris": lambda: _table(load_iris),
    "dynamic textures": _textures,
}

PARTS = tuple(compared(name, make) for name, make in PROBLEMS.items())

if __name__ == "__main__":
    sys.exit(1 if show("Objectives", lines_of(PARTS)) else 0)
