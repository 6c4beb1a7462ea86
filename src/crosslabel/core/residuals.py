"""How well each class's own atoms, with their share of a code, reproduce a query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosslabel.core.scaling import Array


def class_residuals(
    energies: Array, correlations: Array, gram: Array, codes: Array, parts: Sequence[slice]
) -> Array:
    """‖y − x_c D_c‖² for each query y and class c, from inner products alone.

    Parameters
    ----------
    energies : ndarray of shape (n_queries,)
        ‖y‖².
    correlations : ndarray of shape (n_queries, n_atoms)
        yDᵀ.
    gram : ndarray of shape (n_atoms, n_atoms)
        DDᵀ.
    codes : ndarray of shape (n_queries, n_atoms)
        x.
    parts : sequence of slice
        The atoms of each class.

    Returns
    -------
    ndarray of shape (n_queries, n_classes)
    """
    residuals = np.empty((len(codes), len(parts)), codes.dtype)
    for c, part in enumerate(parts):
        x = codes[:, part]
        slope = x @ gram[part, part] - 2 * correlations[:, part]
        residuals[:, c] = energies + np.einsum("ij,ij->i", x, slope)
    return np.maximum(residuals, 0)  # rounding may leave a perfect fit just below zero


def energies(X: Array) -> Array:
    """‖x‖² of each row."""
    return np.einsum("ij,ij->i", X, X)
