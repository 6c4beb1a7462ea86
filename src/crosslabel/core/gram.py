"""The smaller Gram matrix of a dictionary and its factors: what every closed form of codes needs.

With more atoms than features the system over features says the same as the one over atoms.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosslabel.core.backend import add_to_diagonal, cholesky, in_float64, zeros
from crosslabel.core.scaling import Array

_IN_FLOAT64 = 2**23
"""Values of a dictionary that are taken to float64 at a time."""


def smaller_gram(D: Array, ridge: float) -> tuple[Array, bool]:
    """The smaller of DᵀD and DDᵀ, in float64; whether it is the first, over features.

    Parameters
    ----------
    D : ndarray of shape (n_atoms, n_features)
    ridge : float
        The least shift that it will get. Without one, a system over features is singular.
    """
    n_atoms, n_features = D.shape
    if n_atoms <= n_features or ridge == 0:
        rows = in_float64(D)
        return rows @ rows.T, False
    gram = in_float64(zeros((n_features, n_features), D))
    for part in row_blocks(D):
        rows = in_float64(D[part])
        gram += rows.T @ rows
    return gram, True


def row_blocks(D: Array) -> Iterator[slice]:
    """Rows, so many at a time that they take little memory in float64."""
    step = max(1, _IN_FLOAT64 // max(1, D.shape[1]))
    return (slice(start, start + step) for start in range(0, len(D), step))


def cholesky_of_gram(gram: Array, shift: float, n_atoms: int) -> Array:
    """Lower L with LLᵀ = gram + τI; overwrites nothing.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    shift : float
        τ ≥ 0.
    n_atoms : int
        Of the dictionary, for the error where the system is singular.
    """
    shifted = gram + 0
    add_to_diagonal(shifted, shift)
    try:
        return cholesky(shifted, overwrite=True)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"The codes are not determined: with a total shift of {shift:g} the system of the "
            f"{n_atoms} atoms is singular. Use ridge > 0, or fewer atoms."
        ) from None
