"""Collaborative representation based classification (Zhang et al. 2011)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.backend import energies, namespace
from crosslabel.core.coding import ridge_coder
from crosslabel.core.memory import check_room
from crosslabel.core.moments import Labels
from crosslabel.core.residuals import class_residuals
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import DEVICE, POSITIVE, Constraints
from crosslabel.methods.start import class_parts


class CRC(ComparisonMethod):
    r"""Collaborative representation with regularised least squares (CRC-RLS).

    .. math::

        \hat\rho = (X^\top X + \lambda I)^{-1} X^\top y, \qquad
        \text{label} = \arg\min_c \|y - X_c \hat\rho_c\|_2 / \|\hat\rho_c\|_2

    with the training samples as the columns of :math:`X`.

    Parameters
    ----------
    ridge : float, default=1e-3
        λ. The paper takes 0.001·n/700 for n training samples.
    normalize : bool, default=True
        Scale samples to unit norm, as in the paper.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`); None uses NumPy, or the device of
        a tensor that is given as X.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_samples, n_features)
        The training samples, class by class.
    coder_ : ndarray of shape (n_samples, n_features)
        Codes are queries times its transpose.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    L. Zhang, M. Yang and X. Feng, "Sparse Representation or Collaborative Representation: Which
    Helps Face Recognition?", ICCV 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CRC
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CRC().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "ridge": POSITIVE,
        "device": DEVICE,
    }

    def __init__(
        self, ridge: float = 1e-3, *, normalize: bool = True, device: str | None = None
    ) -> None:
        self.ridge = ridge
        self.normalize = normalize
        self.device = device

    def _learn(self, X: Array, labels: Labels) -> None:
        check_room(1, len(X), "samples", "CRC", "Use fewer, or a method that learns a dictionary.")
        self.dictionary_ = X
        self.coder_ = ridge_coder(X, self.ridge)
        self._parts = class_parts(labels)

    def _scores(self, X: Array) -> Array:
        codes = X @ self.coder_.T
        residuals = class_residuals(
            energies(X), X @ self.dictionary_.T, self._gram, codes, self._parts
        )
        xp = namespace(codes)
        masses = xp.stack([energies(codes[:, part]) for part in self._parts], 1)
        # A class that takes no part in the code must not divide by zero.
        floor = np.finfo(float).eps * masses.sum(axis=1, keepdims=True) + np.finfo(float).tiny
        # Roots first: the quotient of a query that no sample codes would overflow.
        return -xp.sqrt(residuals) / xp.sqrt(xp.maximum(masses, floor))
