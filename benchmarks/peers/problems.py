"""The problems: the paper's six data sets and three larger ones; real where they are at hand."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from crosslabel.core.scaling import unit_rows


class Problem(NamedTuple):
    """Training and test samples with their labels, atoms per class, and whether they are real."""

    X: np.ndarray
    y: np.ndarray
    Z: np.ndarray
    truth: np.ndarray
    atoms: int
    real: bool


def cones(features: int, classes: int, samples: int, atoms: int) -> Problem:
    """Samples near one cone per class, as faces under changing light are."""
    rng = np.random.default_rng(0)
    bases = rng.normal(size=(classes, min(9, features), features))
    test = max(5, min(samples, 2000 // classes))
    light = np.abs(rng.normal(size=(classes, samples + test, bases.shape[1])))
    rows = light @ bases + 1.5 * rng.normal(size=(classes, samples + test, features))
    X, Z = (unit_rows(part.reshape(-1, features)) for part in np.split(rows, [samples], axis=1))
    labels = np.arange(classes)
    return Problem(X, labels.repeat(samples), Z, labels.repeat(test), atoms, False)


def digits() -> Problem:
    """scikit-learn's digits, half of each class to learn."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    X, Z, y, truth = train_test_split(unit_rows(X), y, test_size=0.5, stratify=y, random_state=0)
    return Problem(X, y, Z, truth, 15, True)


def extended_yale_b() -> Problem:
    """504 random faces, 32 images per person; synthetic where the images are absent."""
    from crosslabel.datasets import load_extended_yale_b
    from crosslabel.datasets.splits import per_class
    from crosslabel.features import Pixels, RandomFaces

    try:
        faces = load_extended_yale_b()
    except (FileNotFoundError, ValueError):
        return cones(504, 38, 32, 15)
    rows, queries = next(per_class(faces.target, 32, repeats=1, seed=0))
    X = Pixels((54, 48)).fit_transform(faces.images)
    X = unit_rows(RandomFaces(504, random_state=0).fit(X[rows]).transform(X).astype(float))
    return Problem(X[rows], faces.target[rows], X[queries], faces.target[queries], 15, True)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "digits": digits,
    "Extended Yale B": extended_yale_b,
    "Yale": lambda: cones(576, 15, 6, 6),
    "Scene15": lambda: cones(3000, 15, 100, 30),
    "Caltech101": lambda: cones(3000, 102, 30, 29),
    "DynTex++": lambda: cones(177, 36, 50, 30),
    "UCF50": lambda: cones(6000, 50, 105, 75),
    "large 1": lambda: cones(1024, 100, 500, 30),
    "large 2": lambda: cones(2048, 200, 200, 30),
    "large 3": lambda: cones(512, 1000, 100, 10),
}
