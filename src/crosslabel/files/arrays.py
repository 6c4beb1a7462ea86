"""Arrays in one file, whole or not at all: no pickle, a format version and a checksum."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosslabel._version import __version__
from crosslabel.files.npy import read_npz
from crosslabel.files.whole import write_whole

FORMAT = 1
"""Raised by every change of what the arrays mean."""

Arrays = dict[str, NDArray[Any]]


def save(
    path: str | os.PathLike[str], kind: str, arrays: Mapping[str, NDArray[np.generic]]
) -> None:
    """Write arrays to an .npz file.

    Parameters
    ----------
    path : path
        Under this very name; a file there is replaced once the new one is complete.
    kind : str
        What the arrays are: a file of one kind is not read as another.
    arrays : mapping of str to ndarray
        Of numbers or text.
    """
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise ValueError(f"{name} holds Python objects; a file holds numbers and text only.")
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    note = {"kind": kind, "format": FORMAT, "crosslabel": __version__, "sum": _checksum(arrays)}
    header = np.frombuffer(json.dumps(note).encode(), np.uint8)
    content: dict[str, Any] = {"header": header, **arrays}
    write_whole(Path(path), lambda file: np.savez(file, **content))


def load(path: str | os.PathLike[str], kind: str) -> Arrays:
    """Read the arrays of a file that `save` wrote.

    Parameters
    ----------
    path : path
    kind : str

    Raises
    ------
    ValueError
        If the file is damaged, of another kind, or of another format.
    """
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"There is no file {place}.")
    try:
        arrays = read_npz(place)
        note = json.loads(arrays.pop("header").tobytes())
        found = (note["kind"], note["format"], note["sum"])
    # A damaged archive fails anywhere inside the reader, with whatever error is at hand.
    except Exception as error:
        raise ValueError(
            f"{place} is damaged or no file of crosslabel: {str(error).strip(' .')}."
        ) from None
    if found[0] != kind:
        raise ValueError(f"{place} holds {found[0]!r}, not {kind!r}.")
    if found[1] != FORMAT:
        raise ValueError(
            f"{place} is of format {found[1]}, written by crosslabel {note.get('crosslabel')}; "
            f"this version reads format {FORMAT}. Make the file anew."
        )
    if found[2] != _checksum(arrays):
        raise ValueError(f"{place} is damaged: its checksum does not fit its content.")
    return arrays


def _checksum(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """SHA-256 over names, types, shapes and contents."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data if array.size and array.dtype.kind != "U" else array.tobytes())
    return digest.hexdigest()
