"""A linear SVM and the flagship on pyramid features, each split with its own codebook."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.svm import LinearSVC

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier
from crosslabel.app.measure import Accuracy
from crosslabel.datasets.splits import per_class
from crosslabel.lab.pyramids import components, coordinates

__all__ = ["Protocol", "choose", "coordinates", "measure"]


class Protocol(NamedTuple):
    """Training images of a class, the flagship's parameters and what is chosen of them."""

    n_train: int
    fixed: dict
    grid: dict
    gammas: tuple[float, ...]
    svm_c: float = 1.0
    n_codebook: int = 0


def measure(name: str, data, protocol: Protocol) -> int:
    """Accuracy of a linear SVM and of the flagship over random splits; the exit status.

    The flagship sees all components of PCA (γ = 0) or of kernel PCA; γ and its parameters are
    chosen once, on the first split's training images alone. Codebooks are learnt from `n_codebook`
    training images of each class, or from all.
    """
    options = argparse.ArgumentParser(description=f"{name}, from raw images")
    options.add_argument("--splits", type=int, default=10)
    options.add_argument("--jobs", type=int, default=2, help="processes that code images")
    options.add_argument("--folder", type=Path, required=True, help="keeps what was computed")
    return command(name, options.description or name, lambda g: lines(data, protocol, g), options)


def lines(data, protocol: Protocol, given: argparse.Namespace) -> Iterator[Line]:
    n_train, fixed, grid, gammas, svm_c, n_codebook = protocol
    splits = list(per_class(data.target, n_train, repeats=given.splits, seed=0))
    seen = per_class(data.target, n_codebook or n_train, repeats=given.splits, seed=0)
    learnt_from = [train for train, _ in seen]
    places = coordinates(data.filenames, splits, given.folder, given.jobs, learnt_from)
    chosen = choose(np.load(places[0]), data.target, splits[0][0], fixed, grid, gammas)
    results = [_one_split(np.load(p), data, s, chosen, svm_c) for p, s in zip(places, splits)]
    for name in results[0]:
        for what, of in {"overall": "overall", "per class": "mean_per_class"}.items():
            found = 100 * np.array([getattr(result[name], of) for result in results])
            yield Line(f"{name}: accuracy, {what}, % (± {found.std():.2f})", float(found.mean()))


def choose(Z, y, train, fixed: dict, grid: dict, gammas) -> dict:
    """The point of the grid that does best in three-fold cross-validation on training images."""
    Z, y = Z[train], y[train]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(Z, y))
    best = (-1.0, {})
    for gamma in gammas:
        seen = [components(Z, a, gamma) for a, _ in folds]
        for point in ParameterGrid(grid):
            model = CrossLabelClassifier(random_state=0, **fixed, **point)
            scores = [model.fit(F[a], y[a]).score(F[b], y[b]) for F, (a, b) in zip(seen, folds)]
            point = {"gamma": gamma, **point}
            print(f"on training images: {np.mean(scores):.2%} {point}", flush=True)
            best = max(best, (float(np.mean(scores)), point), key=lambda pair: pair[0])
    print(f"chosen: {best[1]}", flush=True)
    return fixed | best[1]


def _one_split(Z, data, split, chosen: dict, svm_c: float) -> dict[str, Accuracy]:
    train, test = split
    y, names = data.target, data.target_names.tolist()
    models = {"linear SVM": (LinearSVC(C=svm_c), Z)}
    seen = components(Z, train, chosen["gamma"])
    if chosen["gamma"] > 0:  # the kernel's components are shorter along each direction
        models["linear SVM, components"] = (LinearSVC(C=10 * svm_c), seen)
    parameters = {name: value for name, value in chosen.items() if name != "gamma"}
    flagship = CrossLabelClassifier(random_state=0, **parameters)
    models["flagship, components"] = (flagship, seen)
    results = {}
    for name, (model, F) in models.items():
        started = time.perf_counter()
        predicted = model.fit(F[train], y[train]).predict(F[test])
        results[name] = Accuracy.of(y[test], predicted, names)
        print(f"{name}: {results[name]} ({time.perf_counter() - started:.0f} s)", flush=True)
    return results
