"""Why a class has the score it has: its share in reproducing a query, atom by atom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array


@dataclass(frozen=True)
class Share:
    """How one class accounts for a query y: with coefficients x on its own and the shared atoms.

    Parameters
    ----------
    score : float
        What the rule compares; the highest wins.
    atoms : ndarray of int of shape (n_used,)
        Which atoms of the dictionary: shared ones first, then the class's own.
    coefficients : ndarray of shape (n_used,)
        x.
    contributions : ndarray of shape (n_used,)
        What each atom takes off ‖y‖²; with residual² they add up to it.
    reconstruction : ndarray of shape (n_features,)
        xD.
    residual : float
        ‖y − xD‖.
    reason : str
        What made the score, to be read after "its atoms".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from crosslabel import CrossLabelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossLabelClassifier(atoms_per_class=2, rule="local", ridge=0.1).fit(X, y)
    >>> share = model.explain(X[:1])[0].views[0].share  # of the class that is predicted
    >>> len(share.atoms), bool(abs(share.contributions.sum() + share.residual**2 - 1) < 1e-9)
    (2, True)
    """

    score: float
    atoms: NDArray[np.intp]
    coefficients: Array
    contributions: Array
    reconstruction: Array
    residual: float
    reason: str

    @property
    def mass(self) -> float:
        """‖x‖₁."""
        return float(np.abs(self.coefficients).sum())


def share(
    query: Array,
    dictionary: Array,
    atoms: NDArray[np.intp],
    coefficients: Array,
    *,
    score: float,
    also: str = "",
) -> Share:
    """The share of a class whose atoms have these coefficients in a query.

    ‖y‖² − ‖y − xD‖² = 2y·xD − ‖xD‖² is the sum over atoms of x_k d_k·(2y − xD).

    Parameters
    ----------
    query : ndarray of shape (n_features,)
    dictionary : ndarray of shape (n_atoms, n_features)
    atoms : ndarray of int of shape (n_used,)
    coefficients : ndarray of shape (n_used,)
    score : float
    also : str, default=""
        What beside the residual made the score.

    Returns
    -------
    Share
    """
    used = dictionary[atoms]
    reconstruction = coefficients @ used
    contributions = coefficients * (used @ (2 * query - reconstruction))
    residual = float(np.linalg.norm(query - reconstruction))
    reason = f"leave a residual of {residual:.3f}{also}"
    return Share(float(score), atoms, coefficients, contributions, reconstruction, residual, reason)
