"""Graph Laplacians and codes that vary smoothly over a graph (supervised graph regularisation)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from crosslabel.core.scaling import Array


def heat_laplacian(X: Array, n_neighbors: int) -> Array:
    """L = diag(W1) − W of the nearest-neighbour graph with weights exp(−‖x−x'‖²/σ²).

    σ² is the mean squared distance of neighbours, so that the scale of X does not matter.

    Parameters
    ----------
    X : ndarray of shape (n_points, n_features)
    n_neighbors : int

    Returns
    -------
    ndarray of shape (n_points, n_points)
        Symmetric and positive semidefinite, rows sum to zero, trace n_points.
    """
    n_points = len(X)
    n_neighbors = min(n_neighbors, n_points - 1)
    if n_neighbors < 1:
        return np.zeros((n_points, n_points))
    energies = np.einsum("ij,ij->i", X, X)
    distances = np.maximum(energies[:, None] + energies - 2 * X @ X.T, 0)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argpartition(distances, n_neighbors - 1, axis=1)[:, :n_neighbors]
    close = np.take_along_axis(distances, nearest, axis=1)
    scale = close.mean()
    weights = np.zeros((n_points, n_points))
    np.put_along_axis(weights, nearest, np.exp(-close / scale) if scale > 0 else 1.0, axis=1)
    return laplacian(np.maximum(weights, weights.T))


def laplacian(weights: Array) -> Array:
    """diag(W1) − W, scaled to the trace n: one unit of smoothness per point."""
    L = np.diag(weights.sum(axis=1)) - weights
    trace = float(np.trace(L))
    return L * (len(L) / trace) if trace > 0 else L


def blockwise(blocks: Sequence[Array], X: Array) -> Array:
    """The product of X with a matrix that has these square blocks along its diagonal."""
    product: Array = np.empty(X.shape, np.result_type(X, *blocks))
    first = 0
    for block in blocks:
        own = slice(first, first + len(block))
        np.matmul(block, X[own], out=product[own])
        first = own.stop
    return product


def adapted_laplacian(
    points: Array, spread: float, n_iter: int = 100, start: Array | None = None
) -> Array:
    """min over L of tr(PᵀLP) + μ‖L‖²_F, L a Laplacian of trace n: the graph on which P is smooth.

    In weights w of the edges this is a quadratic over the simplex, min z·w + μ(2‖w‖² + ‖Ww‖²) with
    z the squared distances and Ww the degrees, solved by projected gradient steps.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_dimensions)
        P, the signals on the points.
    spread : float
        μ; large values make all edges alike.
    n_iter : int, default=100
    start : ndarray of shape (n_points, n_points), default=None
        A Laplacian of trace n to start from, which the result is no worse than; None for the one
        whose edges are all alike.

    Returns
    -------
    ndarray of shape (n_points, n_points)
    """
    n_points = len(points)
    if n_points < 2:
        return np.zeros((n_points, n_points))
    upper = np.triu_indices(n_points, 1)
    energies = np.einsum("ij,ij->i", points, points)
    distances = np.maximum(energies[:, None] + energies - 2 * points @ points.T, 0)[upper]
    weights = np.full(len(upper[0]), 0.5 * n_points / len(upper[0]))  # trace n is Σw = n/2
    if start is not None:
        weights = -start[upper]
    step = 1 / (2 * spread * (2 + 2 * (n_points - 1)))
    whole = np.zeros((n_points, n_points))
    for _ in range(n_iter):
        whole[upper] = weights
        degrees = whole.sum(axis=0) + whole.sum(axis=1)
        slope = distances + spread * (4 * weights + 2 * (degrees[upper[0]] + degrees[upper[1]]))
        weights = onto_simplex(weights - step * slope, 0.5 * n_points)
    whole[upper] = weights
    weights_matrix = whole + whole.T
    return np.diag(weights_matrix.sum(axis=1)) - weights_matrix


def onto_simplex(v: Array, total: float) -> Array:
    """Nearest w ≥ 0 with Σw = total."""
    ordered = np.sort(v)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(v) + 1)
    shift = excess[np.flatnonzero(ordered > excess)[-1]]
    return np.maximum(v - shift, 0)


def smooth_sparse_codes(
    gram: Array,
    correlations: Array,
    graphs: Sequence[Array],
    sparsity: int,
    *,
    start: Array,
    n_iter: int,
) -> Array:
    """min over X of tr(X G Xᵀ) − 2 tr(X Bᵀ) + tr(Xᵀ L X), with ‖x‖₀ ≤ T for each code.

    L has the graphs' Laplacians along its diagonal: samples of different classes are not joined.
    By ADMM: the unconstrained half is the Sylvester equation X(G + ρI) + LX = B + ρ(Z − U), solved
    in the eigenvectors of G and L; the other half keeps the T largest entries of each row. Only
    sparse codes are turned into the eigenvectors: there the sum U and the objective are a matter
    of entries.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        G.
    correlations : ndarray of shape (n_samples, n_atoms)
        B.
    graphs : sequence of ndarray of shape (n, n)
        Positive semidefinite; together of as many rows as there are samples.
    sparsity : int
        T.
    start : ndarray of shape (n_samples, n_atoms)
        Sparse codes to start from.
    n_iter : int

    Returns
    -------
    ndarray of shape (n_samples, n_atoms)
        The best codes met, the start included.
    """
    atom_values, atom_basis = np.linalg.eigh(gram)
    graph_values, bases = zip(*(np.linalg.eigh(L) for L in graphs))
    adjoints = [basis.T for basis in bases]
    rho = max(float(np.trace(gram)) / len(gram), np.finfo(float).tiny)
    curvature = atom_values + np.concatenate(graph_values)[:, None]
    targets = blockwise(adjoints, correlations @ atom_basis)

    share, part = rho / (curvature + rho), targets / (curvature + rho)

    def turned(codes: csr_array) -> Array:
        return blockwise(adjoints, codes @ atom_basis)

    def value(Z: Array) -> float:
        return float(np.vdot(Z, curvature * Z) - 2 * np.vdot(Z, targets))

    best, excess = csr_array(start), np.zeros_like(start)
    Z, U = turned(best), np.zeros_like(start)  # of codes and their sums, in the eigenvectors
    lowest = value(Z)
    for _ in range(n_iter):
        X = share * (Z - U) + part
        excess += blockwise(bases, X) @ atom_basis.T
        codes = take_largest(excess, sparsity)
        Z = turned(codes)
        U += X
        U -= Z
        reached = value(Z)
        if reached < lowest:
            best, lowest = codes, reached
    return best.toarray()


def take_largest(X: Array, count: int) -> csr_array:
    """The `count` entries of each row that are largest in size; in X zeros are left of them."""
    count = min(count, X.shape[1])
    taken = np.argpartition(-np.abs(X), count - 1, axis=1)[:, :count]
    values = np.take_along_axis(X, taken, axis=1)
    np.put_along_axis(X, taken, 0.0, axis=1)
    edges = np.arange(0, taken.size + 1, count)
    return csr_array((values.ravel(), taken.ravel(), edges), shape=X.shape)
