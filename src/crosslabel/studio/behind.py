"""The pictures behind an answer: of which training pictures the winning atoms are made."""

from __future__ import annotations

import numpy as np

from crosslabel.core.scaling import Array, unit_rows

LITTLE = 1e-3
"""Ridge of the weights, beside the largest eigenvalue: pictures that are nearly equal share."""


def shares_behind(query: Array, pictures: Array, ridge: float) -> Array:
    """How much each picture of a class adds to what its atoms make of a query.

    The atoms of a class span what its pictures Y span. The ridge reconstruction of a query y from
    them is ŷ = Σ_i a_i y_i with a = (YYᵀ + βI)⁻¹Yy, and picture i adds a_i y_i·ŷ to ‖ŷ‖²; what
    takes away from it counts as nothing.

    Parameters
    ----------
    query : ndarray of shape (n_features,)
    pictures : ndarray of shape (n_pictures, n_features)
        Of one class.
    ridge : float
        β, as of the model.

    Returns
    -------
    ndarray of shape (n_pictures,)
        At least 0; they add up to 1.
    """
    Y, y = unit_rows(pictures), unit_rows(query[None])[0]
    gram = Y @ Y.T
    level = max(ridge, LITTLE * float(np.trace(gram)))
    weights = np.linalg.solve(gram + level * np.eye(len(Y)), Y @ y)
    added = np.maximum(weights * (gram @ weights), 0)
    total = added.sum()
    return added / total if total > 0 else np.full(len(Y), 1 / len(Y))
