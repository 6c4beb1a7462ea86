"""Speed of the methods beside the peers that install today, in one run on one thread.

504-dimensional random faces of Extended Yale B, 32 training images per person, one split; the same
numbers of atoms, coefficients and iterations on both sides. Prints seconds of fit and predict, the
ratios peer / ours, accuracies, and then the time of every method's fit.

    pip install dictlearn==1.0.0
    CROSSLABEL_DATA=... python -m benchmarks.methods_speed [--only SRC,DPL] [--no-fits]
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import DictionaryLearning, SparseCoder
from threadpoolctl import threadpool_limits

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import DKSVD, DPL, KSVD, LCKSVD, SRC, CrossLabelClassifierCV, RejectingClassifier
from crosslabel.core.scaling import unit_rows
from crosslabel.datasets import load_extended_yale_b
from crosslabel.datasets.splits import per_class
from crosslabel.features import Pixels, RandomFaces
from crosslabel.lab.estimators import all_methods
from crosslabel.methods.sparse_linear import ridge_regression

SPARSITY, ROUNDS, PENALTY = 30, 10, 1e-2


class CodedResiduals(ClassifierMixin, BaseEstimator):
    """SRC as one would write it with scikit-learn's SparseCoder."""

    def __init__(self, algorithm: str, **options: Any) -> None:
        self.algorithm, self.options = algorithm, options

    def fit(self, X: np.ndarray, y: np.ndarray) -> "CodedResiduals":
        """Keep the samples."""
        self.samples, self.labels, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Least residual of a class."""
        coder = SparseCoder(self.samples, transform_algorithm=self.algorithm, **self.options)
        codes = coder.transform(X)
        residuals = [
            ((X - codes[:, self.labels == c] @ self.samples[self.labels == c]) ** 2).sum(axis=1)
            for c in self.classes_
        ]
        return self.classes_[np.argmin(residuals, axis=0)]


class LearntAndRegressed(ClassifierMixin, BaseEstimator):
    """The K-SVD baseline with scikit-learn's DictionaryLearning in place of K-SVD."""

    def __init__(self, n_components: int, max_iter: int) -> None:
        self.n_components, self.max_iter = n_components, max_iter

    def fit(self, X: np.ndarray, y: np.ndarray) -> "LearntAndRegressed":
        """Learn a dictionary, then regress the labels on its codes."""
        self.model = DictionaryLearning(
            self.n_components,
            alpha=0.1,
            max_iter=self.max_iter,
            tol=0,
            fit_algorithm="cd",
            transform_algorithm="omp",
            transform_n_nonzero_coefs=SPARSITY,
            random_state=0,
        )
        codes = self.model.fit(X).transform(X)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.weights = ridge_regression(codes, np.eye(len(self.classes_))[labels], 1.0)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Largest regressed label."""
        return self.classes_[(self.model.transform(X) @ self.weights).argmax(axis=1)]


def pairs() -> dict[str, tuple[Any, dict[str, Callable[[], Any]]]]:
    """Ours, and the peers at the same settings."""
    from dictlearn.classification import (
        DDLClassifier,
        DPLClassifier,
        LCDLClassifier,
        SRCClassifier,
    )

    few = {"sparsity": SPARSITY, "init_iter": ROUNDS, "max_iter": ROUNDS, "random_state": 0}
    theirs = {
        "n_nonzero_coefs": SPARSITY,
        "init_method": "trained",
        "init_iter": ROUNDS,
        "max_iter": ROUNDS,
        "ridge_gamma": 1.0,
        "random_state": 0,
    }
    return {
        "SRC, OMP": (
            SRC(sparsity=SPARSITY),
            {
                "dictlearn": lambda: SRCClassifier(n_nonzero_coefs=SPARSITY),
                "scikit-learn": lambda: CodedResiduals("omp", transform_n_nonzero_coefs=SPARSITY),
            },
        ),
        "SRC, l1": (
            SRC(PENALTY),
            {"scikit-learn": lambda: CodedResiduals("lasso_lars", transform_alpha=PENALTY / 2)},
        ),
        "K-SVD": (
            KSVD(15, **{**few, "init_iter": 0, "max_iter": 3}),
            {"scikit-learn": lambda: LearntAndRegressed(570, 3)},
        ),
        "D-KSVD": (
            DKSVD(15, label_weight=1e-2, **few),
            {"dictlearn": lambda: DDLClassifier(570, alpha=1e-2, **theirs)},
        ),
        "LC-KSVD": (
            # The peer's start allows no more coefficients than a class has atoms, and makes no
            # K-SVD of all samples before the one that counts.
            LCKSVD(
                15, consistency=1e-2, label_weight=1e-2, start_iter=0, **{**few, "sparsity": 15}
            ),
            {
                "dictlearn": lambda: LCDLClassifier(
                    15, alpha=1e-2, beta=1e-2, **{**theirs, "n_nonzero_coefs": 15}
                )
            },
        ),
        "DPL": (
            DPL(30, max_iter=20, random_state=0),
            {"dictlearn": lambda: DPLClassifier(30, max_iter=20, random_state=0)},
        ),
    }


def timed(model: Any, train: tuple, test: tuple) -> tuple[float, float, float]:
    started = time.perf_counter()
    model.fit(*train)
    trained = time.perf_counter()
    accuracy = float(np.mean(model.predict(test[0]) == test[1]))
    return trained - started, time.perf_counter() - trained, accuracy


def problem() -> tuple[tuple, tuple]:
    """Training and test samples with their labels."""
    faces = load_extended_yale_b()
    y = faces.target
    (rows, queries) = next(per_class(y, 32, repeats=1, seed=0))
    X = Pixels((54, 48)).fit_transform(faces.images)
    X = RandomFaces(504, random_state=0).fit(X[rows]).transform(X)
    X = unit_rows(X.astype(np.float64))  # the precision that all of them compute in
    return (X[rows], y[rows]), (X[queries], y[queries])


def beside_peers(only: str, train: tuple, test: tuple) -> Iterator[Line]:
    """Ours and the peers, and how many times as long the fastest one takes."""
    chosen = [name for name in only.split(",") if name]
    ratios: list[float] = []
    for name, (ours, peers) in pairs().items():
        if chosen and not any(name.startswith(wanted) for wanted in chosen):
            continue
        found = timed(ours, train, test)
        yield from cells("peers", f"{name}, ours", found)
        fastest = np.array([np.inf, np.inf])
        for peer, make in peers.items():
            theirs = timed(make(), train, test)
            fastest = np.minimum(fastest, theirs[:2])
            yield from cells("peers", f"{name}, {peer}", theirs)
        # SRC has no training to speak of: what counts there is prediction.
        times = (fastest / found[:2]).tolist()
        ratios += times[1:] if name.startswith("SRC") else times
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        yield Line(f"geometric mean of {len(ratios)} ratios, fastest peer / ours", mean)


def defaults(only: str, train: tuple, test: tuple) -> Iterator[Line]:
    """Every method with its defaults."""
    for name, model in all_methods().items():
        if only and name not in only.split(","):
            continue
        # Searches make many fits of the flagship.
        if not isinstance(model, CrossLabelClassifierCV | RejectingClassifier):
            yield from cells("defaults", type(model).__name__, timed(model, train, test))


def cells(part: str, name: str, found: tuple[float, float, float]) -> Iterator[Line]:
    """A row of a table."""
    for column, value in zip(("fit, s", "predict, s", "accuracy, %"), found):
        yield Line(f"{part} | {name} | {column}", 100 * value if "%" in column else value)


def lines(given: argparse.Namespace) -> Iterator[Line]:
    train, test = problem()
    with threadpool_limits(1):
        yield from beside_peers(given.only, train, test)
        if not given.no_fits:
            yield from defaults(given.fits, train, test)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="beside peers, these methods only, with commas")
    parser.add_argument("--fits", default="", help="of these methods only, with commas")
    parser.add_argument("--no-fits", action="store_true", help="only those that have a peer")
    title = "The methods on random faces of Extended Yale B, one thread"
    return command("methods_speed", title, lines, parser)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")  # peers warn of convergence; ours are tested not to
    sys.exit(main())
