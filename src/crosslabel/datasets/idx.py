"""MNIST and Fashion-MNIST: their idx files, plain or gzipped; and scikit-learn's digits."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from crosslabel.datasets.root import MissingData, Root, find

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
PARTS = ("train", "t10k")
FASHION = (
    *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
    *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
)


def load_mnist(root: Root = None) -> Bunch:
    """MNIST (LeCun et al., 1998): 60,000 training and 10,000 test images of 28×28.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `mnist/train-images-idx3-ubyte` … (or `.gz`) lie in it.

    Returns
    -------
    Bunch
        `images`, `target`, `target_names`, `train` and `test` (indices) and `DESCR`.
    """
    return _load("mnist", find("mnist", root, "mnist", "MNIST/raw"), np.arange(10).astype(str))


def load_fashion_mnist(root: Root = None) -> Bunch:
    """Fashion-MNIST (Xiao, Rasul and Vollgraf, 2017), in the same form as MNIST.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `fashion_mnist/train-images-idx3-ubyte` … (or `.gz`) lie in it.

    Returns
    -------
    Bunch
        As of `load_mnist`.
    """
    folder = find("fashion_mnist", root, "fashion_mnist", "FashionMNIST/raw")
    return _load("fashion_mnist", folder, np.array(FASHION))


def load_digits(root: Root = None) -> Bunch:
    """The 1797 digits of 8×8 that come with scikit-learn.

    Parameters
    ----------
    root : ignored

    Returns
    -------
    Bunch
        `images` (float, in [0, 1]), `target`, `target_names` and `DESCR`.
    """
    from sklearn.datasets import load_digits as load

    digits = load()
    return Bunch(
        images=(digits.images / 16).astype(np.float32),
        target=digits.target,
        target_names=digits.target_names.astype(str),
        DESCR=digits.DESCR,
    )


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
            content = file.read()
    except (OSError, EOFError) as error:
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


def _load(name: str, folder: Path, names: NDArray) -> Bunch:
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
