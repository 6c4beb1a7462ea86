"""A first guess of l1 codes for groups of signals whose quadratic forms differ on few atoms.

Imports numpy and core only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.active_set import violation
from crosslabel.core.first_guess import FEW_ATOMS, admm, admm_step
from crosslabel.core.scaling import Array

# Violation of the optimality conditions, in units of λ/2, from which active sets lead home as fast
# as with a guess.
NEAR = 4.0


class Group(NamedTuple):
    """Signals whose form is that of all plus a block on some atoms."""

    rows: slice
    atoms: NDArray[np.intp]
    block: Array


def group_guess(base: Array, groups: list[Group], b: Array, penalty: float, start: Array) -> Array:
    """Steps of ADMM towards min xᵀH_gx − 2bᵀx + λ‖x‖₁ for each row b of each group g.

    H_g is the base with a block S_g added on the atoms I_g. One inverse M = (base + ρI)⁻¹ serves
    all, by Woodbury's formula: (H_g + ρI)⁻¹ = M − M[:, I] (I + S M[I, I])⁻¹ S M[I, :].

    Parameters
    ----------
    base : ndarray of shape (n_atoms, n_atoms)
        Positive semidefinite, as every H_g.
    groups : list of Group
        All rows are in one of them.
    b : ndarray of shape (n_signals, n_atoms)
    penalty : float
        λ.
    start : ndarray of shape (n_signals, n_atoms)

    Returns
    -------
    ndarray of shape (n_signals, n_atoms)
        A copy of the start where that is near, as in the late rounds of an alternation, or where
        all atoms are a handful: `core.first_guess` then does better.
    """
    if len(base) <= FEW_ATOMS:
        return start.copy()
    slope = start @ base - b
    for rows, atoms, block in groups:
        slope[rows, atoms] += start[rows, atoms] @ block
    if np.median(violation(start, slope, penalty).max(axis=1)) <= NEAR * penalty / 2:
        return start.copy()
    rho = admm_step(base, penalty)
    inverse = np.linalg.inv(base + rho * np.eye(len(base)))
    corrections = []
    for _, atoms, block in groups:
        at = inverse[np.ix_(atoms, atoms)]
        corrections.append(np.linalg.solve(np.eye(len(atoms)) + block @ at, block))

    def solve(R: Array, inverse: Array) -> Array:
        found = R @ inverse
        for (rows, atoms, _), correction in zip(groups, corrections):
            part = found[rows]
            part -= (part[:, atoms] @ correction.astype(R.dtype)) @ inverse[atoms]
        return found

    in_single = inverse.astype(np.float32)
    solved = solve(b, inverse)
    return admm(lambda R: solve(R, in_single), solved, penalty, rho, start, slope)
