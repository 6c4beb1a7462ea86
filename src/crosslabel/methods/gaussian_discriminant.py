"""The Gaussian discriminant with a shrunken common covariance (Fisher 1936, Friedman 1989)."""

from __future__ import annotations

from typing import ClassVar

from crosslabel.core.discriminant import discriminant
from crosslabel.core.moments import Labels, Moments
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import DEVICE, POSITIVE, Constraints


class GaussianDiscriminant(ComparisonMethod):
    r"""Gaussian discriminant: classes of one common covariance and equal prior probability.

    .. math::

        g_c(y) = \mu_c^\top W_\alpha^{-1} y - \tfrac12 \mu_c^\top W_\alpha^{-1} \mu_c, \qquad
        W_\alpha = W + \alpha \tfrac{\operatorname{tr} W}{M} I

    with :math:`W` the covariance of the samples about the mean of their class. The largest
    :math:`g_c` wins. As α grows it becomes the nearest class mean.

    Parameters
    ----------
    shrinkage : float, default=0.1
        α.
    normalize : bool, default=True
        Scale samples to unit norm.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`); None uses NumPy, or the device of
        a tensor that is given as X.

    Attributes
    ----------
    weights_ : ndarray of shape (n_classes, n_features)
        :math:`\mu_c^\top W_\alpha^{-1}` of each class, in canonical order.
    offsets_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    J. H. Friedman, "Regularized Discriminant Analysis", Journal of the American Statistical
    Association, 1989.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import GaussianDiscriminant
    >>> X, y = load_digits(return_X_y=True)
    >>> model = GaussianDiscriminant().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "shrinkage": POSITIVE,
        "device": DEVICE,
    }

    def __init__(
        self, shrinkage: float = 0.1, *, normalize: bool = True, device: str | None = None
    ) -> None:
        self.shrinkage = shrinkage
        self.normalize = normalize
        self.device = device

    def _learn(self, X: Array, labels: Labels) -> None:
        found = discriminant(Moments.from_samples(X, labels, labels[-1] + 1), self.shrinkage)
        self.weights_, self.offsets_ = found.weights, found.offsets

    def _scores(self, X: Array) -> Array:
        return X @ self.weights_.T + self.offsets_
