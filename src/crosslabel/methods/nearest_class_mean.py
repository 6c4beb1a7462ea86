"""The nearest class mean, the simplest head on frozen features (Mensink et al. 2013)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import DEVICE, Constraints
from crosslabel.methods.start import class_parts


class NearestClassMean(ComparisonMethod):
    r"""Nearest class mean: one prototype for each class, the mean of its samples.

    .. math::

        \text{label} = \arg\min_c \|y - \mu_c\|_2, \qquad
        \mu_c = \tfrac{1}{n_c} \sum_{i \in c} y_i

    Parameters
    ----------
    normalize : bool, default=True
        Scale samples to unit norm, as users of embeddings do.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`); None uses NumPy, or the device of
        a tensor that is given as X.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_features)
        Of each class, in canonical order.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    T. Mensink, J. Verbeek, F. Perronnin and G. Csurka, "Distance-Based Image Classification:
    Generalizing to New Classes at Near-Zero Cost", IEEE Transactions on Pattern Analysis and
    Machine Intelligence, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import NearestClassMean
    >>> X, y = load_digits(return_X_y=True)
    >>> model = NearestClassMean().fit(X[:300], y[:300])
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
        self.means_ = np.stack([X[part].mean(axis=0) for part in class_parts(labels)])

    def _scores(self, X: Array) -> Array:
        # −½‖y − μ‖² without ‖y‖², which all classes share.
        return X @ self.means_.T - 0.5 * (self.means_**2).sum(axis=1)
