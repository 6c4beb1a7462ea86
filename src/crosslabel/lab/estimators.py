"""Every classifier that an experiment may name: the library's own, and some of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin

from crosslabel import flagship, methods

NAMES: list[str] = sorted([*dir(flagship), *dir(methods)])
"""The library's own classes."""


class WellKnown(NamedTuple):
    """A classifier of scikit-learn: its module, and its name and parameters in a comparison."""

    module: str
    short: str
    parameters: Mapping[str, object]


WELL_KNOWN: dict[str, WellKnown] = {
    "LinearSVC": WellKnown("sklearn.svm", "svm", {}),
    "KNeighborsClassifier": WellKnown("sklearn.neighbors", "knn", {"n_neighbors": 1}),
    "RidgeClassifier": WellKnown("sklearn.linear_model", "ridge", {}),
}


def estimator_class(name: str) -> type[BaseEstimator]:
    """The class of this name, imported when it is first asked for.

    Parameters
    ----------
    name : str
        Of `NAMES` or `WELL_KNOWN`.
    """
    if name in WELL_KNOWN:
        return getattr(import_module(WELL_KNOWN[name].module), name)
    return getattr(flagship if name in dir(flagship) else methods, name)


def all_methods(random_state: int | None = 0) -> dict[str, BaseEstimator]:
    """An unfitted classifier for each short name: the library's own, then scikit-learn's.

    Parameters
    ----------
    random_state : int or None, default=0
        Given to the methods that have one.
    """
    found = {}
    for name in NAMES:
        candidate = estimator_class(name)
        # What wraps another classifier is no method of its own.
        if issubclass(candidate, ClassifierMixin) and not issubclass(candidate, MetaEstimatorMixin):
            short = name.removesuffix("Classifier").lower().replace("classifiercv", "cv")
            found[short] = candidate()
    for name, known in WELL_KNOWN.items():
        found[known.short] = estimator_class(name)(**known.parameters)
    for model in found.values():
        if "random_state" in model.get_params():
            model.set_params(random_state=random_state)
    return found
