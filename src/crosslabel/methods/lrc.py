"""Linear regression classification (Naseem et al. 2010)."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from crosslabel.core.backend import energies, namespace
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import DEVICE, Constraints
from crosslabel.methods.start import class_parts


class LRC(ComparisonMethod):
    r"""Linear regression classification: the nearest subspace spanned by a class's samples.

    .. math::

        \hat\beta_c = (X_c^\top X_c)^{-1} X_c^\top y, \qquad
        \text{label} = \arg\min_c \|y - X_c \hat\beta_c\|_2

    An orthonormal basis of each class's samples replaces the inverse, so that dependent samples
    do no harm. There are no parameters to choose.

    Parameters
    ----------
    normalize : bool, default=True
        Scale samples to unit norm; the result does not depend on it.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`); None uses NumPy, or the device of
        a tensor that is given as X.

    Attributes
    ----------
    bases_ : ndarray of shape (n_vectors, n_features)
        Orthonormal basis of each class, class by class.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    I. Naseem, R. Togneri and M. Bennamoun, "Linear Regression for Face Recognition", IEEE
    Transactions on Pattern Analysis and Machine Intelligence, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import LRC
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LRC().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "device": DEVICE,
    }

    def __init__(self, *, normalize: bool = True, device: str | None = None) -> None:
        self.normalize = normalize
        self.device = device

    def _learn(self, X: Array, labels: Labels) -> None:
        bases = [_basis(X[part]) for part in class_parts(labels)]
        self.bases_ = np.concatenate(bases)
        self._starts = np.cumsum([0, *(len(basis) for basis in bases)])

    def _scores(self, X: Array) -> Array:
        xp = namespace(X)
        squares = (X @ self.bases_.T) ** 2
        explained = [squares[:, a:b].sum(axis=1) for a, b in pairwise(self._starts.tolist())]
        total = energies(X)[:, None]
        residuals = total - xp.stack(explained, 1)
        # Classes that span a query leave rounding, which must not decide between them.
        return -xp.where(residuals > 1e-12 * total, residuals, 0)


def _basis(X: Array) -> Array:
    """Orthonormal basis of the span of the rows."""
    _, values, basis = np.linalg.svd(X, full_matrices=False)
    rank = np.count_nonzero(values > max(X.shape) * np.finfo(float).eps * values[0])
    return basis[:rank]
