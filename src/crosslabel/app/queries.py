"""Files that a model is asked about, read one by one as the model needs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from crosslabel.datasets.folder import walk
from crosslabel.datasets.mat import read_arrays
from crosslabel.media.clips import CLIP_SUFFIXES, read_clip
from crosslabel.media.images import image_suffixes, read_image
from crosslabel.media.unreadable import UnreadableFile


class Query(NamedTuple):
    """One thing to label: its name, its content, or why there is none."""

    name: str
    item: Any
    problem: str | None = None


def read_queries(kind: str, files: list[Path], strict: bool) -> Iterator[Query]:
    """The content of each file, in order; folders stand for the files below them.

    Parameters
    ----------
    kind : {"images", "clips", "features"}
    files : list of Path
    strict : bool
        Raise for the first file that cannot be used instead of passing on its problem.

    Yields
    ------
    Query
    """
    if kind == "features":
        for file in files:
            yield from _rows(file)
        return
    reader = read_image if kind == "images" else read_clip
    for file in _expanded(kind, files):
        try:
            yield Query(str(file), reader(file))
        except UnreadableFile as error:
            if strict:
                raise
            yield Query(str(file), None, error.reason)


def _expanded(kind: str, files: list[Path]) -> Iterator[Path]:
    suffixes = image_suffixes() if kind == "images" else CLIP_SUFFIXES
    for file in files:
        if file.is_dir():
            yield from (f for f in walk(file) if f.suffix.lower() in suffixes)
        else:
            yield file


def _rows(file: Path) -> Iterator[Query]:
    """Rows of the one matrix of features in a file, or of the one with a known name."""
    arrays = read_arrays(file)
    known = {"featureMat": True, "fea": False, "X": False, "data": False}
    named = [name for name in known if name in arrays]
    if not named:
        raise ValueError(
            f"{file} holds none of {', '.join(known)}; it holds {', '.join(arrays) or 'nothing'}."
        )
    matrix = arrays[named[0]].T if known[named[0]] else arrays[named[0]]
    for number, row in enumerate(matrix):
        yield Query(f"{file}[{number}]", row)
