"""Codes over the nearest atoms alone, with weights of sum one (LLC)."""

from __future__ import annotations

import numpy as np

from crosslabel.core.scaling import Array

# Samples coded at a time: bounds the memory of their distances and local covariances.
CHUNK = 4096


def locality_codes(X: Array, codebook: Array, n_neighbors: int, ridge: float) -> Array:
    """min over c of ‖x − cB‖² + λ tr(C)‖c‖² with Σc = 1, over the k atoms B nearest to x.

    With z = B − x the local covariance is C = zzᵀ, and c ∝ (C + λ tr(C) I)⁻¹1.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    codebook : ndarray of shape (n_atoms, n_features)
    n_neighbors : int
        k.
    ridge : float
        λ.

    Returns
    -------
    ndarray of shape (n_samples, n_atoms)
    """
    codes = np.zeros((len(X), len(codebook)), X.dtype)
    for first in range(0, len(X), CHUNK):
        rows = slice(first, first + CHUNK)
        _code(X[rows], codebook, min(n_neighbors, len(codebook)), ridge, codes[rows])
    return codes


def _code(X: Array, codebook: Array, k: int, ridge: float, codes: Array) -> None:
    distances = np.einsum("ij,ij->i", codebook, codebook) - 2 * X @ codebook.T
    nearest = np.argpartition(distances, k - 1, axis=1)[:, :k]
    z = codebook[nearest] - X[:, None, :]
    # Only the shape of z counts: at another scale squares could leave the range of their type.
    largest = np.abs(z).max(axis=(1, 2), keepdims=True, initial=0.0)
    z /= np.where(largest > 0, largest, 1)
    covariance = z @ z.transpose(0, 2, 1)
    trace = np.einsum("nkk->n", covariance)
    # A sample that equals all its neighbours weighs them alike.
    np.einsum("nkk->nk", covariance)[...] += np.where(trace > 0, ridge * trace, 1)[:, None]
    weights = np.linalg.solve(covariance, np.ones((len(X), k, 1), X.dtype))[:, :, 0]
    weights /= weights.sum(axis=1, keepdims=True)
    np.put_along_axis(codes, nearest, weights, axis=1)
