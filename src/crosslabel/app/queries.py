"""Files that a model is asked about, looked at one by one as the model needs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.datasets.folder import named_suffixes, walk
from crosslabel.datasets.mat import read_arrays
from crosslabel.media.clips import CLIP_SUFFIXES, read_clip
from crosslabel.media.gray import intensities
from crosslabel.media.images import image_suffixes, read_image
from crosslabel.media.unreadable import UnreadableFile

FLAT = 2 / 255
"""Range of intensities below which a picture shows nothing: rounding by a camera or a coder."""
SMALL = 32
"""Pixels of the shorter side below which a picture shows little, where training had larger ones."""


class Query(NamedTuple):
    """One thing to label.

    Attributes
    ----------
    name : str
    item : path or ndarray
        What the model is given: the path of an image or clip, or a row of features.
    problem : str or None
        Why it cannot be used.
    warning : str or None
        Why an answer would mean little.
    """

    name: str
    item: Any
    problem: str | None = None
    warning: str | None = None


def read_queries(
    kind: str, files: list[Path], strict: bool, shortest: int = SMALL
) -> Iterator[Query]:
    """Each file, in order; folders stand for the files below them.

    Parameters
    ----------
    kind : {"images", "clips", "features"}
    files : list of Path
    strict : bool
        Raise for the first file that cannot be used instead of passing on its problem.
    shortest : int, default=SMALL
        The shorter side of the smallest training picture, in pixels.

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
            pixels = reader(file)
        except UnreadableFile as error:
            if strict:
                raise
            yield Query(str(file), None, problem=error.reason)
        else:
            yield Query(str(file), str(file), warning=emptiness(pixels, shortest))


def emptiness(pixels: NDArray[np.generic], shortest: int = SMALL) -> str | None:
    """Why a label of this picture or clip would mean little; None where it shows something.

    Parameters
    ----------
    pixels : ndarray of shape (..., height, width)
    shortest : int, default=SMALL
        The shorter side of the smallest training picture.
    """
    levels, (height, width) = intensities(pixels), pixels.shape[-2:]
    if np.ptp(levels) < FLAT:
        shade = {0.0: "black", 1.0: "white"}.get(round(float(levels.mean()), 2), "of one colour")
        return f"it is {shade} all over, so its label means nothing"
    if min(height, width) < min(SMALL, shortest):
        return f"it has {width}×{height} pixels only, so its label means little"
    return None


def _expanded(kind: str, files: list[Path]) -> Iterator[Path]:
    suffixes = image_suffixes() if kind == "images" else CLIP_SUFFIXES
    for place in files:
        if not place.is_dir():
            yield place
            continue
        found = False
        for file in walk(place):
            if file.suffix.lower() in suffixes:
                found = True
                yield file
        if not found:
            raise ValueError(
                f"There are no {kind} in {place}: no file there ends in {named_suffixes(suffixes)}."
            )


def _rows(file: Path) -> Iterator[Query]:
    """Rows of the one matrix of features in a file, or of the one with a known name."""
    if file.is_dir():
        raise IsADirectoryError(
            f"{file} is a folder, but the model takes features. Give .npz or .mat files."
        )
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
