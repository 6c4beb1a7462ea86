"""Eigenfaces: the coordinates of images along the directions in which training images lie."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array
from crosslabel.features.pixels import PIXEL_OPTIONS, pixel_steps
from crosslabel.features.recipe import FeatureSettings, Option, Recipe, Steps, whole_number
from crosslabel.files.forms import check_attributes, numbers
from crosslabel.intake.checking import validate_data
from crosslabel.media.gray import Item
from crosslabel.site import on_site


@on_site
class Eigenfaces(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Keep of each row what its projection on the strongest principal directions holds.

    Parameters
    ----------
    n_components : int, default=300
        Number of directions; fewer where the training rows span fewer.
    center : bool, default=False
        Subtract the mean training row first, which is PCA. Without it the mean face is itself a
        direction: this is what reproduces the results of the paper on unit-norm images.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, strongest first.
    singular_values_ : ndarray of shape (n_components,)
    mean_ : ndarray of shape (n_features,)
        Zeros where `center` is false.

    References
    ----------
    M. Turk, A. Pentland, "Eigenfaces for recognition", J. Cognitive Neuroscience 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel.features import Eigenfaces
    >>> X, _ = load_digits(return_X_y=True)
    >>> Eigenfaces(n_components=10).fit_transform(X).shape
    (1797, 10)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "center": ["boolean"],
    }

    def __init__(self, n_components: int = 300, center: bool = False) -> None:
        self.n_components = n_components
        self.center = center

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        rows = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_min_samples=2 if self.center else 1
        )
        mean = rows.mean(axis=0)
        self.mean_ = mean if self.center else np.zeros_like(mean)
        _, values, directions = scipy.linalg.svd(
            rows - self.mean_, full_matrices=False, check_finite=False
        )
        # The sign of a direction is arbitrary: its largest entry is made positive.
        peaks = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
        directions *= np.where(peaks < 0, -1, 1)[:, None].astype(directions.dtype)
        self.components_ = directions[: self.n_components]
        self.singular_values_ = values[: self.n_components]
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Coordinates of rows along the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return (rows - self.mean_) @ self.components_.T

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Rows with these coordinates, (n_samples, n_features).

        Parameters
        ----------
        X : array-like of shape (n_samples, dimension)
        """
        check_is_fitted(self)
        return np.asarray(X) @ self.components_ + self.mean_

    def check_stored(self) -> None:
        """Refuse directions that do not fit together, where they come from a file."""
        check_attributes(
            vars(self),
            {
                "components_": numbers("components", "features"),
                "mean_": numbers("features"),
                "singular_values_": numbers("components", low=0),
            },
        )

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _steps(
    items: Sequence[Item], settings: FeatureSettings, dimension: int, **pixels: Any
) -> Steps:
    return [*pixel_steps(items, settings, **pixels), ("eigenfaces", Eigenfaces(dimension))]


RECIPE = Recipe(
    "eigenfaces",
    "images",
    _steps,
    (*PIXEL_OPTIONS, Option("dimension", "Values that are kept.", 300, whole_number)),
)
