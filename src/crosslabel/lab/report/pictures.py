"""Atoms as pictures inside a page: gray PNG images as data addresses."""

from __future__ import annotations

import base64
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from crosslabel.core.scaling import Array


def turned(atoms: Array) -> Array:
    """Each atom or its negative, which serves a code as well: so that faces are no negatives.

    A common atom is found first, of all atoms turned to have more light than shade; then each is
    turned to agree with it.

    Parameters
    ----------
    atoms : ndarray of shape (n_atoms, height, width)

    Returns
    -------
    ndarray of shape (n_atoms, height, width)
    """
    flat = atoms.reshape(len(atoms), -1)
    common = _signs(flat.sum(axis=1)) @ flat
    return _signs(flat @ common)[:, None, None] * atoms


def _signs(values: Array) -> Array:
    return np.where(values < 0, -1.0, 1.0)


def gray(picture: Array) -> NDArray[np.uint8]:
    """Stretch the values to 0..255; the outermost half per cent may not darken the rest.

    Parameters
    ----------
    picture : ndarray
    """
    low, high = np.quantile(picture, [0.005, 0.995])
    scaled = (picture - low) / (high - low) if high > low else np.full_like(picture, 0.5)
    return np.round(255 * np.clip(scaled, 0, 1)).astype(np.uint8)


def png_address(pixels: NDArray[np.uint8]) -> str:
    """A PNG image as a data address.

    Parameters
    ----------
    pixels : ndarray of uint8 of shape (height, width)
    """
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG", optimize=True)
    return data_address(file.getvalue())


def data_address(png: bytes) -> str:
    """The bytes of a PNG file as an address that needs no network."""
    return "data:image/png;base64," + base64.b64encode(png).decode()
