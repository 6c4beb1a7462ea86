"""Random projections and a ridge classifier (McDonnell et al. 2023)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.backend import namespace
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import COUNT, DEVICE, POSITIVE, SEED, Constraints, RandomState
from crosslabel.methods.start import one_hot

RIDGES = 10.0 ** np.arange(-8, 3)
"""λ that "auto" tries, in units of the mean energy of a sample's random features."""


class RanPAC(ComparisonMethod):
    r"""Random features and a ridge classifier: RanPAC's head for the features of a frozen network.

    .. math::

        h(y) = \max(0, R^\top y), \qquad
        \min_W \|T - H W\|_F^2 + \lambda \|W\|_F^2

    with a Gaussian :math:`R` that is drawn once, :math:`H` the random features of the training
    samples in rows and :math:`T` the indicators of their classes. The largest entry of
    :math:`h(y)^\top W` wins.

    Parameters
    ----------
    n_random : int, default=2000
        Random features. The paper takes 10,000 for images by the ten thousand.
    ridge : float or "auto", default="auto"
        λ in units of the mean of ‖h‖². "auto" takes the one with the least squared error of samples
        that are left out one at a time; the paper holds a part of the samples out.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Draws R.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`); None uses NumPy, or the device of
        a tensor that is given as X.

    Attributes
    ----------
    projection_ : ndarray of shape (n_features, n_random)
        R.
    classifier_ : ndarray of shape (n_random, n_classes)
        W, its columns in canonical class order.
    ridge_ : float
        λ in units of the mean of ‖h‖², as given or chosen.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    M. D. McDonnell, D. Gong, A. Parvaneh, E. Abbasnejad and A. van den Hengel, "RanPAC: Random
    Projections and Pre-trained Models for Continual Learning", NeurIPS 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import RanPAC
    >>> X, y = load_digits(return_X_y=True)
    >>> model = RanPAC(random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "n_random": COUNT,
        "ridge": [*POSITIVE, StrOptions({"auto"})],
        "random_state": SEED,
        "device": DEVICE,
    }

    def __init__(
        self,
        n_random: int = 2000,
        *,
        ridge: float | str = "auto",
        normalize: bool = True,
        random_state: RandomState = None,
        device: str | None = None,
    ) -> None:
        self.n_random = n_random
        self.ridge = ridge
        self.normalize = normalize
        self.random_state = random_state
        self.device = device

    def _learn(self, X: Array, labels: Labels) -> None:
        random = check_random_state(self.random_state)
        self.projection_ = random.standard_normal((X.shape[1], self.n_random))
        H, T = self._random_features(X), one_hot(labels)
        scale = float((H**2).sum()) / len(H) or 1.0
        left, values, right = _thin_svd(H)
        if self.ridge == "auto":
            errors = [left_out_error(left, values, T, ridge * scale) for ridge in RIDGES]
            self.ridge_ = float(RIDGES[int(np.argmin(errors))])
        else:
            self.ridge_ = float(self.ridge)
        shrunken = values / (values**2 + self.ridge_ * scale)
        self.classifier_ = right.T @ (shrunken[:, None] * (left.T @ T))

    def _random_features(self, X: Array) -> Array:
        return namespace(X).clip(X @ self.projection_, 0, None)

    def _scores(self, X: Array) -> Array:
        return self._random_features(X) @ self.classifier_


def left_out_error(left: Array, values: Array, targets: Array, ridge: float) -> float:
    """Mean of ‖t − h W₋‖² over the samples, with W₋ learnt without the sample.

    With A = H(HᵀH + λI)⁻¹Hᵀ the error of a sample left out is (T − AT)_i / (1 − A_ii).

    Parameters
    ----------
    left : ndarray of shape (n_samples, rank)
    values : ndarray of shape (rank,)
        Of H = left · diag(values) · right.
    targets : ndarray of shape (n_samples, n_classes)
    ridge : float
        λ.

    Returns
    -------
    float
    """
    shrunken = values**2 / (values**2 + ridge)
    residuals = targets - left @ (shrunken[:, None] * (left.T @ targets))
    own = np.einsum("ij,j,ij->i", left, shrunken, left)
    # A sample that alone decides its own fit says nothing: its error would be 0/0.
    return float(np.mean((residuals / np.maximum(1 - own, 1e-12)[:, None]) ** 2))


def _thin_svd(H: Array) -> tuple[Array, Array, Array]:
    """H = left · diag(values) · right with values above rounding, by the smaller Gram matrix."""
    wide = H.shape[0] <= H.shape[1]
    energies, axes = np.linalg.eigh(H @ H.T if wide else H.T @ H)
    kept = energies > len(energies) * np.finfo(float).eps * energies[-1]
    values, axes = np.sqrt(energies[kept]), axes[:, kept]
    if wide:
        return axes, values, (axes.T @ H) / values[:, None]
    return (H @ axes) / values, values, axes.T
