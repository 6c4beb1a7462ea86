"""The k-means start of `core.initialise`, for all classes at once on the device.

Random numbers are drawn in the order of the classes, as `core.kmeans` draws them, so that the start
is the same but for rounding.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.initialise import directions
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array


def kmeans_start(
    X: Array,
    labels: Labels,
    layout: AtomLayout,
    ridge: float,
    rng: np.random.Generator,
    sample_weight: Array | None = None,
    *,
    device: torch.device,
) -> Array:
    """Centroids of each class; for shared atoms, centroids of what those leave unexplained.

    Parameters
    ----------
    X, labels, layout, ridge, rng, sample_weight
        As for `core.initialise.kmeans_start`.
    device : torch.device

    Returns
    -------
    ndarray of shape (n_atoms, n_features)
        Unit-norm atoms.
    """
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    samples = torch.as_tensor(X, device=device)
    members = [np.flatnonzero(labels == c) for c in range(layout.n_classes)]
    uniforms = [_draws(rng, n, len(m)) for n, m in zip(layout.per_class, members)]
    parts: list[Array] = [X[m] for m in members]
    for n_atoms in {n for n, m in zip(layout.per_class, members) if len(m) > n}:
        chosen = [
            c for c, m in enumerate(members) if layout.per_class[c] == n_atoms and len(m) > n_atoms
        ]
        found = _padded_kmeans(
            samples, [members[c] for c in chosen], weights, [uniforms[c] for c in chosen], n_atoms
        )
        for c, centres in zip(chosen, found):
            parts[c] = centres
    parts = [directions(part, rng) for part in parts]
    shared = X[:0]
    if layout.shared:
        residuals = torch.empty_like(samples)
        for part, m in zip(parts, members):
            atoms = torch.as_tensor(part, device=device)
            residuals[m] = samples[m] - _reconstruction(samples[m], atoms, ridge)
        everything = np.arange(len(X))
        centroids = residuals.cpu().numpy()
        if len(X) > layout.shared:
            draws = [_draws(rng, layout.shared, len(X))]
            [centroids] = _padded_kmeans(residuals, [everything], weights, draws, layout.shared)
        missing = np.zeros((layout.shared - len(centroids), X.shape[1]), X.dtype)
        shared = directions(np.concatenate([centroids, missing]), rng)
    return np.concatenate([shared, *parts])


def _reconstruction(samples: Tensor, atoms: Tensor, ridge: float) -> Tensor:
    # Atoms that are the samples themselves can be dependent: a start needs no exact β = 0.
    gram = (atoms @ atoms.T).double()
    gram.diagonal().add_(max(ridge, torch.finfo(samples.dtype).eps ** 0.5))
    codes = torch.linalg.solve(gram, (atoms @ samples.T).double()).T
    return codes.to(samples.dtype) @ atoms


def _draws(rng: np.random.Generator, n_clusters: int, n_samples: int) -> Array:
    """The uniform numbers that a k-means++ start takes: one, then a few for each further centre."""
    if n_samples <= n_clusters:
        return np.empty(0)
    n_trials = 2 + int(np.log(n_clusters))
    return np.concatenate([rng.random(1), *(rng.random(n_trials) for _ in range(n_clusters - 1))])


def _padded_kmeans(
    samples: Tensor, members: list[Labels], weights: Array, uniforms: list[Array], n_clusters: int
) -> list[Array]:
    """Centres of several sets of samples, padded by samples of no weight to one size."""
    size = max(map(len, members))
    index = np.zeros((len(members), size), dtype=np.intp)
    masses = np.zeros((len(members), size))
    for row, own in enumerate(members):
        index[row, : len(own)], masses[row, : len(own)] = own, weights[own]
    X = samples[torch.as_tensor(index, device=samples.device)]
    centres = kmeans(
        X, torch.as_tensor(masses).to(X), torch.as_tensor(np.array(uniforms)).to(X), n_clusters
    )
    return list(centres.cpu().numpy())


def kmeans(
    X: Tensor,
    weights: Tensor,
    uniforms: Tensor,
    n_clusters: int,
    *,
    max_iter: int = 50,
    tol: float = 1e-4,
) -> Tensor:
    """min over centres of Σ w ‖x − nearest centre‖² for each of several sets, as `core.kmeans`.

    Parameters
    ----------
    X : Tensor of shape (n_sets, n_samples, n_features)
    weights : Tensor of shape (n_sets, n_samples)
        Zero for samples that only fill up a set.
    uniforms : Tensor of shape (n_sets, n_draws)
    n_clusters : int
        Fewer than any set has samples.
    max_iter : int, default=50
    tol : float, default=1e-4

    Returns
    -------
    Tensor of shape (n_sets, n_clusters, n_features)
    """
    energies = X.square().sum(dim=2)
    centres = _plus_plus(X, energies, weights, uniforms, n_clusters)
    previous = torch.full_like(energies[:, 0], torch.inf)
    for _ in range(max_iter):
        nearest, distances = _assign(X, energies, centres)
        inertia = (weights * distances).sum(dim=1)
        moving = previous - inertia > tol * inertia
        if not bool(moving.any()):
            break
        previous = torch.where(moving, inertia, previous)
        means = _means(X, nearest, distances, weights, n_clusters)
        centres = torch.where(moving[:, None, None], means, centres)
    return centres


def _assign(X: Tensor, energies: Tensor, centres: Tensor) -> tuple[Tensor, Tensor]:
    squares = centres.square().sum(dim=2)[:, None, :] - 2 * (X @ centres.mT)
    best = squares.min(dim=2)
    return best.indices, (energies + best.values).clamp(min=0)


def _means(
    X: Tensor, nearest: Tensor, distances: Tensor, weights: Tensor, n_clusters: int
) -> Tensor:
    """Mean of each cluster; an empty one moves to the sample farthest from its centre."""
    share = torch.nn.functional.one_hot(nearest, n_clusters).to(X.dtype) * weights[:, :, None]
    for row, empty in (share.sum(dim=1) == 0).nonzero().tolist():
        counts = (share[row] > 0).sum(dim=0)
        several = (counts[nearest[row]] > 1) & (weights[row] > 0)
        farthest = int(torch.where(several, distances[row], -1.0).argmax())
        share[row, farthest] = 0
        share[row, farthest, empty] = weights[row, farthest]
        nearest[row, farthest], distances[row, farthest] = empty, 0.0
    return (share / share.sum(dim=1, keepdim=True)).mT @ X


def _plus_plus(
    X: Tensor, energies: Tensor, weights: Tensor, uniforms: Tensor, n_clusters: int
) -> Tensor:
    """Greedy k-means++: each centre the best of a few samples drawn by distance to those before."""
    n_trials = 2 + int(np.log(n_clusters))
    first = _drawn(weights, uniforms[:, :1])
    distances = _distances(X, energies, first)[:, 0]
    chosen = [first]
    for k in range(n_clusters - 1):
        draws = uniforms[:, 1 + k * n_trials : 1 + (k + 1) * n_trials]
        trials = _drawn(weights * distances, draws)
        closer = torch.minimum(distances[:, None], _distances(X, energies, trials))
        costs = (closer @ weights[:, :, None])[..., 0]
        # Two that are each other's nearest cost the same: the first, whatever rounding prefers.
        least = costs.amin(dim=1, keepdim=True) * (1 + torch.finfo(X.dtype).eps ** 0.5)
        best = (costs <= least).to(torch.uint8).argmax(dim=1, keepdim=True)
        chosen.append(trials.gather(1, best))
        distances = closer.gather(1, best[..., None].expand(-1, 1, closer.shape[2]))[:, 0]
    return _rows(X, torch.cat(chosen, dim=1))


def _rows(X: Tensor, chosen: Tensor) -> Tensor:
    return X.gather(1, chosen[..., None].expand(-1, -1, X.shape[2]))


def _distances(X: Tensor, energies: Tensor, chosen: Tensor) -> Tensor:
    squares = (
        energies.gather(1, chosen)[..., None] + energies[:, None] - 2 * (_rows(X, chosen) @ X.mT)
    )
    return squares.clamp(min=0).scatter(2, chosen[..., None], 0.0)


def _drawn(mass: Tensor, uniform: Tensor) -> Tensor:
    """Indices drawn in proportion to a mass, by inversion."""
    total = mass.cumsum(dim=1)
    found = torch.searchsorted(total, uniform * total[:, -1:], right=True)
    # Rounding must not draw a sample beyond the last that has a mass.
    last = (mass > 0).to(torch.int64).cumsum(dim=1).argmax(dim=1, keepdim=True)
    return torch.minimum(found, last)
