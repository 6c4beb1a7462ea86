"""Images from files, gray or in colour, whatever state the files are in.

Any problem with one file is an `UnreadableFile` whose message names the file and what is wrong, so
that a caller can skip it and say so. Pixels, and the bytes of all images that are decoded at a
time, are bounded by the budget (`files/budget.py`).
"""

from __future__ import annotations

import os
import threading
import warnings
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from crosslabel.files.budget import OverBudget, budget
from crosslabel.media.decoding_memory import room_for
from crosslabel.media.unreadable import UnreadableFile

MAX_SIDE = 2048  # longer images are shrunk by a whole factor: no feature here looks closer

BAND = 2**19
"""Pixels that are converted at a time."""

BYTES_PER_PIXEL = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16B": 2, "I;16L": 2, "I;16N": 2}
"""That Pillow holds of an image, by its mode; all others take four."""

WORKING_BYTES = {"AVIF": 12, "GIF": 4, "JPEG2000": 20, "TIFF": 4, "WEBP": 12}
"""That the decoder of a format holds of each pixel beside, at most."""

ORIENTATION = 0x0112  # the tag in EXIF
TURNS = {
    2: (0, True),
    3: (2, False),
    4: (2, True),
    5: (3, True),
    6: (3, False),
    7: (1, True),
    8: (1, False),
}
"""Quarter turns to the left, and whether the result is mirrored from left to right."""

FORMATS = ["JPEG", "PNG", "AVIF", "BMP", "GIF", "JPEG2000", "PPM", "TGA", "TIFF", "WEBP"]
"""What cameras and data sets write, the most frequent first. Pillow's decoders of rare formats are
where most of its holes were found."""


@cache
def _formats() -> list[str]:
    """Those of `FORMATS` that this Pillow was built with."""
    Image.init()
    return [name for name in FORMATS if name in Image.OPEN]


def image_suffixes() -> frozenset[str]:
    """Suffixes of files that hold images of the formats read here, in lower case."""
    readers = Image.registered_extensions()
    return frozenset(suffix for suffix, name in readers.items() if name in _formats())


def read_image(
    path: str | os.PathLike[str], *, colour: bool = False, detail: int | None = None
) -> NDArray[np.generic]:
    """Gray values or colours of an image file, upright.

    Palettes and CMYK become gray or RGB; transparent parts lie on white; the camera's orientation
    (EXIF) is applied; 16-bit images keep their depth; the first frame of an animation counts. An
    image with a side beyond 2048 pixels is shrunk by a whole factor.

    Parameters
    ----------
    path : path
    colour : bool, default=False
        Keep red, green and blue; an image without colours stays gray.
    detail : int, default=None
        Pixels of the shorter side that are enough. A larger JPEG is decoded at a smaller size,
        which saves most of the time and memory; None decodes all of it.

    Returns
    -------
    ndarray of shape (height, width), or (height, width, 3), uint8, uint16 or float32 in [0, 1]

    Raises
    ------
    UnreadableFile
        If the file is missing, empty, truncated, no image, or larger than the budget allows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from crosslabel.datasets import read_image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("L", (8, 6), 255).save(Path(folder) / "white.png")
    ...     image = read_image(Path(folder) / "white.png")
    >>> image.shape, int(image.max())
    ((6, 8), 255)
    """
    try:
        with _SILENCE:  # size is checked below; odd metadata is no matter
            return _decoded(path, colour, detail)
    except UnidentifiedImageError:
        known = ", ".join(_formats())
        raise UnreadableFile(path, f"this is no image of a known format ({known})") from None
    except (Image.DecompressionBombError, OverBudget) as error:
        raise UnreadableFile(path, str(error)) from None
    except FileNotFoundError:
        raise UnreadableFile(path, "there is no such file") from None
    except UnreadableFile:
        raise
    # A damaged file can raise almost anything inside a decoder.
    except MemoryError:
        raise UnreadableFile(path, "the image does not fit into memory") from None
    except Exception as error:
        raise UnreadableFile(path, f"the image is damaged ({error})") from None


class _Silence:
    """No warnings while any thread is inside: the first to enter hides them, the last brings back.

    `warnings.catch_warnings` alone, left in another order than entered, would hide them for ever.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.hidden = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self.lock:
            if self.inside == 0:
                self.hidden = warnings.catch_warnings()
                self.hidden.__enter__()
                warnings.simplefilter("ignore")
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                self.hidden.__exit__(None, None, None)


_SILENCE = _Silence()


def _decoded(path: str | os.PathLike[str], colour: bool, detail: int | None) -> NDArray[np.generic]:
    if os.path.getsize(path) == 0:
        raise UnreadableFile(path, "the file is empty")
    with Image.open(path, formats=_formats()) as image:
        width, height = image.size
        shown = f"an image of {width}×{height} pixels"
        budget().check("pixels", width * height, shown)
        factor = max(-(-max(width, height) // MAX_SIDE), min(width, height) // (detail or width))
        if factor > 1:
            # A JPEG is decoded at the smaller size; other formats ignore this.
            image.draft(None, (width // factor, height // factor))
        with room_for(_decoding_bytes(image, width * height), shown):
            image.load()
            return _upright(_in_bands(image, colour), image.getexif().get(ORIENTATION, 1))


def _decoding_bytes(image: Image.Image, n_pixels: int) -> float:
    """What an image takes while it is decoded; `n_pixels` is its size in the file."""
    held = BYTES_PER_PIXEL.get(image.mode, 4) * image.width * image.height
    work = WORKING_BYTES.get(image.format or "", 0) * n_pixels
    if "progressive" in image.info:  # all coefficients of three colours are kept to the end
        work += 6 * n_pixels
    return float(held + work)


def _in_bands(image: Image.Image, colour: bool) -> NDArray[np.generic]:
    """Values of a decoded image, a band at a time: no second copy of it is made."""
    factor = -(-max(image.size) // MAX_SIDE)
    height = max(1, BAND // (image.width * factor)) * factor
    bands = []
    for top in range(0, image.height, height):
        bottom = min(top + height, image.height)
        whole = bottom - top == image.height
        band = image if whole else image.crop((0, top, image.width, bottom))
        # Before the conversion where Pillow can, since gray and colour would both be held.
        early = factor > 1 and band.mode in ("L", "RGB", "RGBA", "CMYK")
        small = band.reduce(factor) if early else band
        bands.append(_shrunk(_values(small, colour), 1 if early else factor))
    values = np.concatenate(bands)
    if image.mode == "F":
        values = values / max(1.0, float(values.max()))
    return values


def _upright(pixels: NDArray[np.generic], orientation: int) -> NDArray[np.generic]:
    """The image as the camera was held: EXIF counts eight ways."""
    turns, mirrored = TURNS.get(orientation, (0, False))
    turned = np.rot90(pixels, turns)
    return np.ascontiguousarray(turned[:, ::-1] if mirrored else turned)


def _shrunk(pixels: NDArray[np.generic], factor: int) -> NDArray[np.generic]:
    """Means of square blocks."""
    if factor == 1:
        return pixels
    shape = pixels.shape[:2]
    rows, columns = (max(1, length // factor) for length in shape)
    high, wide = (min(factor, length) for length in shape)
    cut = pixels[: rows * high, : columns * wide]
    blocks = cut.reshape(rows, high, columns, wide, *pixels.shape[2:])
    return blocks.mean(axis=(1, 3)).astype(pixels.dtype)


def _values(image: Image.Image, colour: bool) -> NDArray[np.generic]:
    if image.mode.startswith("I"):
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 65535:
            raise ValueError("its 32-bit values lie outside of 0 to 65535")
        return values.astype(np.uint16)
    if image.mode == "F":
        values = np.asarray(image, dtype=np.float32)
        if not np.isfinite(values).all() or values.min() < 0:
            raise ValueError("its floating-point values are negative or not finite")
        return values
    if "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        image = Image.alpha_composite(white, layer)
    elif image.mode not in ("L", "RGB"):
        image = image.convert("RGB")
    return np.asarray(image if colour else image.convert("L"))
