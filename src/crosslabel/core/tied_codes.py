"""Tied codes (RCR): each group of features has its own code, and all are drawn to their mean.

Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

# The system of the mean code under equal weights is inverted once: the weights of a query move its
# own system so little away from that one that a few steps reach this relative residual.
CG_STEPS = 50
CG_TOL = 1e-6

EQUAL = float(np.exp(-1.0))
"""The weights that follow from codes that agree."""

FLOOR = 1e-100
"""Of a weight: as good as zero, but it has a logarithm, and one can divide by it."""


class FeatureGroup(NamedTuple):
    """Singular value decomposition U S V of one group's dictionary D_i (features × coordinates)."""

    left: Array
    values: Array
    right: Array

    @classmethod
    def of(cls, D: Array) -> FeatureGroup:
        """Decompose the dictionary of a group."""
        return cls(*np.linalg.svd(D, full_matrices=False))


class TiedSystem(NamedTuple):
    """The system of the mean code, Σω_i(I − τω_iP_i) ᾱ = Σω_iP_iD_iᵀy_i, for many queries at once.

    Here P_i = (D_iᵀD_i + (λ+τω_i)I)⁻¹ with D_i = U_iS_iV_i. In the directions V of all groups, one
    below the other, the matrix is Σ_i ω_iλ/(λ+τω_i) I + VᵀhV with a diagonal h for each query: all
    that is done with it is two products for all groups and queries together.
    """

    values: Array  # (n_directions,)
    directions: Array  # (n_directions, n_coordinates)
    ranks: NDArray[np.intp]  # directions of each group
    ridge: float
    tie: float

    @classmethod
    def of(cls, groups: Sequence[FeatureGroup], ridge: float, tie: float) -> TiedSystem:
        """Stack the groups."""
        values = np.concatenate([group.values for group in groups])
        directions = np.concatenate([group.right for group in groups])
        return cls(values, directions, np.array([len(g.values) for g in groups]), ridge, tie)

    def spread(self, weights: Array) -> Array:
        """What belongs to groups, (n_queries, n_groups), for each of their directions."""
        return np.repeat(weights, self.ranks, axis=1)

    def sums(self, Z: Array) -> Array:
        """Sums over the directions of each group, (n_queries, n_groups)."""
        return np.add.reduceat(Z, np.cumsum(self.ranks) - self.ranks, axis=1)

    def resolvents(self, weights: Array) -> Array:
        """1/(s² + λ + τω) of each query and direction."""
        return 1 / (self.spread(self.ridge + self.tie * weights) + self.values**2)

    def forms(self, weights: Array, resolvents: Array) -> tuple[Array, Array]:
        """The factor of I, (n_queries, 1), and h, (n_queries, n_directions)."""
        shifts = self.ridge + self.tie * weights
        h = self.spread(self.tie * weights**2 / shifts) * self.values**2 * resolvents
        return (self.ridge * weights / shifts).sum(axis=1, keepdims=True), h

    def inverse(self) -> Array:
        """Of the matrix under equal weights."""
        equal: Array = np.full((1, len(self.ranks)), EQUAL)
        factor, h = self.forms(equal, self.resolvents(equal))
        matrix = (self.directions.T * h) @ self.directions
        matrix.flat[:: len(matrix) + 1] += factor[0]
        return np.linalg.inv(matrix)

    def mean_codes(
        self,
        inside: Array,
        weights: Array,
        resolvents: Array,
        inverse: Array,
        start: tuple[Array, Array],
    ) -> tuple[Array, Array]:
        """ᾱ of each query, by conjugate gradients that the inverse preconditions.

        Parameters
        ----------
        inside : ndarray of shape (n_queries, n_directions)
            U_iᵀy_i of each group.
        weights : ndarray of shape (n_queries, n_groups)
        resolvents : ndarray of shape (n_queries, n_directions)
            Those of the weights.
        inverse : ndarray of shape (n_coordinates, n_coordinates)
            Symmetric and positive definite, near the inverse of the queries' systems.
        start : pair of ndarray
            ᾱ to start from, (n_queries, n_coordinates), and Vᾱ, (n_queries, n_directions).

        Returns
        -------
        pair of ndarray
            ᾱ and Vᾱ.
        """
        V, (factor, h) = self.directions, self.forms(weights, resolvents)
        b = (self.spread(weights) * self.values * inside * resolvents) @ V
        goal = CG_TOL**2 * (b**2).sum(axis=1)
        x, along = (known.copy() for known in start)
        rows, residual = np.arange(len(b)), b
        if x.any():
            residual = b - factor * x - (along * h) @ V
        direction, previous = np.zeros_like(b), np.ones(len(b))
        for _ in range(CG_STEPS):
            # Only queries that are not yet solved take part.
            left = (residual**2).sum(axis=1) > goal
            if not left.any():
                break
            rows, goal, factor, h = rows[left], goal[left], factor[left], h[left]
            residual, direction, previous = residual[left], direction[left], previous[left]
            solved = residual @ inverse
            square = (residual * solved).sum(axis=1)
            direction = solved + (square / previous)[:, None] * direction
            turned = direction @ V.T
            image = factor * direction + (turned * h) @ V
            step = (square / (direction * image).sum(axis=1))[:, None]
            x[rows] += step * direction
            along[rows] += step * turned
            residual, previous = residual - step * image, square
        return x, along


class TiedCodes(NamedTuple):
    """Codes (n_queries, n_coordinates) and weights (n_queries,) of each group; the objective."""

    codes: list[Array]
    weights: list[Array]
    objective: Array


def tied_codes(
    groups: Sequence[FeatureGroup],
    parts: Sequence[Array],
    ridge: float,
    tie: float,
    entropy: float,
    n_iter: int,
    inverse: Array | None = None,
) -> TiedCodes:
    """min Σ_i ‖y_i − D_iα_i‖² + λ‖α_i‖² + τω_i‖α_i − ᾱ‖² + γ ω_i ln ω_i over all α and ω.

    For given weights the codes are the exact minimiser: ᾱ solves the linear system `TiedSystem`,
    and α_i = P_i(D_iᵀy_i + τω_iᾱ) follows. For given codes ω_i = exp(−1 − τ‖α_i − ᾱ‖²/γ). A code
    is a multiple of ᾱ beside the directions of its group: rounds go on with its coordinates along
    them, and codes are written out at the end alone.

    Parameters
    ----------
    groups : sequence of FeatureGroup
    parts : sequence of ndarray of shape (n_queries, n_features of the group)
        y_i.
    ridge, tie, entropy : float
        λ, τ and γ.
    n_iter : int
        Rounds of codes and weights.
    inverse : ndarray of shape (n_coordinates, n_coordinates), default=None
        That of `TiedSystem.inverse`, for who asks often; None to compute it.

    Returns
    -------
    TiedCodes
        The objective after each round, with the mean ᾱ that its codes are tied to, is
        (n_iter, n_queries).
    """
    system = TiedSystem.of(groups, ridge, tie)
    inverse = system.inverse() if inverse is None else inverse
    S = system.values
    inside = np.concatenate([y @ group.left for group, y in zip(groups, parts)], axis=1)
    outside = np.stack([(y**2).sum(axis=1) for y in parts], axis=1) - system.sums(inside**2)
    weights: Array = np.full((len(inside), len(groups)), EQUAL)
    mean: Array = np.zeros((len(inside), system.directions.shape[1]))
    along = np.zeros_like(inside)
    trace = []
    for _ in range(n_iter):
        resolvents = system.resolvents(weights)
        mean, along = system.mean_codes(inside, weights, resolvents, inverse, (mean, along))
        share = tie * weights / (ridge + tie * weights)
        pulled = system.spread(tie * weights) * along
        own = (S * inside + pulled) * resolvents
        # What of the mean lies beside the directions of a group, of which its code has this share.
        beside = np.maximum((mean**2).sum(axis=1, keepdims=True) - system.sums(along**2), 0)
        spreads = system.sums((own - along) ** 2) + (1 - share) ** 2 * beside
        weights = np.maximum(np.exp(-1 - tie * spreads / entropy), FLOOR)
        fits = system.sums((inside - S * own) ** 2) + outside
        sizes = system.sums(own**2) + share**2 * beside
        costs = fits + ridge * sizes + weights * (tie * spreads + entropy * np.log(weights))
        trace.append(costs.sum(axis=1))
    edges = np.cumsum(system.ranks)[:-1]
    off = np.split(own - system.spread(share) * along, edges, axis=1)
    codes = [a[:, None] * mean + z @ group.right for a, z, group in zip(share.T, off, groups)]
    return TiedCodes(codes, list(weights.T), np.array(trace))
