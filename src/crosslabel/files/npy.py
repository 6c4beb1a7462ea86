"""Arrays in NumPy's formats .npy and .npz, from files that nobody vouches for.

Every array is counted from its header before a value is read: no header is longer than it need be,
no array larger than the bytes behind it, and an archive unpacks to no more than the budget allows.
"""

from __future__ import annotations

import math
import os
import re
import struct
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.files.budget import budget

KINDS = "biufcUS"  # of array elements: truth values, numbers, text; never objects or records
MAX_HEADER = 10_000  # bytes; an honest one has a hundred
MAX_AXES = 32
MAGIC = b"\x93NUMPY"
USUAL = re.compile(
    r"{'descr': '([<>|][biufcUS][0-9]{1,6})', 'fortran_order': (False|True), "
    r"'shape': \((|[0-9]{1,18},|[0-9]{1,18}(?:, [0-9]{1,18})+)\), } *\n",
    re.ASCII,
)
"""A header as NumPy writes it. To parse it as an expression, as any other one is, takes as long as
all else that an array of a small model needs."""


class Header(NamedTuple):
    """What an array is, and where its values begin."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[np.generic]
    start: int

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(file: IO[bytes], size: int) -> Header:
    """The header of an array of plain values, if as many values follow as it says.

    Parameters
    ----------
    file : binary file
        At the beginning of the array.
    size : int
        Bytes of the array with its header.

    Returns
    -------
    Header

    Raises
    ------
    ValueError
    """
    first = file.read(8)
    if first[:6] != MAGIC or first[6:] not in (b"\x01\x00", b"\x02\x00"):
        raise ValueError("it is no array in version 1 or 2 of NumPy's format")
    is_long = first[6] == 2
    prefix = file.read(4 if is_long else 2)
    length = struct.unpack("<I" if is_long else "<H", prefix)[0]
    if length > MAX_HEADER:
        raise ValueError(f"an array has a header of {length} bytes")
    shape, fortran, dtype = _parsed(prefix, file.read(length))
    if dtype.kind not in KINDS or dtype.hasobject or dtype.itemsize == 0:
        raise ValueError(f"an array holds elements of type {dtype}")
    if min(shape, default=0) < 0 or len(shape) > MAX_AXES:
        raise ValueError(f"an array has the shape {shape}")
    found = Header(shape, fortran, dtype, 8 + len(prefix) + length)
    if found.nbytes != size - found.start:
        raise ValueError(f"an array of shape {shape} has {size - found.start} bytes")
    # An axis of length zero makes all others free.
    if found.nbytes == 0:
        budget().check("rows", math.prod(max(1, n) for n in shape), "An array without values")
    return found


def _parsed(prefix: bytes, text: bytes) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Shape, whether in Fortran order, and type."""
    usual = USUAL.fullmatch(text.decode("latin-1"))
    if usual is not None:
        kind, fortran, axes = usual.groups()
        with suppress(TypeError):  # no type of NumPy's: its own reader has the words for that
            shape = tuple(int(axis) for axis in axes.split(",") if axis)
            return shape, fortran == "True", np.dtype(kind)
    reader: Any = np.lib.format.read_array_header_2_0
    if len(prefix) == 2:
        reader = np.lib.format.read_array_header_1_0
    return reader(BytesIO(prefix + text))


def from_bytes(content: bytes) -> NDArray[np.generic]:
    """An array from all its bytes; a copy, so that it is aligned and can be written to."""
    header = read_header(BytesIO(content), len(content))
    flat = np.frombuffer(content, header.dtype, offset=header.start)
    return flat.reshape(header.shape, order="F" if header.fortran else "C").copy(order="K")


def read_npy(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    """The array of an .npy file.

    Parameters
    ----------
    path : path

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the file is no array of plain values.
    OverBudget
        If it is larger than the budget allows.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        header = read_header(file, size)
        # A file with holes takes no room on the disk: its own length says nothing.
        budget().check("bytes", header.nbytes, "The array")
        found = np.empty(header.shape, header.dtype, order="F" if header.fortran else "C")
        if found.nbytes and file.readinto(_bytes_of(found)) != found.nbytes:
            raise ValueError("it became shorter while it was read")
    return found


def read_npz(path: str | os.PathLike[str]) -> dict[str, NDArray[np.generic]]:
    """The arrays of an .npz file by name.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If the file is no archive of arrays.
    OverBudget
        If it unpacks to more beyond its own size than the budget allows.
    """
    place = Path(path)
    try:
        with zipfile.ZipFile(place) as archive:
            infos = archive.infolist()
            unpacked = sum(info.file_size for info in infos)
            excess = max(0, unpacked - os.path.getsize(place))
            budget().check("bytes", excess, f"{place.name}, unpacked,")
            return {
                info.filename.removesuffix(".npy"): from_bytes(archive.read(info)) for info in infos
            }
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"it is no archive of arrays ({error})") from None


def _bytes_of(array: NDArray[np.generic]) -> memoryview:
    """The memory of an array, in the order in which it lies there."""
    return array.reshape(-1, order="A").view(np.uint8).data
