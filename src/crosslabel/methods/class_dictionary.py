"""What the methods with l1 codes over class dictionaries share: parameters, rounds and queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import energies
from crosslabel.core.lasso import lasso
from crosslabel.core.scaling import Array
from crosslabel.methods.parameters import (
    COUNT,
    COUNTS,
    POSITIVE,
    POSITIVE_OR_ZERO,
    SEED,
    YES_OR_NO,
    Constraints,
)

Codes = TypeVar("Codes")

CONSTRAINTS: Constraints = {
    "normalize": YES_OR_NO,
    "atoms_per_class": COUNTS,
    "penalty": POSITIVE,
    "max_iter": COUNT,
    "tol": POSITIVE_OR_ZERO,
    "random_state": SEED,
}


def alternate(
    sweep: Callable[[Array, Codes], tuple[Array, Codes, float]],
    D: Array,
    codes: Codes,
    max_iter: int,
    tol: float,
) -> tuple[Array, Codes, Array]:
    """Lower an objective over codes and atoms in turn until it settles.

    Parameters
    ----------
    sweep : callable
        One round: ``sweep(D, codes) -> D, codes, objective``.
    D, codes
        Where to start.
    max_iter : int
        Most rounds.
    tol : float
        Stop when a round lowers the objective by no more than this part of it.

    Returns
    -------
    D, codes
    trace : ndarray of shape (n_rounds,)
        The objective after each round.
    """
    trace: list[float] = []
    for _ in range(max_iter):
        D, codes, objective = sweep(D, codes)
        trace.append(objective)
        if len(trace) > 1 and trace[-2] - trace[-1] <= tol * abs(trace[-1]):
            break
    return D, codes, np.array(trace)


def local_energies(X: Array, atoms: Array, penalty: float) -> tuple[Array, Array]:
    """Residual ‖y − xD‖² and code x = argmin ‖y − xD‖² + λ‖x‖₁ of each query, over a few atoms."""
    gram, correlations = atoms @ atoms.T, X @ atoms.T
    codes = lasso(gram, correlations, penalty)
    residuals = energies(X) + np.einsum("ij,ij->i", codes, codes @ gram - 2 * correlations)
    return np.maximum(residuals, 0), codes


def coherence(gram: Array, layout: AtomLayout) -> float:
    """Σ_{i≠j} ‖D_iD_jᵀ‖², over all parts of a dictionary, from its products DDᵀ."""
    squares = gram**2
    return float(squares.sum() - sum(squares[part, part].sum() for part in layout.parts()))
