"""Weighted k-means of few samples: the start of a class's atoms."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from crosslabel.core.backend import threads_for
from crosslabel.core.scaling import Array


def kmeans(
    X: Array,
    n_clusters: int,
    rng: np.random.Generator,
    sample_weight: Array | None = None,
    *,
    max_iter: int = 50,
    tol: float = 1e-4,
) -> Array:
    """min over centres of Σ w ‖x − nearest centre‖², by Lloyd's steps from a k-means++ start.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_clusters : int
        At most the number of samples; as many as samples gives the samples themselves.
    rng : numpy.random.Generator
    sample_weight : ndarray of shape (n_samples,), optional
        Positive weights.
    max_iter : int, default=50
    tol : float, default=1e-4
        Stop when a step lowers the sum by less than this part of it.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
    """
    if len(X) <= n_clusters:
        return X.copy()
    weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    with threads_for(2.0 * X.size * n_clusters):
        return _lloyd(X, n_clusters, rng, weights, max_iter, tol)


def _lloyd(
    X: Array,
    n_clusters: int,
    rng: np.random.Generator,
    weights: Array,
    max_iter: int,
    tol: float,
) -> Array:
    """Alternate nearest centres and means until the sum of distances settles."""
    energies = np.einsum("ij,ij->i", X, X)
    centres = _plus_plus(X, energies, n_clusters, rng, weights)
    previous = np.inf
    for _ in range(max_iter):
        nearest, distances = _assign(X, energies, centres)
        inertia = float(weights @ distances)
        if previous - inertia <= tol * inertia:
            break
        previous = inertia
        centres = _means(X, nearest, distances, weights, n_clusters)
    return centres


def _assign(X: Array, energies: Array, centres: Array) -> tuple[Array, Array]:
    """Nearest centre of each sample and the squared distance to it."""
    squares = np.einsum("ij,ij->i", centres, centres) - 2 * (X @ centres.T)
    nearest = squares.argmin(axis=1)
    distances = energies + squares[np.arange(len(X)), nearest]
    return nearest, np.maximum(distances, 0)


def _means(X: Array, nearest: Array, distances: Array, weights: Array, n_clusters: int) -> Array:
    """Mean of each cluster; an empty one moves to the sample farthest from its centre."""
    mass = np.bincount(nearest, weights, n_clusters)
    for empty in np.flatnonzero(mass == 0):
        # Only from a cluster that keeps another sample.
        several = np.bincount(nearest, minlength=n_clusters)[nearest] > 1
        farthest = int(np.argmax(np.where(several, distances, -1.0)))
        mass[nearest[farthest]] -= weights[farthest]
        nearest[farthest], distances[farthest] = empty, 0.0
        mass[empty] = weights[farthest]
    columns = np.arange(len(X))
    share = (weights / mass[nearest]).astype(X.dtype)
    return csr_array((share, (nearest, columns)), shape=(n_clusters, len(X))) @ X


def _plus_plus(
    X: Array, energies: Array, n_clusters: int, rng: np.random.Generator, weights: Array
) -> Array:
    """Greedy k-means++: each centre the best of a few samples drawn by distance to those before."""
    n_trials = 2 + int(np.log(n_clusters))
    chosen = [_draw(weights, rng.random(1))[0]]
    distances = _distances(X, energies, chosen)[0]
    for _ in range(1, n_clusters):
        trials = _draw(weights * distances, rng.random(n_trials))
        closer = np.minimum(distances, _distances(X, energies, trials))
        costs = closer @ weights
        # Two that are each other's nearest cost the same: the first, whatever rounding prefers.
        best = int(np.argmax(costs <= costs.min() * (1 + np.finfo(X.dtype).eps ** 0.5)))
        chosen.append(trials[best])
        distances = closer[best]
    return X[chosen]


def _distances(X: Array, energies: Array, chosen: Array | list[int]) -> Array:
    squares = energies[chosen][:, None] + energies - 2 * (X[chosen] @ X.T)
    squares = np.maximum(squares, 0)
    squares[np.arange(len(chosen)), chosen] = 0
    return squares


def _draw(mass: Array, uniform: Array) -> Array:
    """Indices drawn in proportion to a mass, by inversion."""
    total = np.cumsum(mass)
    return np.searchsorted(total, uniform * total[-1], side="right").clip(max=len(mass) - 1)
