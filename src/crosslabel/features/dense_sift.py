"""Dense SIFT: Lowe's 4×4×8 descriptor on a regular grid, upright, by matrix products alone.

A descriptor's bin is a sum of gradient magnitudes, weighted by orientation, by the two distances to
the bin's centre and by a Gaussian about the patch's centre. All spatial weights are products of a
function of x and a function of y. So a whole grid of descriptors is R M Cᵀ for each orientation
map M, with R and C fixed sparse matrices of weights: no loop over patches, nothing left out.
"""

from __future__ import annotations

import math
import threading
from functools import lru_cache
from numbers import Integral, Real
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from crosslabel.core.scaling import Array
from crosslabel.media.gray import Images, Item, gray_image
from crosslabel.site import on_site

MOST_SIZES, LARGEST_PATCH = 16, 2048
BINS = 4  # spatial bins along each side
ORIENTATIONS = 8
CLIP = 0.2  # Lowe's limit on one bin of the unit-norm descriptor
# Of x⁹, x⁷, …, x in the arctangent of x.
ARCTANGENT = (0.0208351, -0.0851330, 0.1801410, -0.3302995, 0.9998660)


class Descriptors(NamedTuple):
    """The descriptors of one image and where they lie."""

    values: Array  # (n_descriptors, 128)
    centres: Array  # (n_descriptors, 2), row and column in pixels


class _Grid(NamedTuple):
    """Where the descriptors of one patch size lie, and the weights of pixels in their bins."""

    rows: csr_array  # sparse, (grid rows · bins, height)
    columns: csr_array  # sparse, (grid columns · bins, width)
    shape: tuple[int, int]
    centres: Array

    @classmethod
    def of(cls, image_shape: tuple[int, ...], size: int, step: int) -> Self:
        """The grid for an image of this shape."""
        rows, row_centres = _weights(image_shape[0], size, step)
        columns, column_centres = _weights(image_shape[1], size, step)
        centres = np.stack(np.meshgrid(row_centres, column_centres, indexing="ij"), -1)
        shape = (len(row_centres), len(column_centres))
        return cls(rows, columns, shape, centres.reshape(-1, 2))


@on_site
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
        Width of the Gaussian applied before gradients are taken, as a part of one bin's side; at
        most 4.
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

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import DenseSIFT
    >>> image = np.random.default_rng(0).random((48, 48))
    >>> DenseSIFT().fit([image]).transform([image])[0].shape[1]
    128
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "step": [Interval(Integral, 1, None, closed="left")],
        "patch_sizes": ["array-like"],
        "smoothing": [Interval(Real, 0, 4, closed="both")],
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

    def fit(self, X: Images, y: object = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : images, as arrays or paths
            Not looked at.
        y : ignored
        """
        self._validate_params()
        self.check_stored()
        return self

    def check_stored(self) -> None:
        """Refuse patches that cannot be parted into bins, or that no image holds."""
        if len(self.patch_sizes) > MOST_SIZES:
            raise ValueError(f"{len(self.patch_sizes)} patch sizes are more than {MOST_SIZES}.")
        for size in self.patch_sizes:
            if size < BINS or size % BINS or size > LARGEST_PATCH:
                raise ValueError(
                    f"A patch size must be a positive multiple of {BINS} of at most "
                    f"{LARGEST_PATCH}, but patch_sizes holds {size}."
                )

    def transform(self, X: Images) -> Array | list[Array]:
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

    def describe(self, image: Item) -> Descriptors:
        """Descriptors and their centres for one image.

        Parameters
        ----------
        image : path, or array-like of shape (height, width), or with channels last

        Returns
        -------
        Descriptors
        """
        pixels = gray_image(image)
        grids = [_Grid.of(pixels.shape, size, self.step) for size in self.patch_sizes]
        ends = np.cumsum([0, *(len(grid.centres) for grid in grids)])
        values = np.empty((ends[-1], BINS * BINS * ORIENTATIONS), np.float32)
        for grid, size, start, end in zip(grids, self.patch_sizes, ends, ends[1:]):
            self._describe(pixels, size, grid, values[start:end])
        return Descriptors(values, np.concatenate([grid.centres for grid in grids]))

    def _describe(self, pixels: Array, size: int, grid: _Grid, out: Array) -> None:
        """Descriptors of one patch size, written to `out`."""
        maps = orientation_maps(pixels, self.smoothing * size / BINS)
        by_row = grid.rows @ maps.reshape(len(pixels), -1)  # (grid row · bin, column · orientation)
        across = by_row.reshape(-1, pixels.shape[1], ORIENTATIONS).transpose(1, 0, 2)
        turned = _scratch("turned", across.shape)  # columns first, for the second product
        np.copyto(turned, across)
        del by_row, across  # memory that is given back is used again at once
        pooled = grid.columns @ turned.reshape(pixels.shape[1], -1)
        shape = (grid.shape[1], BINS, grid.shape[0], BINS, ORIENTATIONS)
        bins = pooled.reshape(shape).transpose(2, 0, 3, 1, 4)
        np.copyto(out.reshape(*grid.shape, BINS, BINS, ORIENTATIONS), bins)
        # What a patch of constant gradient has for a norm: its mass is spread over all bins alike.
        _normalise(out, self.contrast * (size / BINS) ** 2 * BINS)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of a descriptor's 128 values: row bin, column bin, orientation.

        Parameters
        ----------
        input_features : ignored
        """
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
    ndarray of shape (height, width, 8)
        Valid until this thread calls the function again.
    """
    if smoothing > 0:
        pixels = gaussian_filter(pixels, smoothing, mode="nearest", truncate=3.0)
    down, right = (_differences(pixels, axis) for axis in (0, 1))
    magnitude = np.sqrt(down * down + right * right)
    position = _eighths(down, right)
    below = position.astype(np.intp)
    share = magnitude * (position - below)
    magnitude -= share
    maps = _scratch("maps", (*pixels.shape, ORIENTATIONS))
    maps.fill(0)
    flat, first = maps.reshape(-1), np.arange(0, maps.size, ORIENTATIONS).reshape(pixels.shape)
    # A position of exactly 8 is orientation 0 again: the remainder by 8, a power of two, is "& 7".
    flat[first + (below & (ORIENTATIONS - 1))] = magnitude
    flat[first + ((below + 1) & (ORIENTATIONS - 1))] = share
    return maps


def _eighths(down: Array, right: Array) -> Array:
    """Angles in eighths of a turn, from 0 to 8; arctan2 takes several times as long.

    The arctangent of a ratio in [0, 1] is Abramowitz and Stegun's polynomial 4.4.47, right to 1e-5;
    the larger of the two and the signs then tell the octant: 2 − v, 4 − v, 8 − v where they hold.
    """
    across, along = np.abs(down), np.abs(right)
    larger = np.maximum(across, along)
    steep = across > along
    ratio = np.minimum(across, along, out=along)
    ratio /= np.maximum(larger, np.finfo(larger.dtype).tiny, out=larger)
    square = ratio * ratio
    value = np.full_like(ratio, ARCTANGENT[0])
    for coefficient in ARCTANGENT[1:]:
        value *= square
        value += np.float32(coefficient)
    value *= ratio
    value *= np.float32(ORIENTATIONS / (2 * np.pi))
    for turn, holds in ((2, steep), (4, right < 0), (8, down < 0)):
        np.subtract(np.float32(turn) * holds, value, out=value)
        np.abs(value, out=value)
    return value


def _differences(pixels: Array, axis: int) -> Array:
    """Central differences, as Lowe takes them; a border pixel stands for its outer neighbour."""
    padded = np.pad(pixels, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
    ahead = padded[2:] if axis == 0 else padded[:, 2:]
    behind = padded[:-2] if axis == 0 else padded[:, :-2]
    return (ahead - behind) / 2


@lru_cache(maxsize=256)
def _weights(length: int, size: int, step: int) -> tuple[csr_array, Array]:
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
    return csr_array(weights.astype(np.float32)), centres


def _normalise(descriptors: Array, flat: float) -> None:
    """Unit norm, clipped, unit norm again, in place; below the norm `flat`, in proportion."""
    norms = np.sqrt(np.einsum("ij,ij->i", descriptors, descriptors))
    descriptors /= np.maximum(norms, np.finfo(np.float32).tiny)[:, None]
    np.minimum(descriptors, CLIP, out=descriptors)
    again = np.sqrt(np.einsum("ij,ij->i", descriptors, descriptors))
    faint = np.minimum(1, norms / flat) if flat > 0 else 1
    descriptors *= (faint / np.maximum(again, np.finfo(np.float32).tiny))[:, None]


_local = threading.local()
# A block that is never touched, once freed, tells glibc not to hand memory back to the system below
# its size: the arrays of an image then lie in memory that the image before has used.
np.empty(2**25 - 2**16, np.uint8)


def _scratch(name: str, shape: tuple[int, ...]) -> Array:
    """An array of this thread that is used again and again.

    Touching fresh memory for the first time takes as long as all the arithmetic here.
    """
    size = math.prod(shape)
    buffer = getattr(_local, name, None)
    if buffer is None or buffer.size < size:
        buffer = np.empty(size, np.float32)
        setattr(_local, name, buffer)
    return buffer[:size].reshape(shape)
