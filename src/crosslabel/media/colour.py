"""One colour picture of a fixed square size from whatever a caller has: what networks look at."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from crosslabel.media.gray import Item, intensities
from crosslabel.media.images import read_image

WHITE = 255  # of 8 bits


def square_picture(image: Item, side: int, *, whole: bool = True) -> NDArray[np.uint8]:
    """An image as a square of `side` × `side` pixels.

    Parameters
    ----------
    image : path, or array-like of shape (height, width), or with 1, 3 or 4 channels last
        Integers are divided by the largest value of their type, floats lie in [0, 1]; a fourth
        channel (alpha) is ignored. A gray image has three equal colours.
    side : int
    whole : bool, default=True
        Squeeze the whole image into the square; else take the square in its middle.

    Returns
    -------
    ndarray of shape (side, side, 3), uint8
    """
    if isinstance(image, str | os.PathLike):
        # Twice as many pixels as are kept: the filter that shrinks them sees enough.
        image = read_image(image, colour=True, detail=2 * side)
    pixels = _eight_bits(np.asarray(image))
    height, width = pixels.shape[:2]
    edge = min(height, width)
    wide, high = (width, height) if whole else (edge, edge)
    left, top = (width - wide) / 2, (height - high) / 2
    picture = Image.fromarray(pixels).convert("RGB")
    box = (left, top, left + wide, top + high)
    return np.asarray(picture.resize((side, side), Image.Resampling.BICUBIC, box=box))


def _eight_bits(pixels: ArrayLike) -> NDArray[np.uint8]:
    """Gray values (height, width) or colours (height, width, 3) from 0 to 255."""
    values = np.asarray(pixels)
    if values.ndim == 3 and values.shape[2] in (1, 3, 4):
        values = values[..., 0] if values.shape[2] == 1 else values[..., :3]
    if values.size == 0 or values.ndim != 2 + (values.ndim == 3 and values.shape[2] == 3):
        raise ValueError(
            "An image must be (height, width) or have 1, 3 or 4 channels last, but its shape is "
            f"{np.shape(pixels)}."
        )
    if values.dtype == np.uint8:
        return np.ascontiguousarray(values)
    levels = intensities(values)
    # Not NaN either, which lies nowhere.
    if not (levels.min() >= 0 and levels.max() <= 1):
        raise ValueError(
            f"Intensities lie in [0, 1], but an image holds {levels.min():.3g} to "
            f"{levels.max():.3g}. Divide it by its largest possible value, or give whole numbers."
        )
    return np.rint(WHITE * levels).astype(np.uint8)
