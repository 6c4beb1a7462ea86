"""How well each class's own atoms, with their share of a code, reproduce a query."""

from __future__ import annotations

from collections.abc import Sequence

from crosslabel.core.backend import namespace
from crosslabel.core.scaling import Array


def class_residuals(
    energies: Array, correlations: Array, gram: Array, codes: Array, parts: Sequence[slice]
) -> Array:
    """‖y − x_c D_c‖² for each query y and class c, from inner products alone.

    Parameters
    ----------
    energies : ndarray of shape (n_queries,)
        ‖y‖².
    correlations : ndarray of shape (n_queries, n_atoms)
        yDᵀ.
    gram : ndarray of shape (n_atoms, n_atoms)
        DDᵀ.
    codes : ndarray of shape (n_queries, n_atoms)
        x.
    parts : sequence of slice
        The atoms of each class.

    Returns
    -------
    ndarray of shape (n_queries, n_classes)
    """
    xp = namespace(codes)
    residuals = []
    for part in parts:
        x = codes[:, part]
        slope = x @ gram[part, part] - 2 * correlations[:, part]
        residuals.append(energies + xp.einsum("ij,ij->i", x, slope))
    # Rounding may leave a perfect fit just below zero.
    return xp.clip(xp.stack(residuals, 1), 0, None)
