"""The quadratic atom update that DLSI, COPAR, FDDL, LRSDL, JDL, DPL and SupGraphDL reduce to.

Imports numpy and core only.
"""

from __future__ import annotations

import numpy as np

from crosslabel.core.scaling import Array


def update_atoms(
    D: Array, A: Array, B: Array, *, form: Array | None = None, sweeps: int = 1
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
    form : ndarray of shape (n_features, n_features), optional
        F, positive semidefinite.
    sweeps : int, default=1
        How often all atoms are updated.

    Returns
    -------
    ndarray of shape (n_atoms, n_features)
        An atom that no code uses and no form repels keeps its value.
    """
    D = D.copy()
    bound = 0.0 if form is None else spectral_bound(form)
    curvature = np.diag(A) + bound
    for _ in range(sweeps):
        for k in np.flatnonzero(curvature > np.finfo(D.dtype).tiny):
            slope = A[k] @ D - B[k]
            if form is not None:
                slope += D[k] @ form
            atom = D[k] - slope / curvature[k]
            D[k] = atom / max(1.0, float(np.sqrt(atom @ atom)))
    return D


def spectral_bound(F: Array) -> float:
    """An upper bound of the largest eigenvalue of a positive semidefinite matrix.

    The least of three: the Frobenius norm, close where one eigenvalue dominates, as it does for the
    overlap of like atoms; the largest absolute row sum; and the trace.
    """
    bounds = (np.sqrt(np.vdot(F, F)), np.abs(F).sum(axis=1).max(), np.trace(F))
    return float(min(bounds))
