"""What is said of a file that cannot be used."""

from __future__ import annotations

import os
from pathlib import Path


class UnreadableFile(ValueError):
    """A file that holds no usable image or clip; the message says which file and why.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from crosslabel.datasets import UnreadableFile, read_image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "no.png"
    ...     _ = place.write_bytes(b"this is no picture")
    ...     try:
    ...         read_image(place)
    ...     except UnreadableFile:
    ...         print("refused")
    refused
    """

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(path, reason)
        self.path = Path(path)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
