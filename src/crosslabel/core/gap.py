"""How far a dictionary can be from the optimum: a bound that needs no other dictionary.

The minimum over all codes is a function of Q_p = D_pᵀD_p of each part p (shared atoms, and those of
each class):

    f = Σ over rows y of yᵀZ⁻¹y,   Z = I + (Q₀ + Q_c)/ρ + Σ_{j≠c} Q_j/(ρ + λ),

with the rows, classes c and shifts ρ of `core.objective.blocks`. It is convex, so that over all Q_p
with the traces k_p that unit norms give it is nowhere lower than its tangent: at most
Σ_p k_p λ_max(−∇_p f) − ⟨−∇_p f, Q_p⟩ below its value. Residuals of the exact codes are Z⁻¹y, and
−∇_p f the sum of their outer products, weighted with 1/ρ for a class's own and shared atoms
and 1/(ρ + λ) for others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import one_thread
from crosslabel.core.code_blocks import Block
from crosslabel.core.coding import ridge_coder, suppressed_codes
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import Array

_LEAST_RIDGE = 1e-10
"""Without ridge, codes on dependent atoms would not be determined, nor f differentiable."""

_LARGE = 300
"""Size from which on the largest eigenvalue alone is found faster than all."""


def minimum_over_codes(
    statistics: Moments, dictionary: Array, layout: AtomLayout, penalties: Penalties
) -> float:
    """f: the objective at a dictionary with its exact codes.

    Parameters
    ----------
    statistics : Moments
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    penalties : Penalties
        The suppression may be infinite.
    """
    coded = _CodedRows.of(statistics, dictionary, layout, penalties)
    return float(np.vdot(coded.rows, coded.residuals))


def optimality_gap(
    statistics: Moments, dictionary: Array, layout: AtomLayout, penalties: Penalties
) -> float:
    """At most so far is the objective above its minimum over all unit-norm dictionaries.

    The bound is that of a problem without limits on the ranks of DᵀD: with fewer atoms than its
    optimum has directions, it holds what more atoms could gain too.

    Parameters
    ----------
    statistics : Moments
    dictionary : ndarray of shape (n_atoms, n_features)
        Unit-norm atoms.
    layout : AtomLayout
    penalties : Penalties
        The suppression may be infinite.

    Returns
    -------
    float
        Not below zero but for rounding, nor above the objective itself.
    """
    coded = _CodedRows.of(statistics, dictionary, layout, penalties)
    R = coded.residuals
    # At the exact codes RD_pᵀ is the codes times their penalties: Σ_p ⟨−∇_p f, Q_p⟩ is what the
    # codes cost, f less the squared residual.
    bound = -float(np.vdot(coded.rows - R, R))
    if layout.shared:
        bound += layout.shared * _largest_eigenvalue(coded.shared_slope())
    with one_thread():
        for label, n_atoms in enumerate(layout.per_class):
            bound += n_atoms * _largest_eigenvalue(coded.slope(label))
    return min(bound, float(np.vdot(coded.rows, R)))


@dataclass(frozen=True)
class _CodedRows:
    """Targets and the residuals of their exact codes, where classes start, and shifts ρ and λ."""

    rows: Array
    residuals: Array
    starts: NDArray[np.intp]
    shifts: Array
    suppression: float

    @classmethod
    def of(
        cls, statistics: Moments, D: Array, layout: AtomLayout, penalties: Penalties
    ) -> _CodedRows:
        penalties = penalties._replace(ridge=max(penalties.ridge, _LEAST_RIDGE))
        rows, starts = statistics.targets()
        rows, D = rows.astype(np.float64, copy=False), D.astype(np.float64, copy=False)
        of_class, shifts = blocks(starts, statistics.counts, penalties), np.empty(len(rows))
        for _, block_rows, shift in of_class:
            shifts[block_rows] = shift
        residuals = _residuals(rows, of_class, D, layout, penalties.suppression)
        return cls(rows, residuals, starts, shifts, penalties.suppression)

    def shared_slope(self) -> Array:
        """−∇₀ f, or the smaller matrix with the same eigenvalues above zero."""
        return _smaller_gram(self.residuals / np.sqrt(self.shifts)[:, None])

    def slope(self, label: int) -> Array:
        """−∇_c f, or the smaller matrix with the same eigenvalues above zero."""
        own = np.r_[label, self.starts[label] : self.starts[label + 1]]
        R, weights = self.residuals[own], 1 / self.shifts[own]
        if math.isinf(self.suppression):
            return _smaller_gram(np.sqrt(weights)[:, None] * R)
        others = 1 / (self.shifts + self.suppression)
        if len(self.residuals) >= R.shape[1]:
            return self._common + (R.T * (weights - others[own])) @ R
        others[own] = weights
        roots = np.sqrt(others)
        return roots[:, None] * self._common * roots

    @cached_property
    def _common(self) -> Array:
        """What the slopes of all classes have in common: all products of residuals, summed once."""
        R = self.residuals
        if len(R) < R.shape[1]:
            return R @ R.T
        return (R.T / (self.shifts + self.suppression)) @ R


def _smaller_gram(rows: Array) -> Array:
    return rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows


def _residuals(
    rows: Array, of_class: Sequence[Block], D: Array, layout: AtomLayout, suppression: float
) -> Array:
    """y − xD for the exact code x of each row; without end to suppression on free atoms alone."""
    if math.isfinite(suppression):
        return rows - suppressed_codes(rows, of_class, D, layout, suppression) @ D
    residuals = rows.copy()
    coders: dict[tuple[int, float], tuple[Array, Array]] = {}
    with one_thread():
        for label, part, shift in of_class:
            if (label, shift) not in coders:
                atoms = D[layout.free(label)]
                coders[label, shift] = ridge_coder(atoms, shift), atoms
            coder, atoms = coders[label, shift]
            residuals[part] -= (rows[part] @ coder.T) @ atoms
    return residuals


def _largest_eigenvalue(gram: Array) -> float:
    if len(gram) <= _LARGE or not gram.any():
        return float(np.linalg.eigvalsh(gram)[-1])
    # A fixed start, so that the same question has the same answer.
    start = gram.sum(axis=1) + np.trace(gram) / len(gram)
    try:
        return float(eigsh(gram, 1, v0=start, tol=1e-10, return_eigenvectors=False)[0])
    except ArpackNoConvergence:
        return float(np.linalg.eigvalsh(gram)[-1])
