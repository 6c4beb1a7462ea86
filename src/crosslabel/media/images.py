"""Images from files, gray or in colour, whatever state the files are in.

Any problem with one file is an `UnreadableFile` whose message names the file and what is wrong, so
that a caller can skip it and say so. Memory is bounded by `MAX_PIXELS`.
"""

from __future__ import annotations

import os
import warnings
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from crosslabel.media.unreadable import UnreadableFile

MAX_PIXELS = 120_000_000  # half a gigabyte while an image is decoded
MAX_SIDE = 2048  # longer images are shrunk by a whole factor: no feature here looks closer

FORMATS = ["AVIF", "BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "TGA", "TIFF", "WEBP"]
"""What cameras and data sets write. Pillow's decoders of rare formats are where most of its holes
were found."""


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
        If the file is missing, empty, truncated, no image, or larger than 120 megapixels.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # size is checked below; odd metadata is no matter
            return _decoded(path, colour, detail)
    except UnidentifiedImageError:
        known = ", ".join(_formats())
        raise UnreadableFile(path, f"this is no image of a known format ({known})") from None
    except Image.DecompressionBombError as error:
        raise UnreadableFile(path, str(error)) from None
    except FileNotFoundError:
        raise UnreadableFile(path, "there is no such file") from None
    except UnreadableFile:
        raise
    # A damaged file can raise almost anything inside a decoder.
    except (OSError, ValueError, SyntaxError, EOFError, KeyError, IndexError, TypeError) as error:
        raise UnreadableFile(path, f"the image is damaged ({error})") from None
    except MemoryError:
        raise UnreadableFile(path, "the image does not fit into memory") from None


def _decoded(path: str | os.PathLike[str], colour: bool, detail: int | None) -> NDArray[np.generic]:
    if os.path.getsize(path) == 0:
        raise UnreadableFile(path, "the file is empty")
    with Image.open(path, formats=_formats()) as image:
        width, height = image.size
        if width * height > MAX_PIXELS:
            raise UnreadableFile(
                path,
                f"{width}×{height} pixels are too many; the limit is {MAX_PIXELS // 10**6} million",
            )
        factor = max(-(-max(width, height) // MAX_SIDE), min(width, height) // (detail or width))
        if factor > 1:
            # A JPEG is decoded at the smaller size; other formats ignore this.
            image.draft(None, (width // factor, height // factor))
        image.load()
        factor = -(-max(image.size) // MAX_SIDE)
        # Before the conversion where Pillow can, since gray and colour would both be held.
        early = factor > 1 and image.mode in ("L", "RGB", "RGBA", "CMYK")
        small = image.reduce(factor) if early else image
        return _shrunk(_values(ImageOps.exif_transpose(small), colour))


def _shrunk(pixels: NDArray[np.generic]) -> NDArray[np.generic]:
    """Means of square blocks, as small as a side of `MAX_SIDE` asks for."""
    shape = pixels.shape[:2]
    factor = -(-max(shape) // MAX_SIDE)
    if factor == 1:
        return pixels
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
        return values / max(1.0, float(values.max()))
    if "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        layer = image.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        image = Image.alpha_composite(white, layer)
    elif image.mode not in ("L", "RGB"):
        image = image.convert("RGB")
    return np.asarray(image if colour else image.convert("L"))
