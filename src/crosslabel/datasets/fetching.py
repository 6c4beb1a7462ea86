"""Get a data set from its public address: verified, whole or not at all, resumed when cut off."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path

import pooch

from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.data_set import Download
from crosslabel.datasets.root import MissingData, Root, data_root

BLOCK = 1 << 20
Advance = Callable[[int, int | None], None]


def fetch(name: str, root: Root = None, *, advance: Advance | None = None) -> Path:
    """Download a data set, or say where to ask for it.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    root : path, default=None
        Folder of data sets.
    advance : callable, default=None
        Told of progress: bytes so far and in all (None where unknown).

    Returns
    -------
    Path
        The data set's folder.

    Raises
    ------
    MissingData
        If the data set has no public address; the message says who has it and how to lay it out.

    Examples
    --------
    >>> from crosslabel.datasets import fetch
    >>> fetch("mnist")  # doctest: +SKIP
    """
    if name not in DATASETS:
        raise ValueError(f"There is no data set {name!r}. Known: {', '.join(sorted(DATASETS))}.")
    entry = DATASETS[name]
    folder = data_root(root) / entry.folder
    if entry.is_present(root):
        return folder
    if not entry.sources:
        raise MissingData(
            f"{name} has no public address that can be fetched. It comes from {entry.origin}. "
            f"Lay it out under {folder} as: {entry.layout}."
        )
    for source in entry.sources:
        fetch_file(source, folder, advance)
    return folder


def fetch_file(source: Download, folder: Path, advance: Advance | None = None) -> Path:
    """Download one file into a folder, check it, and unpack it where it is an archive.

    Parameters
    ----------
    source : Download
    folder : Path
    advance : callable, default=None

    Returns
    -------
    Path
    """
    name = source.url.rsplit("/", 1)[-1]
    folder.mkdir(parents=True, exist_ok=True)
    pooch.get_logger().setLevel("ERROR")
    try:
        place = Path(
            pooch.retrieve(
                source.url,
                source.checksum,
                fname=name,
                path=folder,
                downloader=_Resuming(folder / f"{name}.part", advance),
            )
        )
    except ValueError as error:
        (folder / f"{name}.part").unlink(missing_ok=True)
        raise ConnectionError(f"{source.url} is not what it should be: {error}") from None
    (folder / f"{name}.part").unlink(missing_ok=True)
    if source.archive:
        unpack(place, folder)
    return place


class _Resuming:
    """A downloader for pooch that keeps what has come so far and asks for the rest."""

    def __init__(self, part: Path, advance: Advance | None) -> None:
        self.part, self.advance = part, advance

    def __call__(self, url: str, output_file: str | os.PathLike[str], pooch: object) -> None:
        have = self.part.stat().st_size if self.part.exists() else 0
        request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                # 206 is the rest; anything else is the whole file from its beginning.
                have = have if answer.status == 206 else 0
                self._receive(answer, have)
        except urllib.error.HTTPError as error:
            # 416: there is nothing after what we have, which the checksum will judge.
            if error.code != 416:
                raise ConnectionError(f"{url} answered {error.code} {error.reason}.") from None
        except OSError as error:
            raise ConnectionError(
                f"{url} could not be reached or broke off ({error}). What came is kept; run the "
                "command again to go on."
            ) from None
        shutil.copyfile(self.part, output_file)

    def _receive(self, answer: HTTPResponse, have: int) -> None:
        length = answer.headers.get("Content-Length")
        total = None if length is None else have + int(length)
        with open(self.part, "r+b" if have else "wb") as file:
            file.seek(have)
            while block := answer.read(BLOCK):
                file.write(block)
                have += len(block)
                if self.advance is not None:
                    self.advance(have, total)
        if total is not None and have < total:
            raise OSError(f"{have} of {total} bytes came")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip or tar file, and tar files inside it, beside each other; whole or not at all.

    Parameters
    ----------
    archive : Path
    folder : Path
        Gets the top-level entries of the archive; nothing is written outside of it.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as name:
        work = Path(name)
        _unpack_into(archive, work)
        for inner in sorted(work.rglob("*.tar*")):
            _unpack_into(inner, inner.parent)
            inner.unlink()
        for item in sorted(work.iterdir()):
            if not (folder / item.name).exists():
                os.replace(item, folder / item.name)


def _unpack_into(archive: Path, folder: Path) -> None:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as content:
            content.extractall(folder)  # drops leading slashes and ".." itself
    else:
        with tarfile.open(archive) as content:
            content.extractall(folder, filter="data")
