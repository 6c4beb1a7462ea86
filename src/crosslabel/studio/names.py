"""Names of classes and pictures that stay in their folder, on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import PurePosixPath

MOST_CHARACTERS = 80
MOST_BYTES = 200  # file systems take 255, and a number may come behind the name

FORBIDDEN = re.compile(
    r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]'
)
"""What leaves a folder, what some system forbids, and what makes a name look like another one."""

RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10)),
}
"""Devices on Windows, with any suffix."""


def class_name(said: object) -> str:
    """The name of a class as it was said, or a `ValueError` that says what is wrong with it.

    Parameters
    ----------
    said : object
        From a request: anything.
    """
    if not isinstance(said, str):
        raise ValueError("The name of a class must be a text.")
    name = unicodedata.normalize("NFC", said).strip()
    if not name:
        raise ValueError("A class needs a name.")
    if len(name) > MOST_CHARACTERS or len(name.encode("utf-8", "replace")) > MOST_BYTES:
        raise ValueError(f"A name may have {MOST_CHARACTERS} characters, and this one has more.")
    if _is_wrong(name):
        raise ValueError(
            "A name may not begin or end with a dot, nor hold any of / \\ : * ? < > | and quotes, "
            "nor signs that cannot be seen."
        )
    return name


def picture_name(said: object, suffix: str, taken: Collection[str]) -> str:
    """A free file name for a picture, as near as can be to what it was called.

    Parameters
    ----------
    said : object
        From a request: anything. Of a path the last part counts.
    suffix : str
        That of its format, as ".jpg".
    taken : collection of str
        Names in lower case that are in use, which some systems do not tell apart.
    """
    text = said if isinstance(said, str) else ""
    last = PurePosixPath(text.replace("\\", "/")).name
    stem = last.rpartition(".")[0] or last
    stem = FORBIDDEN.sub("_", unicodedata.normalize("NFC", stem)).strip(" .")[:MOST_CHARACTERS]
    stem = stem.encode("utf-8", "ignore")[: MOST_BYTES - 20].decode("utf-8", "ignore").strip(" .")
    if not stem or _is_wrong(stem):
        stem = "picture"
    name, number = f"{stem}{suffix}", 1
    while name.lower() in taken:
        number += 1
        name = f"{stem} ({number}){suffix}"
    return name


def _is_wrong(name: str) -> bool:
    device = name.partition(".")[0].lower() in RESERVED
    try:
        name.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return True
    return bool(FORBIDDEN.search(name)) or name[0] == "." or name[-1] in ". " or device
