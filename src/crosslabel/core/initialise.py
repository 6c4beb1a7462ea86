"""Where the dictionary starts: k-means as in the paper, or random training samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.coding import ridge_codes
from crosslabel.core.kmeans import kmeans
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, row_norms, unit_rows

Initialiser = Callable[[Array, Labels, AtomLayout, float, np.random.Generator, Array | None], Array]


def kmeans_start(
    X: Array,
    labels: Labels,
    layout: AtomLayout,
    ridge: float,
    rng: np.random.Generator,
    sample_weight: Array | None = None,
) -> Array:
    """Centroids of each class; for shared atoms, centroids of what those leave unexplained.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    labels : ndarray of int of shape (n_samples,)
        Every class has at least as many samples as atoms.
    layout : AtomLayout
    ridge : float
        β of the ridge codes whose residuals start the shared atoms.
    rng : numpy.random.Generator
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    ndarray of shape (n_atoms, n_features)
        Unit-norm atoms.
    """
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    parts, residuals = [], np.empty_like(X)
    for label, n_atoms in enumerate(layout.per_class):
        of_class = labels == label
        samples = X[of_class]
        atoms = directions(kmeans(samples, n_atoms, rng, weights[of_class]), rng)
        if layout.shared:
            residuals[of_class] = samples - _reconstruction(samples, atoms, ridge)
        parts.append(atoms)
    shared = X[:0]
    if layout.shared:
        centroids = kmeans(residuals, layout.shared, rng, weights)
        missing = np.zeros((layout.shared - len(centroids), X.shape[1]), X.dtype)
        shared = directions(np.concatenate([centroids, missing]), rng)
    return np.concatenate([shared, *parts])


def _reconstruction(samples: Array, atoms: Array, ridge: float) -> Array:
    # Atoms that are the samples themselves can be dependent: a start needs no exact β = 0.
    floor = np.sqrt(np.finfo(samples.dtype).eps)
    return ridge_codes(samples, atoms, max(ridge, floor)) @ atoms


def random_start(
    X: Array,
    labels: Labels,
    layout: AtomLayout,
    ridge: float,
    rng: np.random.Generator,
    sample_weight: Array | None = None,
) -> Array:
    """Training samples drawn at random: of its class for a class's atoms, of all for shared ones.

    Parameters and result as for `kmeans_start`.
    """
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    pools = [np.arange(len(X)), *(np.flatnonzero(labels == c) for c in range(layout.n_classes))]
    sizes = [layout.shared, *layout.per_class]
    return np.concatenate(
        [_drawn(X[pool], n_atoms, rng, weights[pool]) for pool, n_atoms in zip(pools, sizes)]
    )


def whole_random_start(
    X: Array,
    labels: Labels,
    layout: AtomLayout,
    ridge: float,
    rng: np.random.Generator,
    sample_weight: Array | None = None,
) -> Array:
    """Training samples drawn at random from all classes, whichever class an atom belongs to.

    The paper's whole random initialisation: what class structure the dictionary then gets comes
    from the penalties alone. Parameters and result as for `kmeans_start`.
    """
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    return _drawn(X, layout.n_atoms, rng, weights)


def _drawn(pool: Array, n_atoms: int, rng: np.random.Generator, weights: Array) -> Array:
    """Rows of the pool, each at most once; where it has too few, random directions."""
    size = min(n_atoms, len(pool))
    chosen = rng.choice(len(pool), size=size, replace=False, p=weights / weights.sum())
    missing = np.zeros((n_atoms - size, pool.shape[1]), pool.dtype)
    return directions(np.concatenate([pool[chosen], missing]), rng)


def directions(rows: Array, rng: np.random.Generator) -> Array:
    """Rows of unit norm; a zero row, which has no direction, gets a random one."""
    zero = row_norms(rows) == 0
    if zero.any():
        rows = rows.copy()
        rows[zero] = rng.standard_normal((int(zero.sum()), rows.shape[1]))
    return unit_rows(rows)


INITIALISERS: dict[str, Initialiser] = {
    "kmeans": kmeans_start,
    "random": random_start,
    "whole-random": whole_random_start,
}
