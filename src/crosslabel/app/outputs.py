"""Files that a command will write: what would stop it is said before the work starts."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path


def check_output(
    place: str | os.PathLike[str],
    *,
    suffixes: Collection[str] = (),
    keep: bool = False,
) -> Path:
    """The path of a file that can be written, or an error that says why it cannot.

    Parameters
    ----------
    place : path
    suffixes : collection of str, default=()
        Those that the file may have, as ".png"; none for any.
    keep : bool, default=False
        Refuse a file that is there already.

    Returns
    -------
    Path

    Raises
    ------
    OSError, ValueError
    """
    path = Path(place).expanduser()
    folder = path.resolve().parent
    if suffixes and path.suffix.lower() not in suffixes:
        known = ", ".join(suffix for suffix in suffixes if suffix)
        raise ValueError(f"{path} cannot be written: its name must end in one of {known}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Give the name of a file in it.")
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder} for {path.name}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"The folder {folder} cannot be written to. Give another one.")
    if keep and path.exists():
        raise FileExistsError(
            f"{path} is there already. Give --force to replace it, or --out for another place."
        )
    return path
