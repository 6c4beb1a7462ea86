"""The container of a model file: named members under one checksum, read without trust.

A model file is a zip archive whose members lie in it uncompressed, and whose comment, the last
bytes of the file, is the SHA-256 of all bytes before. So damage is found before anything is
decoded, and a file cannot hold more than its own length. The checksum is no signature: who changes
a file can compute it anew. Therefore everything behind it is read as if it were hostile.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from crosslabel.files.npy import from_bytes, read_header

JsonObject = dict[str, Any]
"""What one JSON object holds, by name."""

MAX_JSON = 16 * 2**20  # bytes of text in all: parsed, it may take twenty times as much
MAX_MEMBERS = 10**5
PREFIX = b"crosslabel sha256:"
DIGITS = 64  # of a SHA-256, in hexadecimal
NAMES = re.compile(r"(manifest|schema)\.json|[0-9]{1,6}\.npy", re.ASCII)
CHUNK = 2**20


class ModelFileError(ValueError):
    """A file is no model file, is damaged, or holds what a model file may not hold.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import crosslabel
    >>> from crosslabel.files import ModelFileError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "pets.skops"
    ...     written = place.write_text("something else")
    ...     try:
    ...         crosslabel.load(place)
    ...     except ModelFileError as error:
    ...         print("is no model file of crosslabel" in str(error))
    True
    """


def pack(members: Iterable[tuple[str, bytes]]) -> bytes:
    """The bytes of an archive; the same for the same members.

    Parameters
    ----------
    members : iterable of (name, content)

    Returns
    -------
    bytes
    """
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)  # dated 1980: the time of writing is no content
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, content)
        archive.comment = PREFIX + b"0" * DIGITS
    return seal(buffer.getvalue())


def seal(content: bytes) -> bytes:
    """An archive with its checksum put right."""
    body = content[:-DIGITS]
    return body + hashlib.sha256(body).hexdigest().encode()


class Archive:
    """The members of a model file whose checksum holds.

    Parameters
    ----------
    file : binary file
        Open for reading, from its beginning.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.size = file.seek(0, os.SEEK_END)
        self.checksum = _verified(file, self.size)
        self._zip = zipfile.ZipFile(file)
        self.members = _checked_members(self._zip.infolist(), self.size)
        self._text_left = MAX_JSON

    def read(self, name: str, limit: int | None = None) -> bytes:
        """Content of a member, of at most so many bytes."""
        if name not in self.members:
            raise ModelFileError(f"its member {name!r} is missing")
        if limit is not None and self.members[name] > limit:
            raise ModelFileError(f"{name} has {self.members[name]} bytes, more than {limit}")
        return self._zip.read(name)

    def json(self, name: str) -> JsonObject:
        """A member that is one JSON object."""
        content = self.read(name, self._text_left)
        self._text_left -= len(content)
        value = json.loads(content, parse_constant=_refuse_constant)
        if not isinstance(value, dict):
            raise ModelFileError(f"{name} is not a JSON object")
        return value

    def array(self, name: str) -> NDArray[np.generic]:
        """A member that is one array."""
        return from_bytes(self.read(name))

    def shape_and_type(self, name: str) -> tuple[tuple[int, ...], str]:
        """What an array is, from its first bytes alone."""
        if name not in self.members:
            raise ModelFileError(f"its member {name!r} is missing")
        with self._zip.open(name) as member:
            header = read_header(member, self.members[name])
        return header.shape, str(header.dtype)


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Archive]:
    """An archive for reading; whatever goes wrong inside is a `ModelFileError` with its name.

    Parameters
    ----------
    path : path

    Yields
    ------
    Archive

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
    """
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"There is no model file {place}.")
    with place.open("rb") as file:
        try:
            yield Archive(file)
        # What is hostile or damaged fails anywhere, with whatever error is at hand; a stack or a
        # memory that runs out is such an error too.
        except Exception as error:
            reason = str(error).strip(" .") or type(error).__name__
            raise ModelFileError(f"{place} cannot be loaded as a model: {reason[:500]}.") from None


def _verified(file: BinaryIO, size: int) -> str:
    """The checksum, if it is that of the file; in pieces, so that a large file takes no memory."""
    length = len(PREFIX) + DIGITS
    file.seek(max(0, size - length))
    comment = file.read(length)
    if not comment.startswith(PREFIX):
        raise ModelFileError("it is no model file of crosslabel, or its end is missing")
    file.seek(0)
    digest, left = hashlib.sha256(), size - DIGITS
    while left > 0:
        piece = file.read(min(CHUNK, left))
        if not piece:
            raise ModelFileError("it became shorter while it was read")
        digest.update(piece)
        left -= len(piece)
    if digest.hexdigest().encode() != comment[len(PREFIX) :]:
        raise ModelFileError("its checksum does not hold: the file is damaged or was changed")
    return digest.hexdigest()


def _checked_members(infos: list[zipfile.ZipInfo], size: int) -> dict[str, int]:
    """Size of each member, if all are plain files that lie in the archive as they are."""
    if len(infos) > MAX_MEMBERS:
        raise ModelFileError(f"it has {len(infos)} members, more than {MAX_MEMBERS}")
    sizes: dict[str, int] = {}
    for info in infos:
        name = info.orig_filename
        if name != info.filename or not NAMES.fullmatch(name):
            raise ModelFileError(f"a model file has no member {name[:100]!r}")
        if name in sizes:
            raise ModelFileError(f"its member {name} is there twice")
        if info.flag_bits & 0x1:
            raise ModelFileError(f"its member {name} is encrypted")
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
            raise ModelFileError(f"its member {name} is compressed")
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise ModelFileError(f"its member {name} is a link or no plain file")
        sizes[name] = info.file_size
    # Members that lie over one another would unpack to more than there is.
    if sum(sizes.values()) > size:
        raise ModelFileError("its members are together longer than the file")
    return sizes


def _refuse_constant(name: str) -> object:
    raise ModelFileError(f"it holds the number {name}, which JSON does not know")
