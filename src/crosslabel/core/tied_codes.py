"""Tied codes (RCR): each group of features has its own code, and all are drawn to their mean.

Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crosslabel.core.scaling import Array

# The tie makes the system of the mean code badly conditioned by (λ+τ)/λ at most, so that a few
# dozen steps reach this relative residual.
CG_STEPS = 50
CG_TOL = 1e-6

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

    def correlate(self, Y: Array) -> Array:
        """D_iᵀy of each row."""
        return (Y @ self.left * self.values) @ self.right

    def solve(self, V: Array, shift: Array) -> Array:
        """(D_iᵀD_i + shift·I)⁻¹ v of each row, each with its own shift."""
        inside = V @ self.right.T
        shift = shift[:, None]
        return V / shift + (inside * (1 / (self.values**2 + shift) - 1 / shift)) @ self.right


class TiedCodes(NamedTuple):
    """Codes (n_queries, n_coordinates) and weights (n_queries,) of each group; the objective."""

    codes: list[Array]
    weights: list[Array]
    objective: Array


def tied_codes(
    groups: list[FeatureGroup],
    parts: list[Array],
    ridge: float,
    tie: float,
    entropy: float,
    n_iter: int,
) -> TiedCodes:
    """min Σ_i ‖y_i − D_iα_i‖² + λ‖α_i‖² + τω_i‖α_i − ᾱ‖² + γ ω_i ln ω_i over all α and ω.

    For given weights the codes are the exact minimiser: ᾱ solves a linear system that conjugate
    gradients solve for all queries at once, and α_i = P_i(D_iᵀy_i + τω_iᾱ) follows, with
    P_i = (D_iᵀD_i + (λ+τω_i)I)⁻¹. For given codes ω_i = exp(−1 − τ‖α_i − ᾱ‖²/γ).

    Parameters
    ----------
    groups : list of FeatureGroup
    parts : list of ndarray of shape (n_queries, n_features of the group)
        y_i.
    ridge, tie, entropy : float
        λ, τ and γ.
    n_iter : int
        Rounds of codes and weights.

    Returns
    -------
    TiedCodes
        The objective after each round, with the mean ᾱ that its codes are tied to, is
        (n_iter, n_queries).
    """
    n_queries = len(parts[0])
    plain = [group.correlate(y) for group, y in zip(groups, parts)]
    # The weights that follow from codes that agree.
    weights = [np.full(n_queries, np.exp(-1.0)) for _ in groups]
    trace = []
    for _ in range(n_iter):
        shifts = [ridge + tie * w for w in weights]
        mean = _mean_code(groups, plain, weights, shifts, tie)
        codes = [
            group.solve(b + (tie * w)[:, None] * mean, shift)
            for group, b, w, shift in zip(groups, plain, weights, shifts)
        ]
        spreads = [((code - mean) ** 2).sum(axis=1) for code in codes]
        weights = [np.maximum(np.exp(-1 - tie * s / entropy), FLOOR) for s in spreads]
        trace.append(
            sum(
                ((y - (code @ g.right.T * g.values) @ g.left.T) ** 2).sum(axis=1)
                + ridge * (code**2).sum(axis=1)
                + tie * w * spread
                + entropy * w * np.log(w)
                for g, y, code, w, spread in zip(groups, parts, codes, weights, spreads)
            )
        )
    return TiedCodes(codes, weights, np.array(trace))


def _mean_code(
    groups: Sequence[FeatureGroup],
    plain: Sequence[Array],
    weights: Sequence[Array],
    shifts: Sequence[Array],
    tie: float,
) -> Array:
    """ᾱ of (Σω_i I − τΣω_i²P_i) ᾱ = Σω_iP_iD_iᵀy_i, by conjugate gradients on all rows at once."""
    total = np.sum(weights, axis=0)[:, None]

    def apply(V: Array) -> Array:
        return total * V - sum(
            (tie * w**2)[:, None] * group.solve(V, shift)
            for group, w, shift in zip(groups, weights, shifts)
        )

    parts = zip(groups, plain, weights, shifts)
    b = np.sum([w[:, None] * g.solve(p, s) for g, p, w, s in parts], axis=0)
    x = b / total
    residual = b - apply(x)
    direction, square = residual, (residual**2).sum(axis=1)
    goal = CG_TOL**2 * (b**2).sum(axis=1)
    for _ in range(CG_STEPS):
        if (square <= goal).all():
            break
        image = apply(direction)
        curvature = (direction * image).sum(axis=1)
        step = np.where(square > goal, square / np.where(curvature > 0, curvature, np.inf), 0)
        x = x + step[:, None] * direction
        residual = residual - step[:, None] * image
        previous, square = square, (residual**2).sum(axis=1)
        direction = residual + (square / np.where(previous > 0, previous, 1))[:, None] * direction
    return x
