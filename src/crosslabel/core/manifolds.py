"""Kernels of points that lie on a manifold: covariance matrices and subspaces, as rows.

A covariance matrix is the row of its d² entries. A subspace is the row of an orthonormal basis U,
as U.ravel() gives it for the (M, p) array; its squared norm is p, so the row says how many columns
it has.
Scaling such rows would take them off their manifold; so would centring.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import NamedTuple

import numpy as np

from crosslabel.core.scaling import Array, squared_distances

_SOME = 200
"""Points whose divergences set the width of a kernel."""

_PAIRS = 2**16
"""Entries of the matrices that are decomposed at a time: half a megabyte, which stays in cache."""

_PRODUCTS = 2**22
"""Products of columns that are summed at a time: 32 MB."""


def covariances(rows: Array) -> Array:
    """Symmetric positive definite matrices, (n, d, d), from the rows of their entries.

    Raises
    ------
    ValueError
        If a row is no such matrix.
    """
    n_rows, length = rows.shape
    d = isqrt(length)
    if d * d != length:
        raise ValueError(
            f"A covariance matrix is a row of d² values, but the rows have {length}, which is no "
            "square. Give matrix.reshape(n_matrices, -1)."
        )
    matrices = np.asarray(rows, np.float64).reshape(n_rows, d, d)
    apart = np.abs(matrices - matrices.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0)
    size = np.abs(matrices).max(axis=(1, 2), initial=0.0)
    skew = np.flatnonzero(apart > 1e-5 * size)
    if len(skew):
        raise ValueError(
            f"Row {skew[0]} is no symmetric matrix: two entries that should be equal differ by "
            f"{apart[skew[0]]:.3g}. Give covariance matrices, one in each row."
        )
    return matrices


def logarithms(rows: Array) -> Array:
    """log C of each covariance matrix C, as rows of d² entries: V log(Λ) Vᵀ of C = V Λ Vᵀ."""
    values, axes = np.linalg.eigh(covariances(rows))
    _check_positive(values[:, 0], values[:, -1])
    logs = (axes * np.log(values)[:, None, :]) @ axes.transpose(0, 2, 1)
    return logs.reshape(rows.shape)


def log_coordinates(rows: Array) -> Array:
    """Coordinates in which Euclidean distance is ‖log A − log B‖_F: d(d+1)/2 of each matrix.

    The upper triangle of the logarithm, with √2 times what stands beside the diagonal.
    """
    d = isqrt(rows.shape[1])
    logs = logarithms(rows).reshape(-1, d, d)
    upper = np.triu_indices(d)
    return logs[:, *upper] * np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))


def from_log_coordinates(coordinates: Array) -> Array:
    """The covariance matrices, as rows, that have these coordinates: V exp(Λ) Vᵀ."""
    d = (isqrt(8 * coordinates.shape[1] + 1) - 1) // 2
    upper = np.triu_indices(d)
    logs = np.zeros((len(coordinates), d, d))
    logs[:, *upper] = coordinates / np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))
    values, axes = np.linalg.eigh(logs, UPLO="U")
    return ((axes * np.exp(values)[:, None, :]) @ axes.transpose(0, 2, 1)).reshape(-1, d * d)


def _check_positive(least: Array, largest: Array) -> None:
    bad = np.flatnonzero(~(least > 0))
    if len(bad):
        raise ValueError(
            f"Row {bad[0]} is no positive definite matrix: its least eigenvalue is "
            f"{least[bad[0]]:.3g} beside a largest of {largest[bad[0]]:.3g}. Add a small multiple "
            "of the identity, or estimate the covariance with shrinkage."
        )


def log_euclidean_kernel(X: Array, Y: Array, gamma: float) -> Array:
    """exp(−γ‖log A − log B‖²_F) for all pairs of covariance matrices (Arsigny et al. 2006)."""
    return np.exp(-gamma * squared_distances(logarithms(X), logarithms(Y)))


def stein_divergences(X: Array, Y: Array) -> Array:
    """S(A, B) = log det((A + B)/2) − ½ log det(AB) for all pairs of covariance matrices."""
    some, others = covariances(X), covariances(Y)
    halves = [_log_determinants(matrices) / 2 for matrices in (some, others)]
    d = others.shape[1]
    step = max(1, _PAIRS // max(1, len(others) * d * d))
    middle = np.empty((len(some), len(others)))
    for start in range(0, len(some), step):
        sums = some[start : start + step, None] + others
        middle[start : start + step] = np.linalg.slogdet(sums / 2)[1]
    return np.maximum(middle - halves[0][:, None] - halves[1], 0)


def _log_determinants(matrices: Array) -> Array:
    values = np.linalg.eigvalsh(matrices)
    _check_positive(values[:, 0], values[:, -1])
    return np.log(values).sum(axis=1)


def stein_kernel(X: Array, Y: Array, gamma: float) -> Array:
    """exp(−γ S(A, B)) for all pairs; positive definite for the γ that `stein_gamma` gives."""
    return np.exp(-gamma * stein_divergences(X, Y))


def subspaces(rows: Array) -> Array:
    """Orthonormal bases, (n, M, p), from their rows.

    Raises
    ------
    ValueError
        If a row is no orthonormal basis, or the rows have bases of unlike sizes.
    """
    n_rows, length = rows.shape
    squares = np.einsum("ij,ij->i", rows, rows)
    p = round(float(squares[0])) if n_rows else 1
    # More columns than rows are no basis; their products would be larger than the rows.
    if p < 1 or length % p or length < p * p or np.abs(squares - p).max(initial=0.0) > 1e-3:
        raise ValueError(
            "A subspace is the row of an orthonormal basis of p columns, whose squared norm is p; "
            f"these rows have {length} values and squared norms from {squares.min():.4g} to "
            f"{squares.max():.4g}. Give U.ravel() of orthonormal bases U of one size, unscaled."
        )
    bases = np.asarray(rows, np.float64).reshape(n_rows, length // p, p)
    off = np.abs(bases.transpose(0, 2, 1) @ bases - np.eye(p)).max(axis=(1, 2), initial=0.0)
    skew = np.flatnonzero(off > 1e-3)
    if len(skew):
        raise ValueError(
            f"Row {skew[0]} is no orthonormal basis: a product of its columns is off by "
            f"{off[skew[0]]:.3g}. Give U.ravel() of an orthonormal basis U."
        )
    return bases


def overlaps(X: Array, Y: Array) -> Array:
    """‖UᵀV‖²_F / p for all pairs of subspaces: one for equal ones, zero for orthogonal ones."""
    some, others = subspaces(X), subspaces(Y)
    if some.shape[1:] != others.shape[1:]:
        raise ValueError(
            f"Subspaces of {some.shape[2]} and of {others.shape[2]} dimensions cannot be compared. "
            "Give bases of one size."
        )
    return squared_products(some, others) / some.shape[2]


def squared_products(some: Array, others: Array) -> Array:
    """‖UᵀV‖²_F for all pairs of matrices U and V, (n, M, p) and (m, M, p)."""
    _, M, p = some.shape
    columns = others.transpose(1, 0, 2).reshape(M, -1)
    step = max(1, _PRODUCTS // max(1, p * columns.shape[1]))
    found = np.empty((len(some), len(others)))
    for start in range(0, len(some), step):
        bases = some[start : start + step]
        products = bases.transpose(0, 2, 1).reshape(-1, M) @ columns
        squares = (products**2).reshape(len(bases), p, len(others), p)
        found[start : start + step] = squares.sum(axis=(1, 3))
    return found


def projection_kernel(X: Array, Y: Array, gamma: float) -> Array:
    """‖UᵀV‖²_F / p, the product of the projections UUᵀ and VVᵀ; γ plays no part."""
    return overlaps(X, Y)


def projection_rbf_kernel(X: Array, Y: Array, gamma: float) -> Array:
    """exp(−γ(1 − ‖UᵀV‖²_F/p)): Gaussian in the distance of the projections."""
    return np.exp(-gamma * (1 - overlaps(X, Y)))


def log_euclidean_gamma(X: Array) -> float:
    """One over the variance of the logarithms."""
    return _reciprocal(float(logarithms(X).var(axis=0).sum()))


def stein_gamma(X: Array) -> float:
    """One over the usual divergence, moved to the nearest γ that makes the kernel positive.

    These are the multiples of ½ up to (d − 1)/2, and all above that (Sra 2012).
    """
    usual = _reciprocal(float(stein_divergences(X[:_SOME], X[:_SOME]).mean()))
    if usual >= (isqrt(X.shape[1]) - 1) / 2:
        return usual
    return max(0.5, round(2 * usual) / 2)


def projection_gamma(X: Array) -> float:
    """One over the usual 1 − ‖UᵀV‖²_F/p."""
    return _reciprocal(float(1 - overlaps(X[:_SOME], X[:_SOME]).mean()))


def _reciprocal(spread: float) -> float:
    """One where points do not differ by more than rounding."""
    return 1 / spread if spread > 1e-12 else 1.0


class ManifoldKernel(NamedTuple):
    """A kernel of points that are rows, and the γ that suits some points."""

    values: Callable[[Array, Array, float], Array]
    gamma: Callable[[Array], float]


MANIFOLDS: dict[str, ManifoldKernel] = {
    "log-euclidean": ManifoldKernel(log_euclidean_kernel, log_euclidean_gamma),
    "stein": ManifoldKernel(stein_kernel, stein_gamma),
    "projection": ManifoldKernel(projection_kernel, lambda X: 1.0),
    "projection-rbf": ManifoldKernel(projection_rbf_kernel, projection_gamma),
}
"""By the name that the flagship's `kernel` takes: two of covariance matrices, two of subspaces."""
