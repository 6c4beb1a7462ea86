"""One gray image or clip from whatever a caller has: an array of any kind, or the path of a file.

Every transformer that looks at gray pixels comes through here, so that all of them agree on what an
intensity is: a float in [0, 1].
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from crosslabel.core.scaling import Array
from crosslabel.media.clips import read_clip
from crosslabel.media.images import read_image

# ITU-R BT.601, what Pillow, OpenCV and MATLAB use for gray.
LUMA = np.array([0.299, 0.587, 0.114])

BRIGHTEST = 1e9
"""Beyond it the squares and sums that features take would leave single precision."""

Item = ArrayLike | os.PathLike[str]
"""One image or clip: an array of any kind, or the path of a file."""

Images = ArrayLike | Sequence[Item]


def gray_image(image: Item, longest_side: int | None = None) -> Array:
    """Intensities in [0, 1] of one image.

    Parameters
    ----------
    image : path, or array-like of shape (height, width), or with 1, 3 or 4 channels last
        Integers are divided by the largest value of their type, floats are taken as they are; a
        fourth channel (alpha) is ignored.
    longest_side : int, default=None
        Pixels that the longest side is brought to, whatever it was; None keeps the size.

    Returns
    -------
    ndarray of shape (height, width), float32
    """
    if isinstance(image, str | os.PathLike):
        # Twice as many pixels as are kept: the filter that shrinks them sees enough.
        image = read_image(image, detail=None if longest_side is None else 2 * longest_side)
    pixels = _gray(intensities(image))
    if longest_side is None:
        return pixels
    scale = longest_side / max(pixels.shape)
    height, width = (max(1, round(scale * side)) for side in pixels.shape)
    return resized(pixels, (height, width))


def resized(pixels: Array, shape: tuple[int, int]) -> Array:
    """Gray pixels in another size: bicubic, with a filter that widens as the image shrinks.

    Parameters
    ----------
    pixels : ndarray of shape (height, width), float32
    shape : (height, width)

    Returns
    -------
    ndarray of shape (height, width), float32
    """
    if pixels.shape == tuple(shape):
        return pixels
    small = Image.fromarray(pixels).resize((shape[1], shape[0]), Image.Resampling.BICUBIC)
    # A bicubic filter overshoots at sharp edges; an intensity stays an intensity.
    return np.clip(np.asarray(small), pixels.min(), pixels.max())


def _gray(pixels: Array) -> Array:
    if pixels.ndim == 3 and pixels.shape[2] in (3, 4):
        pixels = pixels[..., :3] @ LUMA.astype(pixels.dtype)
    elif pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    return _checked(pixels, 2, "An image must be (height, width) or have 1, 3 or 4 channels last")


def gray_clip(clip: Item) -> Array:
    """Intensities in [0, 1] of one clip.

    Parameters
    ----------
    clip : path, or array-like of shape (frames, height, width)

    Returns
    -------
    ndarray of shape (frames, height, width), float32
    """
    if isinstance(clip, str | os.PathLike):
        clip = read_clip(clip)
    return _checked(intensities(clip), 3, "A clip must be (frames, height, width)")


def intensities(image: ArrayLike) -> Array:
    """Values of an array as floats: whole numbers by the largest of their type, floats as they are.

    Parameters
    ----------
    image : array-like

    Returns
    -------
    ndarray, float32
    """
    pixels = np.asarray(image)
    if pixels.dtype == bool:
        return pixels.astype(np.float32)
    if np.issubdtype(pixels.dtype, np.integer):
        return pixels.astype(np.float32) / np.float32(np.iinfo(pixels.dtype).max)
    if not np.issubdtype(pixels.dtype, np.floating):
        raise ValueError(f"Pixels must be numbers, but their type is {pixels.dtype}.")
    with np.errstate(over="ignore"):  # what single precision cannot hold is refused as infinite
        return pixels.astype(np.float32, copy=False)


def _checked(pixels: Array, ndim: int, rule: str) -> Array:
    if pixels.ndim != ndim or pixels.size == 0:
        raise ValueError(f"{rule}, but its shape is {pixels.shape}.")
    if not np.isfinite(pixels).all():
        raise ValueError("Pixels hold NaN or infinity. Repair or leave out this image.")
    largest = max(pixels.max(), -pixels.min())
    if largest > BRIGHTEST:
        raise ValueError(
            f"Pixels reach {largest:.3g} in size, but intensities lie in [0, 1]. Rescale the image."
        )
    return pixels
