"""What users would pick, each with the scaling that its users give it.

Tables, pixels and histograms are standardised, embeddings scaled to unit norm. Users of pixels and
histograms do either, and which is better differs by points: there the rivals run both ways, and
both count when the best rival of a cell is found. The dictionary methods scale to unit norm
themselves; dictlearn's does not, and gets it. Nothing is tuned: the values are the ones that users
start with, C = 100 for the logistic regression of unit-norm rows, where 1 leaves it far below.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from crosslabel import CRC, DPL, CrossLabelClassifier

FLAGSHIP = "crosslabel"
UNIT = ", unit norm"
"""Ends the name of a rival that sees unit-norm rows where it would see standardised ones."""
RIDGES = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3)
Build = Callable[[str, int], BaseEstimator]
"""From the kind of the data and the samples of the smallest class."""


def scaler(kind: str) -> BaseEstimator:
    """The scaling that users of general classifiers give this kind of data."""
    return Normalizer() if kind == "embedding" else StandardScaler()


def applies(method: str, kind: str) -> bool:
    """Whether a method is one for this kind: unit norm is a choice for pixels and histograms."""
    return not method.endswith(UNIT) or kind in ("pixels", "histogram")


def _scaled(build: Callable[[str], BaseEstimator]) -> Build:
    return lambda kind, least: make_pipeline(scaler(kind), build(kind))


def _dictlearn(kind: str, least: int) -> BaseEstimator:
    from dictlearn.classification import DPLClassifier

    model = DPLClassifier(min(30, least), max_iter=20, random_state=0)
    return make_pipeline(Normalizer(), model)


METHODS: dict[str, Build] = {
    FLAGSHIP: lambda kind, least: CrossLabelClassifier(random_state=0),
    "1-NN": _scaled(lambda kind: KNeighborsClassifier(1)),
    "ridge": _scaled(lambda kind: RidgeClassifierCV(RIDGES)),
    "linear SVM": _scaled(lambda kind: LinearSVC(random_state=0)),
    "RBF SVM": _scaled(lambda kind: SVC(C=10)),
    "logistic": _scaled(
        lambda kind: LogisticRegression(C=100 if kind == "embedding" else 1, max_iter=500)
    ),
    "LDA": _scaled(lambda kind: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")),
    "CRC": lambda kind, least: CRC(),
    "DPL": lambda kind, least: DPL(random_state=0),
}
_GENERAL = ("1-NN", "ridge", "linear SVM", "RBF SVM", "logistic", "LDA")


def _unit(name: str) -> Build:
    """The rival as users of embeddings run it."""
    return lambda kind, least: METHODS[name]("embedding", least)


METHODS |= {name + UNIT: _unit(name) for name in _GENERAL}
if find_spec("dictlearn"):
    METHODS["dictlearn DPL"] = _dictlearn
