"""What the features that are covariance matrices share: how a matrix becomes a row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.manifolds import log_coordinates
from crosslabel.core.scaling import Array

OUTPUTS: dict[str, Callable[[Array], Array]] = {
    "log": log_coordinates,
    "matrix": lambda rows: rows,
}
"""From rows of d² entries to rows that a classifier takes: "log" for any classifier, "matrix" for
the kernels "log-euclidean" and "stein"."""


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
