"""Idx files, plain or gzipped: the form of MNIST and of the data sets that follow it."""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import Download
from crosslabel.datasets.root import MissingData
from crosslabel.files.budget import OverBudget, budget

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
PARTS = ("train", "t10k")


def read_idx(path: Path) -> NDArray:
    """The array of an idx file, plain or gzipped.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray
    """
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as file:
            content = file.read(int(budget().bytes) + 1)
        budget().check("bytes", len(content), "it, unpacked,")
    except (OSError, EOFError, zlib.error, OverBudget) as error:
        raise ValueError(f"{path} is damaged ({error}). Fetch it again.") from None
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in TYPES:
        raise ValueError(f"{path} is no idx file: it does not begin as one.")
    kind, ndim = np.dtype(TYPES[content[2]]), content[3]
    shape = np.frombuffer(content, ">u4", ndim, offset=4).astype(int).tolist()
    begin, size = 4 + 4 * ndim, math.prod(shape) * kind.itemsize
    if len(content) != begin + size:
        raise ValueError(
            f"{path} is truncated: {size} bytes of data announced, {len(content) - begin} found."
        )
    return np.frombuffer(content, kind, offset=begin).reshape(shape).astype(kind.newbyteorder("="))


def load_idx(name: str, folder: Path, names: NDArray[np.str_]) -> Bunch:
    """Images and labels of the training and the test part.

    Parameters
    ----------
    name : str
        Of the data set.
    folder : Path
    names : ndarray of str
        Of the classes.

    Returns
    -------
    Bunch
        `images`, `target`, `target_names`, `train` and `test` (indices) and `DESCR`.
    """
    images = [read_idx(_file(name, folder, f"{part}-images-idx3-ubyte")) for part in PARTS]
    labels = [read_idx(_file(name, folder, f"{part}-labels-idx1-ubyte")) for part in PARTS]
    n_train = len(labels[0])
    target = np.concatenate(labels).astype(np.intp)
    return Bunch(
        images=np.concatenate(images),
        target=target,
        target_names=names,
        train=np.arange(n_train),
        test=np.arange(n_train, len(target)),
        DESCR=f"{name}: {n_train} training and {len(target) - n_train} test images.",
    )


def _file(name: str, folder: Path, stem: str) -> Path:
    for candidate in (folder / stem, folder / f"{stem}.gz"):
        if candidate.is_file():
            return candidate
    raise MissingData(
        f"{folder / stem} (or .gz) is missing. `crosslabel data fetch {name}` gets it."
    )


def idx_sources(base: str, *checksums: str) -> tuple[Download, ...]:
    """The four files under an address, with their MD5 checksums: training images first."""
    stems = [f"{part}-{kind}-ubyte.gz" for part in PARTS for kind in ("images-idx3", "labels-idx1")]
    return tuple(Download(f"{base}/{s}", f"md5:{c}") for s, c in zip(stems, checksums, strict=True))
