"""Atoms as pictures inside a page: gray PNG images as data addresses."""

from __future__ import annotations

import base64
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from crosslabel.core.scaling import Array

GAP = 2  # pixels between the atoms of a strip


def seen(atom: Array) -> Array:
    """The atom or its negative, which serves a code as well: the one with more light than shade.

    Parameters
    ----------
    atom : ndarray
    """
    return atom if atom.sum() >= 0 else -atom


def gray(picture: Array) -> NDArray[np.uint8]:
    """Stretch the values to 0..255; the outermost half per cent may not darken the rest.

    Parameters
    ----------
    picture : ndarray
    """
    low, high = np.quantile(picture, [0.005, 0.995])
    scaled = (picture - low) / (high - low) if high > low else np.full_like(picture, 0.5)
    return np.round(255 * np.clip(scaled, 0, 1)).astype(np.uint8)


def strip(pictures: Array, n_columns: int) -> Array:
    """Atoms side by side, each with its own contrast; places without an atom are clear.

    Parameters
    ----------
    pictures : ndarray of shape (n_atoms, height, width)
    n_columns : int
        At most so many side by side; the others stand below.

    Returns
    -------
    ndarray of uint8 of shape (strip_height, strip_width, 2)
        Gray and opacity.
    """
    n_atoms, height, width = pictures.shape
    n_rows = -(-n_atoms // n_columns)
    shape = (n_rows * (height + GAP) - GAP, n_columns * (width + GAP) - GAP, 2)
    sheet = np.zeros(shape, dtype=np.uint8)
    for index, picture in enumerate(pictures):
        row, column = divmod(index, n_columns)
        top, left = row * (height + GAP), column * (width + GAP)
        place = sheet[top : top + height, left : left + width]
        place[..., 0], place[..., 1] = gray(seen(picture)), 255
    return sheet


def png_address(pixels: NDArray[np.uint8]) -> str:
    """A PNG image as a data address.

    Parameters
    ----------
    pixels : ndarray of shape (height, width) or (height, width, 2)
        Gray, or gray and opacity.
    """
    file = BytesIO()
    Image.fromarray(pixels, mode="LA" if pixels.ndim == 3 else "L").save(
        file, "PNG", optimize=True
    )
    return data_address(file.getvalue())


def data_address(png: bytes) -> str:
    """The bytes of a PNG file as an address that needs no network."""
    return "data:image/png;base64," + base64.b64encode(png).decode()
