"""Random faces: projections of images on random directions, which need no training images."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array, unit_rows
from crosslabel.features.pixels import PIXEL_OPTIONS, pixel_steps
from crosslabel.features.recipe import FeatureSettings, Option, Recipe, Steps, whole_number
from crosslabel.files.forms import check_attributes, numbers
from crosslabel.intake.checking import validate_data
from crosslabel.media.gray import Item
from crosslabel.site import on_site


@on_site
class RandomFaces(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Shorten rows while nearly keeping the distances between them, without looking at them.

    Parameters
    ----------
    n_components : int, default=504
        Number of directions.
    random_state : int, RandomState instance or None, default=None
        Draws the directions.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Gaussian directions of unit norm.

    References
    ----------
    J. Wright et al., "Robust face recognition via sparse representation", TPAMI 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel.features import RandomFaces
    >>> X, _ = load_digits(return_X_y=True)
    >>> RandomFaces(n_components=10, random_state=0).fit_transform(X).shape
    (1797, 10)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_components: int = 504, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Draw the directions for rows of this length.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        rows = validate_data(self, X, dtype=[np.float64, np.float32])
        random = check_random_state(self.random_state)
        drawn = random.standard_normal((self.n_components, rows.shape[1]))
        self.components_ = unit_rows(drawn).astype(rows.dtype)
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Products of rows with the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return rows @ self.components_.T

    def inverse_transform(self, X: ArrayLike) -> Array:
        """The shortest rows with these products, (n_samples, n_features).

        Parameters
        ----------
        X : array-like of shape (n_samples, dimension)
        """
        check_is_fitted(self)
        return np.asarray(X) @ np.linalg.pinv(self.components_).T

    def check_stored(self) -> None:
        """Refuse directions that are no matrix, where they come from a file."""
        check_attributes(vars(self), {"components_": numbers("components", "features")})

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _steps(
    items: Sequence[Item], settings: FeatureSettings, dimension: int, **pixels: Any
) -> Steps:
    faces = RandomFaces(dimension, random_state=settings.seed)
    return [*pixel_steps(items, settings, **pixels), ("randomfaces", faces)]


RECIPE = Recipe(
    "randomfaces",
    "images",
    _steps,
    (*PIXEL_OPTIONS, Option("dimension", "Values that are kept.", 504, whole_number)),
)
