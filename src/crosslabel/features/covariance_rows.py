"""What the features that are covariance matrices share: how a matrix becomes a row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel.core.manifolds import log_coordinates
from crosslabel.core.scaling import Array

OUTPUTS: dict[str, Callable[[Array], Array]] = {
    "log": log_coordinates,
    "matrix": lambda rows: rows,
}
"""From rows of d² entries to rows that a classifier takes: "log" for any classifier, "matrix" for
the kernels "log-euclidean" and "stein"."""


def real_stack(X: ArrayLike, name: str, axes: str) -> Array:
    """Signals or matrices as one array of three axes, float64, finite.

    Parameters
    ----------
    X : array-like
    name, axes : str
        What they are, and what their shape should be, for the message of an error.

    Returns
    -------
    ndarray with three axes, none of them empty
    """
    given = np.asarray(X)
    if given.dtype.kind == "c":
        raise ValueError(f"{name} must be real numbers, but their type is {given.dtype}.")
    with np.errstate(over="ignore"):  # what double precision cannot hold is refused as infinite
        values = given.astype(np.float64, copy=False)
    if values.ndim != 3 or 0 in values.shape:
        raise ValueError(f"{name} must be {axes}, but their shape is {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} hold NaN or infinity. Repair them or leave them out.")
    return values


def covariance_rows(matrices: Array, output: str) -> Array:
    """Rows of covariance matrices, (n, d, d).

    Parameters
    ----------
    matrices : ndarray of shape (n_matrices, d, d)
    output : {"log", "matrix"}

    Returns
    -------
    ndarray of shape (n_matrices, d(d + 1)/2) or (n_matrices, d²)
    """
    return OUTPUTS[output](matrices.reshape(len(matrices), -1))


def covariance_names(d: int, output: str) -> NDArray[np.object_]:
    """Name of each value of such a row."""
    pairs = zip(*np.triu_indices(d)) if output == "log" else np.ndindex(d, d)
    return np.array([f"{output}_{i}_{j}" for i, j in pairs], dtype=object)
