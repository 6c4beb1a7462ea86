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
from scipy.sparse.linalg import eigsh

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.coding import Block, ridge_coder, suppressed_codes
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import Array
from crosslabel.core.statistics import ClassStatistics

_LEAST_RIDGE = 1e-10
"""Without ridge, codes on dependent atoms would not be determined, nor f differentiable."""

_LARGE = 300
"""Size from which on the largest eigenvalue alone is found faster than all."""


def minimum_over_codes(
    statistics: ClassStatistics, dictionary: Array, layout: AtomLayout, penalties: Penalties
) -> float:
    """f: the objective at a dictionary with its exact codes.

    Parameters
    ----------
    statistics : ClassStatistics
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    penalties : Penalties
        The suppression may be infinite.
    """
    coded = _CodedRows.of(statistics, dictionary, layout, penalties)
    return float(np.vdot(coded.rows, coded.residuals))


def optimality_gap(
    statistics: ClassStatistics, dictionary: Array, layout: AtomLayout, penalties: Penalties
) -> float:
    """At most so far is the objective above its minimum over all unit-norm dictionaries.

    The bound is that of a problem without limits on the ranks of DᵀD: with fewer atoms than its
    optimum has directions, it holds what more atoms could gain too.

    Parameters
    ----------
    statistics : ClassStatistics
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
    value = float(np.vdot(coded.rows, coded.residuals))
    alignments = (coded.residuals @ dictionary.T.astype(np.float64)) ** 2
    bound = 0.0
    for part, label in _parts(layout):
        along = float(coded.weights(label) @ alignments[:, part].sum(axis=1))
        bound += (part.stop - part.start) * _largest_eigenvalue(coded.slope(label)) - along
    return min(bound, value)


def _parts(layout: AtomLayout) -> list[tuple[slice, int | None]]:
    """Each part of the atoms with its class, or None for the shared ones; no empty ones."""
    own = [(layout.own(c), c) for c in range(layout.n_classes)]
    parts: list[tuple[slice, int | None]] = [(slice(0, layout.shared), None), *own]
    return [part for part in parts if part[0].stop > part[0].start]


@dataclass(frozen=True)
class _CodedRows:
    """Targets, the residuals of their exact codes, their classes, and shifts ρ and λ."""

    rows: Array
    residuals: Array
    labels: NDArray[np.intp]
    shifts: Array
    suppression: float

    @classmethod
    def of(
        cls, statistics: ClassStatistics, D: Array, layout: AtomLayout, penalties: Penalties
    ) -> _CodedRows:
        penalties = penalties._replace(ridge=max(penalties.ridge, _LEAST_RIDGE))
        rows, starts = statistics.targets()
        rows, D = rows.astype(np.float64, copy=False), D.astype(np.float64, copy=False)
        of_class = blocks(starts, statistics.counts, penalties)
        labels, shifts = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
        for label, block_rows, shift in of_class:
            labels[block_rows], shifts[block_rows] = label, shift
        residuals = _residuals(rows, of_class, D, layout, penalties.suppression)
        return cls(rows, residuals, labels, shifts, penalties.suppression)

    def weights(self, label: int | None) -> Array:
        """Of each residual in −∇_p f, p the atoms of one class or the shared ones."""
        if label is None:
            return 1 / self.shifts
        return 1 / (self.shifts + np.where(self.labels == label, 0.0, self.suppression))

    def slope(self, label: int | None) -> Array:
        """−∇_p f, or the smaller matrix with the same eigenvalues above zero."""
        weights = self.weights(label)
        own = slice(None) if label is None else self.labels == label
        if label is None or math.isinf(self.suppression):
            R = self.residuals[own] * np.sqrt(weights[own])[:, None]
            return R @ R.T if len(R) < R.shape[1] else R.T @ R
        if len(self.residuals) < self.residuals.shape[1]:
            roots = np.sqrt(weights)
            return roots[:, None] * self._common * roots
        R, more = self.residuals[own], weights[own] - 1 / (self.shifts[own] + self.suppression)
        return self._common + (R.T * more) @ R

    @cached_property
    def _common(self) -> Array:
        """What the slopes of all classes have in common: all products of residuals, summed once."""
        R = self.residuals
        if len(R) < R.shape[1]:
            return R @ R.T
        return (R.T / (self.shifts + self.suppression)) @ R


def _residuals(
    rows: Array, of_class: Sequence[Block], D: Array, layout: AtomLayout, suppression: float
) -> Array:
    """y − xD for the exact code x of each row; without end to suppression on free atoms alone."""
    if math.isfinite(suppression):
        return rows - suppressed_codes(rows, of_class, D, layout, suppression) @ D
    residuals = np.empty_like(rows)
    for label, part, shift in of_class:
        atoms = D[layout.free(label)]
        residuals[part] = rows[part] - (rows[part] @ ridge_coder(atoms, shift).T) @ atoms
    return residuals


def _largest_eigenvalue(gram: Array) -> float:
    if len(gram) <= _LARGE:
        return float(np.linalg.eigvalsh(gram)[-1])
    # A fixed start, so that the same question has the same answer.
    start = gram.sum(axis=1) + np.trace(gram) / len(gram)
    return float(eigsh(gram, 1, v0=start, tol=1e-10, return_eigenvectors=False)[0])
