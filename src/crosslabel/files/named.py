"""A trained pipeline with the names of its classes: what the command line stores and loads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel._version import __version__
from crosslabel.files.container import JsonObject

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.pipeline import Pipeline

Queries = ArrayLike | Sequence[str | os.PathLike[str]] | os.PathLike[str]
"""What a model is asked about: rows, images, or paths of files."""


@dataclass
class Model:
    """A trained pipeline and what is needed to use it years later.

    Parameters
    ----------
    pipeline : Pipeline
        From what `kind` says to class numbers.
    class_names : list of str
        The name of each class number.
    kind : {"images", "clips", "features"}
        What the pipeline takes.
    features : str
        Name of the features, as given on the command line.
    summary : dict
        How it was trained and what was measured: numbers and strings.
    version : str
        Version of the library that wrote it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from crosslabel import CrossLabelClassifier, Model
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(CrossLabelClassifier(rule="local", ridge=0.1)).fit(X, y)
    >>> names = ["setosa", "versicolor", "virginica"]
    >>> Model(pipeline, names, "features", "none", {"protocol": "all samples"}).class_names[0]
    'setosa'
    """

    pipeline: BaseEstimator
    class_names: list[str]
    kind: str
    features: str
    summary: JsonObject = field(default_factory=dict)
    version: str = __version__

    @property
    def classes_(self) -> NDArray[np.str_]:
        """Names of the classes that it tells apart, in the order of the probabilities."""
        return np.array(self.class_names)[self.pipeline.classes_]

    def predict(self, X: Queries) -> NDArray[np.str_]:
        """The name of each query's class.

        Parameters
        ----------
        X : sequence of paths or arrays, or one path
            Images or clips as `kind` says; rows of features for a model on features.

        Returns
        -------
        ndarray of str of shape (n_queries,)
        """
        return np.array(self.class_names)[self.pipeline.predict(_several(X))]

    def predict_proba(self, X: Queries) -> NDArray[np.floating]:
        """The probability of each class of `classes_`.

        Parameters
        ----------
        X : as for `predict`

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        return self.pipeline.predict_proba(_several(X))

    def explain(self, X: Queries) -> list[Any]:
        """Why each query gets its label: probabilities, and what each class's atoms make of it.

        Parameters
        ----------
        X : as for `predict`

        Returns
        -------
        list of crosslabel.flagship.explanation.Explanation
            With `label`, `sentence()`, and `views` of the classes, best first.
        """
        rows = features_of(self.pipeline, _several(X))
        return self.pipeline[-1].explain(rows, self.classes_.tolist())


def features_of(pipeline: Pipeline, queries: Queries) -> Any:
    """What reaches the last step of a pipeline.

    Step by step: as a pipeline of their own, steps that learn nothing count as not fitted.
    """
    for _, step in pipeline.steps[:-1]:
        queries = step.transform(queries)
    return queries


def _several(X: Queries) -> Queries:
    """What was given, or the one path that was given as the only one of several."""
    return [X] if isinstance(X, str | os.PathLike) else X
