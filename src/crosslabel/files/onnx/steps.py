"""Feature steps as what a graph can hold: affine maps, unit norm, logarithm.

Affine maps that follow each other become one. A step that is linear is an entry of `STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import spmatrix
from sklearn.base import BaseEstimator

from crosslabel.core.scaling import Array
from crosslabel.features.pixels import LEVELS


@dataclass(frozen=True)
class Affine:
    """x ↦ xA + b; A is a matrix, or a vector that scales each feature."""

    matrix: Array
    offset: Array

    def then(self, other: Affine) -> Affine:
        """Both maps as one, the other one last."""
        scales = other.matrix.ndim == 1
        left = np.diag(self.matrix) if self.matrix.ndim == 1 and not scales else self.matrix
        offset = self.offset * other.matrix if scales else self.offset @ other.matrix
        matrix = left * other.matrix if scales else left @ other.matrix
        return Affine(matrix, offset + other.offset)


@dataclass(frozen=True)
class UnitNorm:
    """x ↦ x / ‖x‖₂; zero stays zero."""


@dataclass(frozen=True)
class Log:
    """x ↦ log(1 + factor · x)."""

    factor: float


Operation = Affine | UnitNorm | Log


def operations(steps: Iterable[tuple[str, BaseEstimator]]) -> list[Operation]:
    """What the steps of a fitted pipeline do to a row, with as few operations as possible.

    Parameters
    ----------
    steps : iterable of (name, fitted transformer)

    Raises
    ------
    ValueError
        Naming a step that cannot be exported.
    """
    found: list[Operation] = []
    for name, step in steps:
        for operation in _operations_of(name, step):
            last = found[-1] if found else None
            if isinstance(last, Affine) and isinstance(operation, Affine):
                found[-1] = last.then(operation)
            else:
                found.append(operation)
    return found


def _operations_of(name: str, step: BaseEstimator) -> Iterator[Operation]:
    if step is None or step == "passthrough":
        return
    kind = type(step).__name__
    if kind == "Pipeline":
        yield from operations(step.steps)
        return
    if kind not in STEPS or not type(step).__module__.startswith(("sklearn.", "crosslabel.")):
        raise ValueError(
            f"The step {name!r} ({kind}) cannot be exported to ONNX: it is not linear, or not "
            f"known. Known: {', '.join(sorted(STEPS))}. Export the steps after it, and compute "
            "its features before."
        )
    yield from STEPS[kind](name, step)


def _scaler(factor: ArrayLike | None, shift: ArrayLike | None, width: int) -> Affine:
    """x ↦ (x − shift) · factor, where either may be absent."""
    factors = np.ones(width) if factor is None else np.asarray(factor, np.float64)
    shifts = np.zeros(width) if shift is None else np.asarray(shift, np.float64)
    return Affine(factors, -shifts * factors)


def _projection(
    directions: Array | spmatrix, mean: ArrayLike | None = None, factor: Array | float = 1.0
) -> Affine:
    """x ↦ (x − mean) · directionsᵀ · factor."""
    dense = directions.toarray() if hasattr(directions, "toarray") else directions
    matrix = np.asarray(dense, np.float64).T * factor
    shift = np.zeros(len(matrix)) if mean is None else np.asarray(mean, np.float64)
    return Affine(matrix, -shift @ matrix)


def _standard(name: str, step: BaseEstimator) -> Iterator[Operation]:
    factor = None if step.scale_ is None else 1 / step.scale_
    yield _scaler(factor, step.mean_ if step.with_mean else None, step.n_features_in_)


def _robust(name: str, step: BaseEstimator) -> Iterator[Operation]:
    factor = None if step.scale_ is None else 1 / step.scale_
    yield _scaler(factor, step.center_, step.n_features_in_)


def _min_max(name: str, step: BaseEstimator) -> Iterator[Operation]:
    if step.clip:
        raise ValueError(
            f"The step {name!r} (MinMaxScaler) clips, which is not linear: clip=False."
        )
    yield Affine(np.asarray(step.scale_, np.float64), np.asarray(step.min_, np.float64))


def _max_abs(name: str, step: BaseEstimator) -> Iterator[Operation]:
    yield _scaler(1 / step.scale_, None, step.n_features_in_)


def _normalizer(name: str, step: BaseEstimator) -> Iterator[Operation]:
    if step.norm != "l2":
        raise ValueError(
            f"The step {name!r} (Normalizer) has norm={step.norm!r}; only 'l2' is known."
        )
    yield UnitNorm()


def _pca(name: str, step: BaseEstimator) -> Iterator[Operation]:
    factor: Array | float = 1.0
    if step.whiten:
        spread = np.sqrt(step.explained_variance_)
        # As scikit-learn does: a direction without variance is not blown up.
        factor = 1 / np.maximum(spread, np.finfo(spread.dtype).eps)
    yield _projection(step.components_, step.mean_, factor)


def _plain_projection(name: str, step: BaseEstimator) -> Iterator[Operation]:
    yield _projection(step.components_)


def _eigenfaces(name: str, step: BaseEstimator) -> Iterator[Operation]:
    yield _projection(step.components_, step.mean_)


def _pixels(name: str, step: BaseEstimator) -> Iterator[Operation]:
    if step.log:
        yield Log(LEVELS)
    if step.normalize:
        yield UnitNorm()


STEPS: dict[str, Callable[[str, BaseEstimator], Iterator[Operation]]] = {
    "Eigenfaces": _eigenfaces,
    "GaussianRandomProjection": _plain_projection,
    "IncrementalPCA": _pca,
    "MaxAbsScaler": _max_abs,
    "MinMaxScaler": _min_max,
    "Normalizer": _normalizer,
    "PCA": _pca,
    "Pixels": _pixels,
    "RandomFaces": _plain_projection,
    "RobustScaler": _robust,
    "SparseRandomProjection": _plain_projection,
    "StandardScaler": _standard,
    "TruncatedSVD": _plain_projection,
}
