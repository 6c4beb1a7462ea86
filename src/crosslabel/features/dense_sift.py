"""Dense SIFT: Lowe's 4×4×8 descriptor on a regular grid, upright, by matrix products alone.

A descriptor's bin is a sum of gradient magnitudes, weighted by orientation, by the two distances to
the bin's centre and by a Gaussian about the patch's centre. All spatial weights are products of a
function of x and a function of y. So a whole grid of descriptors is R M Cᵀ for each orientation
map M, with R and C small fixed matrices of weights: no loop over patches, and nothing approximated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from crosslabel.core.scaling import Array, unit_rows
from crosslabel.features.gray import Images, gray_image

BINS = 4  # spatial bins along each side
ORIENTATIONS = 8
CLIP = 0.2  # Lowe's limit on one bin of the unit-norm descriptor


class Descriptors(NamedTuple):
    """The descriptors of one image and where they lie."""

    values: Array  # (n_descriptors, 128)
    centres: Array  # (n_descriptors, 2), row and column in pixels


class DenseSIFT(TransformerMixin, BaseEstimator):
    """Describe what an image shows around each point of a grid, whatever its brightness.

    Parameters
    ----------
    step : int, default=6
        Distance in pixels between neighbouring grid points.
    patch_sizes : tuple of int, default=(16, 24, 32)
        Side of the described square in pixels, a multiple of 4; one grid for each size. An image
        smaller than a patch has no descriptor of that size.
    smoothing : float, default=1/6
        Width of the Gaussian applied before gradients are taken, as a part of one bin's side.
    contrast : float, default=0.005
        Mean gradient per pixel (intensities are in [0, 1]) under which a patch counts as flat: its
        descriptor is scaled down in proportion, lest noise be blown up to unit norm.

    Notes
    -----
    The 128 values are ordered row bin, column bin, orientation. Each descriptor has unit norm, was
    clipped at 0.2 and scaled to unit norm again; a patch without any gradient gives zeros.

    References
    ----------
    D. Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 2004.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "step": [Interval(Integral, 1, None, closed="left")],
        "patch_sizes": ["array-like"],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "contrast": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        step: int = 6,
        patch_sizes: tuple[int, ...] = (16, 24, 32),
        smoothing: float = 1 / 6,
        contrast: float = 0.005,
    ) -> None:
        self.step = step
        self.patch_sizes = patch_sizes
        self.smoothing = smoothing
        self.contrast = contrast

    def fit(self, X: Images, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        self._validate_params()
        for size in self.patch_sizes:
            if size < BINS or size % BINS:
                raise ValueError(
                    f"A patch size must be a positive multiple of {BINS}, but patch_sizes holds "
                    f"{size}."
                )
        return self

    def transform(self, X: Images) -> NDArray[Any] | list[Array]:
        """Descriptors of each image.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width), or a sequence of images or paths

        Returns
        -------
        ndarray of shape (n_images, n_descriptors, 128) where all images have the same number of
        descriptors, else a list of arrays
        """
        described = [self.describe(image).values for image in X]  # type: ignore[union-attr]
        same = len({len(values) for values in described}) == 1
        return np.stack(described) if same else described

    def describe(self, image: Any) -> Descriptors:
        """Descriptors and their centres for one image.

        Parameters
        ----------
        image : path, or array-like of shape (height, width), or with channels last

        Returns
        -------
        Descriptors
        """
        pixels = gray_image(image)
        parts = [self._describe(pixels, size) for size in self.patch_sizes]
        return Descriptors(*(np.concatenate(part) for part in zip(*parts)))

    def _describe(self, pixels: Array, size: int) -> Iterator[Array]:
        rows, row_centres = _weights(pixels.shape[0], size, self.step)
        columns, column_centres = _weights(pixels.shape[1], size, self.step)
        maps = orientation_maps(pixels, self.smoothing * size / BINS)
        pooled = rows @ (maps @ columns.T)  # (orientation, grid row · bin, grid column · bin)
        shape = (ORIENTATIONS, len(row_centres), BINS, len(column_centres), BINS)
        bins = pooled.reshape(shape).transpose(1, 3, 2, 4, 0)
        descriptors = np.ascontiguousarray(bins).reshape(-1, BINS * BINS * ORIENTATIONS)
        # What a patch of constant gradient has for a norm: its mass is spread over all bins alike.
        flat = self.contrast * (size / BINS) ** 2 * BINS
        yield _normalised(descriptors, flat)
        yield np.stack(np.meshgrid(row_centres, column_centres, indexing="ij"), -1).reshape(-1, 2)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of a descriptor's 128 values: row bin, column bin, orientation."""
        shape = (BINS, BINS, ORIENTATIONS)
        return np.array([f"sift_{r}_{c}_{o}" for r, c, o in np.ndindex(shape)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def orientation_maps(pixels: Array, smoothing: float) -> Array:
    """Gradient magnitude of each pixel, shared between the two nearest of eight orientations.

    Parameters
    ----------
    pixels : ndarray of shape (height, width)
    smoothing : float
        Standard deviation in pixels of the Gaussian applied first; 0 for none.

    Returns
    -------
    ndarray of shape (8, height, width)
    """
    if smoothing > 0:
        pixels = gaussian_filter(pixels, smoothing, mode="nearest", truncate=3.0)
    down, right = (_differences(pixels, axis) for axis in (0, 1))
    magnitude = np.hypot(down, right).ravel()
    position = np.arctan2(down, right).ravel() * np.float32(ORIENTATIONS / (2 * np.pi))
    below = np.floor(position)
    share = magnitude * (position - below)
    below = below.astype(np.intp)
    maps = np.zeros((ORIENTATIONS, magnitude.size), pixels.dtype)
    pixel = np.arange(magnitude.size)
    maps[below % ORIENTATIONS, pixel] = magnitude - share
    maps[(below + 1) % ORIENTATIONS, pixel] = share
    return maps.reshape(ORIENTATIONS, *pixels.shape)


def _differences(pixels: Array, axis: int) -> Array:
    """Central differences, as Lowe takes them; a border pixel stands for its outer neighbour."""
    padded = np.pad(pixels, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
    ahead = padded[2:] if axis == 0 else padded[:, 2:]
    behind = padded[:-2] if axis == 0 else padded[:, :-2]
    return (ahead - behind) / 2


@lru_cache(maxsize=256)
def _weights(length: int, size: int, step: int) -> tuple[Array, Array]:
    """Weights of all pixels of one axis in each bin of each grid point, and the grid points.

    The weight is linear in the distance to the bin's centre (zero one bin away), times a Gaussian
    about the patch's centre whose width is half of the patch's side, both as in Lowe's paper. The
    grid is centred in the image.
    """
    room = length - size
    count = room // step + 1 if room >= 0 else 0
    first = (room - (count - 1) * step) // 2
    centres = first + step * np.arange(count) + (size - 1) / 2
    bin_size = size / BINS
    offsets = np.arange(length) - centres[:, None]
    bins = (np.arange(BINS) - (BINS - 1) / 2) * bin_size
    linear = np.maximum(0, 1 - np.abs(offsets[:, None, :] - bins[None, :, None]) / bin_size)
    window = np.exp(-0.5 * (offsets / (size / 2)) ** 2)
    weights = (linear * window[:, None, :]).reshape(count * BINS, length)
    return weights.astype(np.float32), centres


def _normalised(descriptors: Array, flat: float) -> Array:
    """Unit norm, clipped at 0.2, unit norm again; below the norm `flat`, in proportion."""
    norms = np.sqrt(np.einsum("ij,ij->i", descriptors, descriptors))
    faint = np.minimum(1, norms / flat) if flat > 0 else np.ones_like(norms)
    clipped = np.minimum(unit_rows(descriptors), CLIP)
    return unit_rows(clipped) * faint[:, None].astype(descriptors.dtype)
