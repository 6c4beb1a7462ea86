"""Covariance matrices and subspaces: the flagship's kernels beside pyRiemann's classifiers.

On fifteen dynamic textures (the earlier part of each video trains and the later tests, then the
other way round), and on signals like EEG whose covariances pyRiemann draws. Nothing is tuned.

Run: python -m benchmarks.manifolds
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import numpy as np
from pyriemann.classification import MDM, TSClassifier
from pyriemann.datasets import make_gaussian_blobs
from pyriemann.estimation import Covariances
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier, GaussianDiscriminant, GrassmannCoding
from crosslabel.datasets import load_dynamic_textures
from crosslabel.datasets.splits import earlier_later, per_class
from crosslabel.features import LBPTOP, ClipSubspace, MatrixRows, RegionCovariance

CHANNELS, TIMES, SPLITS = 8, 200, 10


def flagship(kernel: str = "auto") -> CrossLabelClassifier:
    return CrossLabelClassifier(kernel=kernel, random_state=0)


def judged(
    name: str, column: str, model: object, X: np.ndarray, y: np.ndarray, splits: Iterable
) -> Line:
    """Mean accuracy over the splits, with their deviation."""
    scores = []
    for train, test in splits:
        scores.append(100 * clone(model).fit(X[train], y[train]).score(X[test], y[test]))
    spread = f" (± {np.std(scores, ddof=1):.2f})"
    return Line(f"accuracy | {name} | {column}{spread}", float(np.mean(scores)))


def on_matrices() -> dict[str, object]:
    """Classifiers of (n, d, d) arrays, ours and theirs."""
    theirs = {
        "pyRiemann MDM": MDM(),
        "pyRiemann MDM, log-Euclidean": MDM("logeuclid"),
        "pyRiemann tangent space + logistic": TSClassifier(clf=LogisticRegression(max_iter=1000)),
    }
    ours = {"flagship on logarithms": make_pipeline(MatrixRows(), flagship())}
    for kernel in ("log-euclidean", "stein"):
        ours[f"flagship, {kernel} kernel"] = make_pipeline(MatrixRows("matrix"), flagship(kernel))
    discriminant = GaussianDiscriminant(normalize=False)
    ours["Gaussian discriminant on logarithms"] = make_pipeline(MatrixRows(), discriminant)
    return {**ours, **theirs}


def textures() -> Iterator[Line]:
    data = load_dynamic_textures()
    y = data.target
    split = earlier_later(y, data.origins[:, 0])
    splits = [split, split[::-1]]
    print(f"{len(y)} clips of {len(data.target_names)} dynamic textures, both ways round")
    histograms = LBPTOP().fit_transform(data.images)
    lbptop = {"bins": histograms, "square roots": np.sqrt(histograms)}
    rows = RegionCovariance("clips", output="matrix").fit_transform(data.images)
    matrices = MatrixRows("matrix").inverse_transform(rows)
    for name, model in on_matrices().items():
        yield judged(name, "textures", model, matrices, y, splits)
    subspaces = ClipSubspace().fit_transform(data.images)
    for kernel in ("projection", "projection-rbf"):
        name = f"`ClipSubspace`: flagship, {kernel} kernel"
        yield judged(name, "textures", flagship(kernel), subspaces, y, splits)
    for coding in ("sparse", "local"):
        model = GrassmannCoding(coding=coding, dimension=6, random_state=0)
        name = f"`ClipSubspace`: `GrassmannCoding`, {coding}"
        yield judged(name, "textures", model, subspaces, y, splits)
    for name, rows in lbptop.items():
        yield judged(f"LBP-TOP, {name}: flagship", "textures", flagship(), rows, y, splits)


def signals(separation: float) -> Iterator[Line]:
    matrices, y = make_gaussian_blobs(
        100, CHANNELS, class_sep=separation, class_disp=0.5, random_state=0
    )
    noise = np.random.default_rng(0).normal(size=(len(y), CHANNELS, TIMES))
    X = np.linalg.cholesky(matrices) @ noise
    splits = list(per_class(y, 20, repeats=SPLITS, seed=0))
    print(f"{len(y)} signals, {CHANNELS} channels × {TIMES}, separation {separation}, 20 per class")
    for name, model in on_matrices().items():
        column = f"signals, separation {separation}"
        yield judged(name, column, make_pipeline(Covariances("oas"), model), X, y, splits)


def lines() -> Iterator[Line]:
    for separation in (0.5, 1.0):
        yield from signals(separation)
    yield from textures()


if __name__ == "__main__":
    sys.exit(command("manifolds", "Manifolds: accuracy, %", lambda given: lines()))
