"""The data sets of the suite: rows, labels, and what kind of numbers the rows hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import PCA

from crosslabel.datasets import (
    load_caltech101,
    load_digits,
    load_dynamic_textures,
    load_extended_yale_b,
    load_fashion_mnist,
    load_orl,
    load_scene15,
    load_yale,
)
from crosslabel.datasets.splits import Split, half, per_class
from crosslabel.features import LBPTOP, Embedding, Pixels, SpatialPyramid
from crosslabel.files.whole import write_whole

SIZES = (5, 10, 20)
"""Training samples per class; half of each class comes last."""
SEEN, AXES = 30, 400
"""Images of each class that words and axes of pyramids come from, and how many axes."""


class DataSet(NamedTuple):
    """Samples in rows, their labels, and the kind: "table", "pixels", "histogram", "embedding"."""

    X: NDArray[np.floating]
    y: NDArray[np.intp]
    kind: str


def _table(load: Callable[..., tuple[NDArray, NDArray]]) -> Callable[[Path], DataSet]:
    return lambda folder: DataSet(*load(return_X_y=True), "table")


def _pixels(load: Callable, size: tuple[int, int] | None = None) -> Callable[[Path], DataSet]:
    def rows(folder: Path) -> DataSet:
        data = load()
        X = Pixels(size, normalize=False).fit_transform(data.images)
        return DataSet(X.astype(np.float64), data.target, "pixels")

    return rows


def _fashion(folder: Path) -> DataSet:
    data = load_fashion_mnist()
    images = data.images[data.test]  # the 10,000 test images are the smaller half of the package
    X = images.reshape(len(images), -1).astype(np.float64) / 255
    return DataSet(X, data.target[data.test], "pixels")


def _textures(folder: Path) -> DataSet:
    data = load_dynamic_textures()
    return DataSet(LBPTOP().fit_transform(data.images), data.target, "histogram")


def _embedding(name: str, load: Callable[[], Any]) -> Callable[[Path], DataSet]:
    """Features of a frozen network, kept in the folder: minutes for the larger sets."""

    def rows(folder: Path) -> DataSet:
        place = folder / f"{name}.npz"
        if not place.exists():
            data = load()
            X = Embedding(n_jobs=-1, verbose=True).fit_transform([str(f) for f in data.filenames])
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(place, lambda file: np.savez(file, X=X, y=data.target))
        with np.load(place) as kept:
            return DataSet(kept["X"].astype(np.float64), kept["y"], "embedding")

    return rows


def _pyramids(name: str, load: Callable[[], Any]) -> Callable[[Path], DataSet]:
    """Main axes of spatial pyramids of SIFT, kept in the folder: minutes for each set.

    Words and axes come from some images of each class, drawn once; labels play no part in them.
    """

    def rows(folder: Path) -> DataSet:
        data, place = load(), folder / f"{name}-pyramids.npy"
        if not place.exists():
            files = np.array([str(f) for f in data.filenames])
            seen, _ = next(iter(per_class(data.target, SEEN, repeats=1)))
            pyramid = SpatialPyramid(n_jobs=-1, random_state=0).fit(files[seen])
            X = pyramid.transform(files)
            axes = PCA(AXES, random_state=0).fit(X[seen])
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(place, lambda file: np.save(file, axes.transform(X).astype(np.float32)))
        return DataSet(np.load(place).astype(np.float64), data.target, "histogram")

    return rows


SETS: dict[str, Callable[[Path], DataSet]] = {
    "iris": _table(load_iris),
    "wine": _table(load_wine),
    "breast cancer": _table(load_breast_cancer),
    "digits": _pixels(load_digits),
    "Yale": _pixels(lambda: load_yale(crops=True), (24, 24)),
    "dynamic textures": _textures,
    "ORL": _pixels(load_orl, (28, 23)),
    "ORL, embeddings": _embedding("orl", load_orl),
    "Extended Yale B": _pixels(load_extended_yale_b, (27, 24)),
    "Scene15, embeddings": _embedding("scene15", load_scene15),
    "Scene15, pyramids": _pyramids("scene15", load_scene15),
    "Fashion-MNIST": _fashion,
    "Caltech101, embeddings": _embedding("caltech101", load_caltech101),
    "Caltech101, pyramids": _pyramids("caltech101", load_caltech101),
}
"""By the time that they take."""


def splits(y: NDArray[np.intp], repeats: int) -> Iterator[tuple[str, list[Split]]]:
    """Sizes that every class has enough samples for, then a half, with their splits."""
    least = int(np.bincount(y).min())
    for size in SIZES:
        if size < least // 2:  # a half is a cell of its own
            yield str(size), list(islice(per_class(y, size, repeats=repeats), repeats))
    yield "half", list(half(y, repeats=repeats))
