"""Pixels as features: one size, gray, unit norm, and optionally the logarithm of intensities."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array, unit_rows
from crosslabel.features.recipe import FeatureSettings, Option, Recipe, Steps, image_size
from crosslabel.files.budget import budget
from crosslabel.intake.checking import validate_data
from crosslabel.media.gray import Images, Item, gray_image, resized
from crosslabel.site import on_site

HEIGHT = 48  # rows of pixels that images are shrunk to where no size is given
BYTES_PER_PIXEL = 32.0  # of a row, with what its scaling takes on the way
LEVELS = 255.0  # gray levels of an 8-bit image: the logarithm is of 1 + level, so black gives 0


@on_site
class Pixels(TransformerMixin, BaseEstimator):
    """Turn images into rows of gray values that a linear model can compare.

    Parameters
    ----------
    size : (height, width) or None, default=None
        Every image is resized to this (bicubic, with the filter widened when it shrinks, so that
        nothing aliases). None keeps the size of the images of `fit`, which must then have one.
    log : bool, default=False
        Take log(1 + gray level): illumination, a factor of intensity, becomes a summand.
    normalize : bool, default=True
        Scale each row to unit norm; an all-black image stays zero.

    Attributes
    ----------
    image_shape_ : tuple of int
        Height and width behind a row; one row of pixels where `fit` was given flat rows.
    n_features_in_ : int
        Length of a row, where `fit` was given flat rows.

    Notes
    -----
    Images come as an array (n_images, height, width), with channels last where there are any, or as
    a sequence of arrays or paths of any size. A two-dimensional array is taken as images that are
    flat rows already: it gets the logarithm and the scaling only.

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import Pixels
    >>> rng = np.random.default_rng(0)
    >>> images = [rng.random((32, 24)) for _ in range(6)]
    >>> Pixels(size=(8, 6)).fit_transform(images).shape
    (6, 48)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "size": [None, tuple, list],
        "log": ["boolean"],
        "normalize": ["boolean"],
    }

    def __init__(
        self, size: tuple[int, int] | None = None, log: bool = False, normalize: bool = True
    ) -> None:
        self.size = size
        self.log = log
        self.normalize = normalize

    def fit(self, X: Images, y: object = None) -> Self:
        """Note the size that all images will have.

        Parameters
        ----------
        X : images, as arrays or paths, or rows of gray values
        y : ignored
        """
        self._validate_params()
        self._check_size()
        if _is_flat(X):
            rows = validate_data(self, X, dtype=[np.float64, np.float32])
            self.image_shape_: tuple[int, ...] = (1, rows.shape[1])
        elif len(X) == 0:  # type: ignore[arg-type]
            raise ValueError("Pixels needs at least one image, but X is empty.")
        else:
            first = gray_image(X[0])  # type: ignore[index]
            self.image_shape_ = first.shape if self.size is None else tuple(self.size)
        return self

    def _check_size(self) -> None:
        if self.size is not None and (len(self.size) != 2 or min(self.size) < 1):
            raise ValueError(
                f"size must be (height, width), both positive, but it is {self.size!r}."
            )

    def check_stored(self) -> None:
        """Refuse images of a size that no training had, where it comes from a file."""
        self._check_size()
        if hasattr(self, "image_shape_"):
            shape = self.image_shape_
            if len(shape) != 2 or not all(isinstance(n, int) and n > 0 for n in shape):
                raise ValueError(f"image_shape_ is {shape!r}")
            if self.size is not None and tuple(self.size) != tuple(shape) and shape[0] != 1:
                raise ValueError(f"image_shape_ is {shape!r}, but size is {self.size!r}")
            budget().check("bytes", BYTES_PER_PIXEL * shape[0] * shape[1], f"An image of {shape}")

    def transform(self, X: Images) -> Array:
        """One row of pixels for each image.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width), or a sequence of images or paths

        Returns
        -------
        ndarray of shape (n_images, height · width)
        """
        check_is_fitted(self)
        if _is_flat(X):
            rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        else:
            rows = np.stack([self._resized(image).ravel() for image in X])  # type: ignore[union-attr]
        if self.log:
            most = np.finfo(rows.dtype).max / LEVELS
            if (rows < 0).any() or (rows > most).any():
                raise ValueError(
                    f"log=True needs intensities from 0 to {most:.3g}, but X holds values from "
                    f"{rows.min():.3g} to {rows.max():.3g}."
                )
            rows = np.log1p(LEVELS * rows)
        return unit_rows(rows) if self.normalize else rows

    def inverse_transform(self, X: Array) -> Array:
        """Images behind rows of pixels, up to the brightness that unit norm has taken away.

        Parameters
        ----------
        X : ndarray of shape (n_images, height · width)

        Returns
        -------
        ndarray of shape (n_images, height, width)
        """
        check_is_fitted(self)
        return np.asarray(X).reshape(-1, *self.image_shape_)

    def _resized(self, image: Item) -> Array:
        pixels = gray_image(image)
        if pixels.shape == self.image_shape_:
            return pixels
        if self.size is None:
            raise ValueError(
                f"All images must have the size {self.image_shape_} of the first, but one has "
                f"{pixels.shape}. Give size=(height, width) to resize them."
            )
        height, width = self.image_shape_
        return resized(pixels, (height, width))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each pixel: its row and column.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        return np.array([f"pixel_{r}_{c}" for r, c in np.ndindex(self.image_shape_)], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.positive_only = self.log
        return tags


def _is_flat(X: Any) -> bool:
    """Whether X is a table of rows rather than a collection of images or paths."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "OU" and X.ndim == 1:
        return False
    if hasattr(X, "shape") or hasattr(X, "__array__"):
        return len(getattr(X, "shape", ())) <= 2
    return not len(X) or (not isinstance(X[0], str | os.PathLike) and np.ndim(X[0]) < 2)


def pixel_steps(
    items: Sequence[Item], settings: FeatureSettings, size: tuple[int, int] | None, log: bool
) -> Steps:
    """Pixels of a given size, or shrunk to few rows with the shape of the first image."""
    if size is None:
        height, width = gray_image(items[0]).shape
        shrink = min(1.0, HEIGHT / height)
        size = (max(1, round(height * shrink)), max(1, round(width * shrink)))
    return [("pixels", Pixels(size, log=log))]


PIXEL_OPTIONS = (
    Option("size", f"Height x width, as 54x48; else {HEIGHT} rows.", None, image_size),
    Option("log", "Logarithm of intensities, against shadows.", False),
)
RECIPE = Recipe("pixels", "images", pixel_steps, PIXEL_OPTIONS, usual=True)
