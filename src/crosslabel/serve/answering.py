"""What a stored model says of rows of features or of image files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from crosslabel.core.scaling import Array
from crosslabel.files import Model, load
from crosslabel.files.named import features_of
from crosslabel.media.unreadable import UnreadableFile

Answer = NDArray[np.generic]
"""One row, or one value, for each query."""


@dataclass(frozen=True)
class Answerer:
    """A loaded model, whatever its file held.

    Attributes
    ----------
    estimator : estimator
        From images or rows of features to class numbers or labels.
    names : list of str
        Of each of `classes_`.
    kind : {"images", "features"}
    """

    estimator: BaseEstimator
    names: list[str]
    kind: str

    @property
    def width(self) -> int:
        """Features of a row; −1 where the model does not say."""
        return int(getattr(self.estimator, "n_features_in_", -1))

    @cached_property
    def outputs(self) -> dict[str, Callable[[Answerer, Array], Answer]]:
        """What it can be asked for."""
        return {
            name: ask for name, (method, ask) in OUTPUTS.items() if hasattr(self.estimator, method)
        }

    def answers(self, queries: Array | Sequence[Path], wanted: Sequence[str]) -> dict[str, Answer]:
        """Each wanted output for valid queries.

        Parameters
        ----------
        queries : ndarray of shape (n, width), or paths of images
        wanted : sequence of str
            Names of `outputs`.
        """
        rows, last = self.features(queries)
        return {name: self.outputs[name](last, rows) for name in wanted}

    def features(self, queries: Array | Sequence[Path]) -> tuple[Array, Answerer]:
        """Features, computed once for all outputs, and what takes them."""
        steps = getattr(self.estimator, "steps", None)
        if self.kind != "images" or steps is None or len(steps) < 2:
            return np.asarray(queries), self
        rows = features_of(self.estimator, list(queries))
        return rows, Answerer(self.estimator[-1], self.names, "features")


def _labels(model: Answerer, rows: Array) -> Answer:
    known = dict(zip(_classes(model), model.names))
    found = np.asarray(model.estimator.predict(rows)).tolist()
    # A label beside the classes is what a model says of strangers.
    return np.array([known.get(label, str(label)) for label in found], dtype=object)


def _probabilities(model: Answerer, rows: Array) -> Answer:
    return np.asarray(model.estimator.predict_proba(rows), np.float64)


def _scores(model: Answerer, rows: Array) -> Answer:
    found = np.asarray(model.estimator.decision_function(rows), np.float64)
    return np.column_stack([-found, found]) if found.ndim == 1 else found


def _novelty(model: Answerer, rows: Array) -> Answer:
    return np.asarray(model.estimator.novelty_score(rows), np.float64)


def _classes(model: Answerer) -> list[object]:
    return list(model.estimator.classes_.tolist())


OUTPUTS: dict[str, tuple[str, Callable[[Answerer, Array], Answer]]] = {
    "label": ("predict", _labels),
    "probabilities": ("predict_proba", _probabilities),
    "scores": ("decision_function", _scores),
    "novelty": ("novelty_score", _novelty),
}
"""What a model may say: the method that it then has, and the answer."""

USUAL = ("label", "probabilities")
"""Outputs of a request that names none."""


def load_answerer(path: str | os.PathLike[str]) -> Answerer:
    """Read a model file and make it ready.

    Parameters
    ----------
    path : path
    """
    found = load(path)
    if not isinstance(found, Model):
        return Answerer(found, [str(label) for label in found.classes_.tolist()], "features")
    if found.kind not in ("images", "features"):
        raise ValueError(
            f"{path} is a model of {found.kind}. Models of images and of features can be served."
        )
    numbers = found.pipeline.classes_.tolist()
    names = [found.class_names[number] for number in numbers]
    return Answerer(found.pipeline, names, found.kind)


class Uploads:
    """Image files of one request, in a folder of their own that goes with it.

    Parameters
    ----------
    files : sequence of bytes
    """

    def __init__(self, files: Sequence[bytes]) -> None:
        self.files = files

    def __enter__(self) -> list[Path]:
        self.folder = tempfile.TemporaryDirectory(prefix="crosslabel-")
        places = [Path(self.folder.name, f"{number}") for number in range(len(self.files))]
        for place, content in zip(places, self.files):
            place.write_bytes(content)
        return places

    def __exit__(self, *problem: object) -> None:
        self.folder.cleanup()


def problem_of(error: Exception) -> str:
    """A sentence about a query that a model cannot take, without the place of a temporary file."""
    return (
        f"The image cannot be read: {error.reason}."
        if isinstance(error, UnreadableFile)
        else str(error)
    )
