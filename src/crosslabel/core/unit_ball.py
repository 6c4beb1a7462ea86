"""The quadratic atom update that DLSI, COPAR, FDDL, LRSDL, JDL, DPL and SupGraphDL reduce to.

Imports numpy and core only.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from crosslabel.core.scaling import Array

# Atoms whose slopes one product prepares: enough of them for its speed, few enough that what they
# change in one another stays cheap.
BLOCK = 64


class QuadraticForm(Protocol):
    """A quadratic form F of atoms, positive semidefinite."""

    @property
    def bound(self) -> float:
        """At least its largest eigenvalue."""

    def slopes(self, rows: Array) -> Array:
        """Rows times F."""


class DenseForm(NamedTuple):
    """A form by its matrix."""

    matrix: Array
    bound: float

    def slopes(self, rows: Array) -> Array:
        """Rows times F."""
        return rows @ self.matrix


def update_atoms(
    D: Array, A: Array, B: Array, *, form: Array | QuadraticForm | None = None, sweeps: int = 1
) -> Array:
    """min over D of tr(Dᵀ A D) − 2 tr(Bᵀ D) + tr(D F Dᵀ), every atom in the unit ball.

    With codes X and samples Y in rows, A = XᵀX and B = XᵀY make the first terms ‖Y − XD‖² up to a
    constant. F = η·CᵀC repels the atoms from those in the rows of C: η‖DCᵀ‖². Atoms are updated in
    turn; the update is the minimiser when F is absent, and that of the upper bound F ≼ ‖F‖·I
    otherwise, so the objective never rises.

    Parameters
    ----------
    D : ndarray of shape (n_atoms, n_features)
        Atoms to start from, each in the unit ball.
    A : ndarray of shape (n_atoms, n_atoms)
        Second moment of the codes.
    B : ndarray of shape (n_atoms, n_features)
        Moment of codes and samples.
    form : ndarray of shape (n_features, n_features) or QuadraticForm, optional
        F, positive semidefinite.
    sweeps : int, default=1
        How often all atoms are updated.

    Returns
    -------
    ndarray of shape (n_atoms, n_features)
        An atom that no code uses and no form repels keeps its value.
    """
    D = D.copy()
    if isinstance(form, np.ndarray):
        form = DenseForm(form, spectral_bound(form))
    curvature = np.diag(A) + (0.0 if form is None else form.bound)
    for start in [*range(0, len(D), BLOCK)] * sweeps:
        own = slice(start, start + BLOCK)
        slopes, changes = A[own] @ D - B[own], np.zeros_like(D[own])
        if form is not None:  # an atom changes once a sweep: until its turn F·d stays what it is
            slopes += form.slopes(D[own])
        for i in np.flatnonzero(curvature[own] > np.finfo(D.dtype).tiny):
            k = start + i
            slope = slopes[i] + A[k, start:k] @ changes[:i]
            atom = D[k] - slope / curvature[k]
            atom /= max(1.0, float(np.sqrt(atom @ atom)))
            changes[i] = atom - D[k]
            D[k] = atom
    return D


def spectral_bound(F: Array) -> float:
    """An upper bound of the largest eigenvalue of a positive semidefinite matrix.

    The least of three: the Frobenius norm, close where one eigenvalue dominates, as it does for the
    overlap of like atoms; the largest absolute row sum; and the trace.
    """
    bounds = (np.sqrt(np.vdot(F, F)), np.abs(F).sum(axis=1).max(), np.trace(F))
    return float(min(bounds))
