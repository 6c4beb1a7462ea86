"""The problems: the paper's six data sets and three larger ones; real where they are at hand."""

from collections.abc import Callable
from pathlib import Path
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


def of_table(
    name: str, setting: str, atoms: int, otherwise: Callable[[], Problem]
) -> Callable[[Path], Problem]:
    """The first split of a table of the paper; a synthetic problem where its data are absent."""

    def problem(features: Path) -> Problem:
        from crosslabel.datasets.root import MissingData
        from crosslabel.lab.inputs import Inputs
        from crosslabel.lab.spec_files import load_spec

        spec = load_spec(name)
        cell = next(cell for cell in spec.cells(1) if cell.setting.name == setting)
        folder = cell.features[0].get("folder")
        if folder and not (features / folder / "coordinates0.npy").exists():
            return otherwise()  # hours of work: `make bench-images` does it
        try:
            given = Inputs(features).of(cell)
        except MissingData:
            return otherwise()
        X, Z = (unit_rows(rows.astype(float)) for rows in (given.X_train, given.X_test))
        return Problem(X, given.y_train, Z, given.y_test, atoms, True)

    return problem


def made(*sizes: int) -> Callable[[Path], Problem]:
    """A synthetic problem of these sizes."""
    return lambda features: cones(*sizes)


PROBLEMS: dict[str, Callable[[Path], Problem]] = {
    "digits": lambda features: digits(),
    "Yale": of_table("table-1", "6", 6, lambda: cones(576, 15, 6, 6)),
    "Extended Yale B": of_table("table-4", "32", 15, lambda: cones(504, 38, 32, 15)),
    "DynTex++": made(177, 36, 50, 30),
    "Scene15": of_table("table-7", "100", 30, lambda: cones(3000, 15, 100, 30)),
    "Caltech101": of_table("table-5", "30", 29, lambda: cones(3000, 102, 30, 29)),
    "large 1": made(1024, 100, 500, 30),
    "large 2": made(512, 1000, 100, 10),
    "large 3": made(2048, 200, 200, 30),
    "UCF50": made(6000, 50, 105, 75),
}
"""By size: what takes too long on one is not tried on the next."""
