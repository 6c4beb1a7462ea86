"""Fits every estimator that draws random numbers and writes what it learnt: run in fresh processes.

Run: python -m tests.determinism FILE
"""

import sys

import numpy as np
from sklearn.base import clone

from crosslabel import CrossLabelClassifier
from crosslabel.features import RandomFaces, SpatialPyramid

from .test_fuzz import CLASSIFIERS, TABLES


def faces(n_classes, n_each, n_features, seed=0):
    """Samples near one cone per class."""
    rng = np.random.default_rng(seed)
    bases = rng.normal(size=(n_classes, 3, n_features))
    light = np.abs(rng.normal(size=(n_classes, n_each, 3)))
    X = (light @ bases).reshape(-1, n_features)
    return X + 0.1 * rng.normal(size=X.shape), np.repeat(np.arange(n_classes), n_each)


def learnt(model):
    """Arrays of numbers that a fitted model holds under public names."""
    values = dict(vars(model))
    if "_fitted" in values:
        values["dictionary_"] = model.dictionary_
    return {
        name: value
        for name, value in values.items()
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f"
    }


def random(models):
    """Those that draw random numbers; a model within another one draws for it."""
    return [m for m in models if any(name.endswith("random_state") for name in m.get_params())]


def main(place):
    X, y = faces(4, 12, 40)
    found = {}
    for number, model in enumerate(random([*CLASSIFIERS, *TABLES])):
        fitted = clone(model)
        if "random_state" in fitted.get_params():
            fitted.set_params(random_state=0)
        fitted.fit(X, y)
        for name, value in learnt(fitted).items():
            found[f"{type(model).__name__} {number} {name}"] = value
    # Large enough that a second thread takes part.
    X, y = faces(10, 120, 400)
    for init in ("kmeans", "random"):
        large = CrossLabelClassifier(
            atoms_per_class=30, shared_atoms=5, init=init, rule="global", max_iter=5, random_state=0
        )
        found[f"large {init}"] = large.fit(X, y).dictionary_
    found["RandomFaces"] = RandomFaces(504, random_state=0).fit(X).components_
    images = np.random.default_rng(0).random((4, 32, 32)).astype(np.float32)
    pyramid = SpatialPyramid(8, longest_side=None, random_state=0, n_jobs=1).fit(images)
    found["SpatialPyramid"] = pyramid.transform(images)
    np.savez(place, **found)


if __name__ == "__main__":
    main(sys.argv[1])
