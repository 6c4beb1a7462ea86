"""A small sound model of every class that a model file may hold, and a query for each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

from crosslabel import (
    CrossLabelClassifier,
    CrossLabelClassifierCV,
    RejectingClassifier,
    features,
    methods,
)
from crosslabel.files.foreign import FORMS
from crosslabel.files.model import encoded

FEW = {"max_iter": 3, "init_iter": 2, "atoms_per_class": 3, "sparsity": 3, "random_state": 0}
GRID = {"ridges": [0.01], "suppressions": [10.0], "groupings": [0.1], "atoms_per_class": [2]}
RANDOM = np.random.default_rng(0)
ROWS, LABELS = np.abs(RANDOM.normal(size=(24, 30))), np.repeat(np.arange(3), 8)
IMAGES = RANDOM.random((24, 24, 24)).astype(np.float32)
CLIPS = RANDOM.integers(0, 256, (24, 5, 8, 8), dtype=np.uint8)
MATRICES = IMAGES[:, :6] @ IMAGES[:, :6].transpose(0, 2, 1)  # symmetric, positive definite
KINDS: dict[str, Any] = {
    "images": list(IMAGES),
    "clips": list(CLIPS),
    "rows": ROWS,
    "matrices": MATRICES,
}
QUERIES: dict[str, Any] = {name: items[:1] for name, items in KINDS.items()} | {
    "rows": ROWS[:1] + 0.1
}

SETTINGS: dict[str, dict[str, Any]] = {
    "FunctionTransformer": {"func": np.log1p},
    "KNeighborsClassifier": {"algorithm": "brute", "n_neighbors": 3},
    "ClipSubspace": {"span": "frames", "dimension": 2},
    "PCA": {"n_components": 4},
    "IncrementalPCA": {"n_components": 4},
    "TruncatedSVD": {"n_components": 4},
    "Eigenfaces": {"n_components": 9},
    "RandomFaces": {"n_components": 9, "random_state": 0},
    "LLC": {"codebook": 5, "random_state": 0},
    "SpatialPyramid": {"words": 8, "random_state": 0},
    "SVC": {"kernel": "poly"},
}


class Loadable(NamedTuple):
    """A model file and what it can be asked."""

    name: str
    content: bytes
    asks: str


def loadable() -> list[Loadable]:
    """One sound file for each class, or for a pipeline with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [Loadable(name, encoded(model), asks) for name, model, asks in _models()]


def _models() -> Iterator[tuple[str, BaseEstimator, str]]:
    flagships = {
        "closed form": CrossLabelClassifier(random_state=0, atoms_per_class=3),
        "shared": CrossLabelClassifier(
            shared_atoms=2, rule="local", random_state=0, keep_summary=True
        ),
        "kernel": CrossLabelClassifier(kernel="rbf", random_state=0),
        "chosen": CrossLabelClassifierCV(**GRID, random_state=0),
        "rejecting": RejectingClassifier(CrossLabelClassifier(random_state=0), threshold=0.9),
    }
    for name, model in flagships.items():
        yield f"flagship, {name}", model.fit(ROWS, LABELS), "rows"
    for name in dir(methods):
        yield name, _fitted(_made(getattr(methods, name)), ROWS), "rows"
    for name in FORMS:
        module, _, short = name.rpartition(".")
        if short not in ("Pipeline", "LabelBinarizer"):  # these come with others
            cls = getattr(import_module(module), short)
            yield short, _fitted(_made(cls), ROWS), "rows"
    for name in dir(features):
        yield from _with_feature(getattr(features, name))


def _with_feature(cls: type[BaseEstimator]) -> Iterator[tuple[str, BaseEstimator, str]]:
    """A feature step before the flagship, on the first kind of data that it takes."""
    # Alone where the step gives something else than a row for each item, such as descriptors.
    for is_alone in (False, True):
        for asks, items in KINDS.items():
            step, last = _made(cls), CrossLabelClassifier(rule="global", random_state=0)
            model = step if is_alone else make_pipeline(step, last)
            try:
                model.fit(items, LABELS)
                (model.transform if is_alone else model.predict)(QUERIES[asks])
            except (ValueError, TypeError, AttributeError):
                continue
            yield cls.__name__, model, asks
            return
    raise ValueError(f"No kind of data is known that {cls.__name__} takes.")


def _made(cls: type[BaseEstimator]) -> BaseEstimator:
    model = cls(**SETTINGS.get(cls.__name__, {}))
    return model.set_params(**{k: v for k, v in FEW.items() if k in model.get_params()})


def _fitted(model: BaseEstimator, X: np.ndarray) -> BaseEstimator:
    return model.fit(X, LABELS)
