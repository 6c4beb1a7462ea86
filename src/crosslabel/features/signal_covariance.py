"""Covariance of the channels of a signal, such as EEG: a point on the manifold of matrices."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array
from crosslabel.features.covariance_rows import (
    OUTPUTS,
    covariance_names,
    covariance_rows,
    real_stack,
)
from crosslabel.intake.checking import check_range
from crosslabel.site import on_site

LEAST = 1e-150
"""Variations below it have squares that are zero or have lost digits."""


@on_site
class SignalCovariance(TransformerMixin, BaseEstimator):
    r"""Describe a signal of several channels by their shrunken covariance.

    .. math::

        C = (1 - \alpha) S + \alpha \tfrac{\operatorname{tr} S}{d} I, \qquad
        S = \tfrac{1}{T} \sum_t (x_t - \bar x)(x_t - \bar x)^\top

    Parameters
    ----------
    shrinkage : float, default=0.01
        α: how much of S is replaced by its mean variance, so that the matrix is positive definite.
    output : {"log", "matrix"}, default="log"
        "log": coordinates of the matrix logarithm, in which Euclidean distance is the
        log-Euclidean one; for any classifier. "matrix": all entries, for the flagship's kernels
        "log-euclidean" and "stein".

    Attributes
    ----------
    n_channels_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import SignalCovariance
    >>> signals = np.random.default_rng(0).normal(size=(5, 4, 100))
    >>> SignalCovariance().fit_transform(signals).shape
    (5, 10)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "output": [StrOptions(set(OUTPUTS))],
    }

    def __init__(self, shrinkage: float = 0.01, output: str = "log") -> None:
        self.shrinkage = shrinkage
        self.output = output

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Check the parameters and note the number of channels.

        Parameters
        ----------
        X : array-like of shape (n_signals, channels, length)
        y : ignored
        """
        self._validate_params()
        self.n_channels_ = _signals(X).shape[1]
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Covariance of each signal, as a row.

        Parameters
        ----------
        X : array-like of shape (n_signals, n_channels, n_times)

        Returns
        -------
        ndarray of shape (n_signals, d(d + 1)/2) or (n_signals, d²)
            d is the number of channels.
        """
        check_is_fitted(self)
        signals = _signals(X)
        d = self.n_channels_
        if signals.shape[1] != d:
            raise ValueError(
                f"The signals have {signals.shape[1]} channels, but those of fit had {d}."
            )
        check_range(signals, "Rescale the signals.")
        centred = signals - signals.mean(axis=2, keepdims=True)
        _check_variation(centred)
        S = centred @ centred.transpose(0, 2, 1) / signals.shape[2]
        means = np.trace(S, axis1=1, axis2=2) / d
        identity = self.shrinkage * means[:, None, None] * np.eye(d)
        return covariance_rows((1 - self.shrinkage) * S + identity, self.output)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each value: the two channels whose covariance it tells of.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        return covariance_names(self.n_channels_, self.output)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def _signals(X: ArrayLike) -> Array:
    return real_stack(X, "Signals", "(n_signals, n_channels, n_times)")


def _check_variation(centred: Array) -> None:
    """Refuse signals that have no covariance, or one beyond the range of the type."""
    largest = np.abs(centred).max(axis=(1, 2))
    flat = np.flatnonzero(largest == 0)
    if len(flat):
        raise ValueError(
            f"Signal {flat[0]} does not vary at all: it has no covariance. Leave it out."
        )
    lost = np.flatnonzero(largest < LEAST)
    if len(lost):
        raise ValueError(
            f"Signal {lost[0]} varies by no more than {largest[lost[0]]:.3g}: the square of that "
            f"leaves the range of {centred.dtype}. Rescale the signals."
        )
