"""One studio for a folder at a time; a killed one leaves no lock behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class Lock:
    """Held from its making to `release`, or to the end of the process.

    Parameters
    ----------
    place : Path
        A file, which may stay behind: the system's own lock on it counts.
    """

    def __init__(self, place: Path) -> None:
        self.file = place.open("a+b")
        try:
            _take(self.file.fileno())
        except OSError:
            self.file.close()
            raise ValueError(
                f"Another studio has {place.parent.parent} open. Use its page, or end it first."
            ) from None

    def release(self) -> None:
        """Let the next one in."""
        self.file.close()


def _take(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.set_inheritable(handle, False)
