"""What is said of a file that cannot be used."""

from __future__ import annotations

import os
from pathlib import Path


class UnreadableFile(ValueError):
    """A file that holds no usable image or clip; the message says which file and why."""

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(path, reason)
        self.path = Path(path)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
