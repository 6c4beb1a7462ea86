"""Files that are there whole or not at all: interrupt a writer, and the old file is still there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(place: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file so that it is there whole or not at all, whoever else writes it.

    A writer that is killed leaves a hidden `.part-` file beside the old one, which may be deleted.

    Parameters
    ----------
    place : Path
        The file; its folder is made. A file that is replaced passes on its permissions.
    write : callable
        Gets the open binary file.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.parent / f".part-{secrets.token_hex(8)}"
    # Not `tempfile`: its files are closed to all other users, and so would be what is published.
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(part, place.stat().st_mode & 0o777)
        os.replace(part, place)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part)
        raise
    _keep_entry(place.parent)


def _keep_entry(folder: Path) -> None:
    """Let the new name survive a loss of power; the file itself is on the disk already."""
    # Some systems open no folders and some file systems do not sync them: nothing is lost but that.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
