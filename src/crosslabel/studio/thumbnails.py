"""Small pictures for the page. A file that people brought is never sent as it is."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

from crosslabel.files.whole import write_whole
from crosslabel.media.colour import square_picture

SIDE = 192
QUALITY = 80
FORM = "image/webp"


def thumbnail(path: Path) -> bytes:
    """The central square of a picture, in the form `FORM`.

    Parameters
    ----------
    path : Path
    """
    small = Image.fromarray(square_picture(path, SIDE, whole=False))
    file = BytesIO()
    small.save(file, "WEBP", quality=QUALITY, method=2)
    return file.getvalue()


def kept_thumbnail(path: Path, key: str, folder: Path) -> bytes:
    """As `thumbnail`, made once.

    Parameters
    ----------
    path : Path
    key : str
        Of its content.
    folder : Path
        That keeps them.
    """
    place = folder / f"{key}.webp"
    if place.is_file():
        return place.read_bytes()
    content = thumbnail(path)
    write_whole(place, lambda file: file.write(content))
    return content
