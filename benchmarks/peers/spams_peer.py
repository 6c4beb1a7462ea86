"""SPAMS (GPL, in an environment of its own): a dictionary for each class, least lasso energy."""

from typing import Any

import numpy as np
import spams

from benchmarks.peers.worker import run

PENALTY = 0.01


class ClassDictionaries:
    """Learn each class's atoms on its own; a query goes to the class that codes it cheapest."""

    def __init__(self, atoms: int) -> None:
        self.atoms = atoms

    def fit(self, X: np.ndarray, y: np.ndarray) -> "ClassDictionaries":
        """Learn."""
        self.classes_ = np.unique(y)
        options: dict[str, Any] = {
            "lambda1": PENALTY,
            "iter": 100,
            "numThreads": 1,
            "verbose": False,
        }
        self.dictionaries = [
            spams.trainDL(
                np.asfortranarray(X[y == c].T), K=min(self.atoms, (y == c).sum()), **options
            )
            for c in self.classes_
        ]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Least energy of a class."""
        signals, energies = np.asfortranarray(X.T), []
        for D in self.dictionaries:
            codes = spams.lasso(signals, D=D, lambda1=PENALTY, numThreads=1)
            fit = ((signals - D @ codes) ** 2).sum(axis=0) / 2
            energies.append(fit + PENALTY * np.asarray(abs(codes).sum(axis=0)).ravel())
        return self.classes_[np.argmin(energies, axis=0)]


METHODS = {"class dictionaries": lambda atoms, classes: ClassDictionaries(atoms)}

if __name__ == "__main__":
    run(METHODS)
