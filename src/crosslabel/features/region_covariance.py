"""Region covariance: how intensity and its derivatives vary together in an image or a clip.

At every pixel stand the intensity and the sizes of its first and second derivatives, at some scales
of smoothing. Their covariance over all pixels is a point on the manifold of positive definite
matrices, whatever the size of the image or the length of the clip.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from crosslabel.core.scaling import Array
from crosslabel.features.covariance_rows import OUTPUTS, covariance_names, covariance_rows
from crosslabel.features.extraction import extract
from crosslabel.features.recipe import FeatureSettings, Recipe, Steps
from crosslabel.media.gray import Images, Item, gray_clip, gray_image
from crosslabel.site import on_site

READERS: dict[str, Callable[[Item], Array]] = {"images": gray_image, "clips": gray_clip}
AXES = {"images": 2, "clips": 3}
MOST_SCALES, LARGEST_SCALE = 16, 256


@on_site
class RegionCovariance(TransformerMixin, BaseEstimator):
    """Describe an image or a clip by the covariance of its pixels' features.

    Parameters
    ----------
    of : {"images", "clips"}, default="images"
        What the items are; a clip also has derivatives along time.
    scales : tuple of float, default=(0, 1, 2)
        Standard deviations in pixels of the Gaussians that smooth before derivatives are taken; 0
        for none.
    position : bool, default=False
        Add the coordinates of each pixel, in [0, 1], to its features, as Tuzel et al. do: the
        covariance then also tells where things are.
    ridge : float, default=1e-5
        Added to the variance of each feature, for intensities in [0, 1]: flat images have a
        positive definite matrix too.
    output : {"log", "matrix"}, default="log"
        "log": coordinates of the matrix logarithm, in which Euclidean distance is the
        log-Euclidean one; for any classifier. "matrix": all entries, for the flagship's kernels
        "log-euclidean" and "stein".
    n_jobs : int, default=None
        Processes; -1 for one on each core.
    cache : path, default=None
        Folder that keeps finished matrices.
    verbose : bool, default=False
        Show progress on standard error.

    References
    ----------
    O. Tuzel, F. Porikli and P. Meer, "Region Covariance: A Fast Descriptor for Detection and
    Classification", ECCV 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import RegionCovariance
    >>> rng = np.random.default_rng(0)
    >>> images = [rng.random((32, 24)) for _ in range(6)]
    >>> RegionCovariance(scales=(0, 1)).fit_transform(images).shape
    (6, 78)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "of": [StrOptions(set(READERS))],
        "scales": [tuple, list],
        "position": ["boolean"],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "output": [StrOptions(set(OUTPUTS))],
        "n_jobs": [None, Integral],
        "cache": [None, str, os.PathLike],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        of: str = "images",
        scales: tuple[float, ...] = (0, 1, 2),
        position: bool = False,
        ridge: float = 1e-5,
        output: str = "log",
        n_jobs: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        verbose: bool = False,
    ) -> None:
        self.of = of
        self.scales = scales
        self.position = position
        self.ridge = ridge
        self.output = output
        self.n_jobs = n_jobs
        self.cache = cache
        self.verbose = verbose

    def fit(self, X: Images, y: object = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : images or clips, as arrays or paths
            Not looked at.
        y : ignored
        """
        self._validate_params()
        self.check_stored()
        return self

    def check_stored(self) -> None:
        """Refuse scales that no image has, or more than a matrix can hold."""
        if not 1 <= len(self.scales) <= MOST_SCALES:
            raise ValueError(f"scales must be 1 to {MOST_SCALES} numbers, not {len(self.scales)}.")
        if not all(0 <= scale <= LARGEST_SCALE for scale in self.scales):
            raise ValueError(
                f"scales must be numbers from 0 to {LARGEST_SCALE}, but they are {self.scales!r}."
            )

    def transform(self, X: Images) -> Array:
        """Covariance of each image or clip, as a row.

        Parameters
        ----------
        X : array-like of images or clips, or a sequence of them or of paths

        Returns
        -------
        ndarray of shape (n_items, d(d + 1)/2) or (n_items, d²)
            d is the number of features of a pixel: 6 per scale for images, 10 for clips.
        """
        chosen = ("of", "scales", "position")
        matrices = extract(
            self.covariance,
            list(X),  # type: ignore[arg-type]
            settings={"RegionCovariance": {name: getattr(self, name) for name in chosen}},
            cache=self.cache,
            n_jobs=self.n_jobs,
            progress=self.of if self.verbose else None,
        )
        found = np.stack(matrices) + self.ridge * np.eye(self._n_pixel_features)
        return covariance_rows(found, self.output)

    def covariance(self, item: Item) -> Array:
        """Covariance of the features of one item's pixels, (d, d), without the ridge.

        Parameters
        ----------
        item : array or path
            An image or a clip, as `of` says.
        """
        pixels = READERS[self.of](item)
        if min(pixels.shape) < 2:
            raise ValueError(
                f"An item must have two or more pixels along each axis, but its shape is "
                f"{pixels.shape}: it has no derivatives."
            )
        rows = [row for scale in self.scales for row in derivatives(pixels, scale)]
        if self.position:
            steps = [np.linspace(0, 1, length) for length in pixels.shape]
            rows += [axis.ravel() for axis in np.meshgrid(*steps, indexing="ij")]
        return np.cov(np.stack(rows, dtype=np.float64))

    @property
    def _n_pixel_features(self) -> int:
        axes = AXES[self.of]
        return len(self.scales) * (1 + axes + axes * (axes + 1) // 2) + axes * self.position

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each value: the two features of pixels whose covariance it tells of.

        Parameters
        ----------
        input_features : ignored
        """
        return covariance_names(self._n_pixel_features, self.output)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def derivatives(pixels: Array, scale: float) -> list[Array]:
    """I, |∂I| along each axis and |∂²I| for each pair of axes, of a smoothed image or clip.

    Parameters
    ----------
    pixels : ndarray of two or three axes
    scale : float
        Standard deviation of the Gaussian that smooths; 0 for none.

    Returns
    -------
    list of ndarray of shape (n_pixels,)
        By central differences; the sizes, because the sign of an edge says little.
    """
    smooth = gaussian_filter(pixels, scale) if scale > 0 else pixels
    axes = range(pixels.ndim)
    first = [np.gradient(smooth, axis=axis) for axis in axes]
    second = [np.gradient(first[a], axis=b) for a in axes for b in axes if a <= b]
    return [smooth.ravel(), *(np.abs(each).ravel() for each in (*first, *second))]


def _steps(items: Sequence[Any], settings: FeatureSettings) -> Steps:
    return [("covariance", RegionCovariance("clips", **settings.extraction))]


RECIPE = Recipe("covariance", "clips", _steps)
