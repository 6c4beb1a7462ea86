"""Feature files that this field passes around: MATLAB `.mat` (v5 and v7.3) and NumPy `.npz`.

The LC-KSVD files hold `featureMat` (features × samples) and one-hot `labelMat` (classes × samples),
or a ready split (`training_feats`, `testing_feats`, `H_train`, `H_test`). Others hold `fea` and
`gnd`, or `X` and `y`, with samples as rows. A new convention is one entry in `CONVENTIONS`.
"""

from __future__ import annotations

import math
import os
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from crosslabel.files.budget import budget
from crosslabel.files.npy import KINDS, read_npz

COMPRESSED = 15  # the type of a compressed part of a .mat file
PIECE = 2**16  # bytes that are unpacked at a time
HDF5_SIGNATURE = b"\x89HDF"  # of MATLAB v7.3 files; MATLAB puts it 512 bytes into the file


class Convention(NamedTuple):
    """Names of the arrays in a file; `columns` says that samples are columns."""

    features: str
    labels: str
    columns: bool


CONVENTIONS = (
    Convention("featureMat", "labelMat", columns=True),
    Convention("fea", "gnd", columns=False),
    Convention("X", "y", columns=False),
    Convention("data", "target", columns=False),
)
SPLIT = (("training_feats", "H_train"), ("testing_feats", "H_test"))


def load_features(path: str | os.PathLike[str]) -> Bunch:
    """Samples and labels of a `.mat` or `.npz` file.

    Parameters
    ----------
    path : path

    Returns
    -------
    Bunch
        `data` (n_samples, n_features), `target` (n_samples,), `target_names`, `train` and `test`
        (indices where the file holds a split, else None), `kind` ("features") and `DESCR`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from crosslabel.datasets import load_features
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "features.npz"
    ...     np.savez(place, X=np.ones((4, 3)), y=np.array([0, 0, 1, 1]))
    ...     data = load_features(place)
    >>> data.data.shape
    (4, 3)
    """
    arrays = read_arrays(path)
    if all(name in arrays for pair in SPLIT for name in pair):
        parts = [_samples(arrays, Convention(*pair, columns=True), path) for pair in SPLIT]
        data, target = (np.concatenate(part) for part in zip(*parts))
        n_train = len(parts[0][1])
        return _bunch(path, data, target, np.arange(n_train), np.arange(n_train, len(target)))
    for convention in CONVENTIONS:
        if convention.features in arrays and convention.labels in arrays:
            data, target = _samples(arrays, convention, path)
            return _bunch(path, data, target, None, None)
    expected = ", or ".join(f"{c.features} and {c.labels}" for c in CONVENTIONS)
    found = ", ".join(f"{name} {value.shape}" for name, value in arrays.items()) or "nothing"
    raise ValueError(
        f"{path} holds none of the expected pairs of arrays ({expected}); it holds {found}."
    )


def _bunch(
    path: str | os.PathLike[str],
    data: NDArray,
    target: NDArray,
    train: NDArray[np.intp] | None,
    test: NDArray[np.intp] | None,
) -> Bunch:
    names, labels = np.unique(target, return_inverse=True)
    return Bunch(
        data=data,
        target=labels,
        target_names=names.astype(str),
        train=train,
        test=test,
        kind="features",
        skipped=[],
        DESCR=f"{len(data)} samples of {data.shape[1]} features in {len(names)} classes, {path}",
    )


def _samples(
    arrays: dict[str, NDArray], convention: Convention, path: str | os.PathLike[str]
) -> tuple[NDArray, NDArray]:
    features = np.asarray(arrays[convention.features])
    labels = np.asarray(arrays[convention.labels])
    if features.ndim != 2 or not np.issubdtype(features.dtype, np.number):
        raise ValueError(
            f"{convention.features} in {path} must be a matrix of numbers, but it is "
            f"{features.dtype} of shape {features.shape}."
        )
    if features.size == 0:
        raise ValueError(f"{convention.features} in {path} is empty: shape {features.shape}.")
    data = features.T if convention.columns else features
    target = _class_of(labels, len(data), convention, path)
    return np.ascontiguousarray(data, dtype=np.result_type(data.dtype, np.float32)), target


def _class_of(
    labels: NDArray, n: int, convention: Convention, path: str | os.PathLike[str]
) -> NDArray:
    """A label for each sample from a vector or from one-hot columns (or rows)."""
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"{convention.labels} in {path} holds {labels.dtype}, not labels.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(
            f"{convention.labels} in {path} holds labels that are NaN or infinite. Name these "
            "samples, or leave them out."
        )
    if labels.size == n:
        return labels.ravel()
    if labels.ndim == 2 and n in labels.shape:
        one_hot = labels.T if labels.shape[1] == n else labels
        if ((one_hot != 0).sum(axis=1) == 1).all():
            return one_hot.argmax(axis=1)
    raise ValueError(
        f"{convention.labels} in {path} must be one label for each of the {n} samples of "
        f"{convention.features}, or one-hot, but its shape is {labels.shape}."
    )


def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray]:
    """All plain arrays of a `.mat` (v5 or v7.3) or `.npz` file, in MATLAB's orientation.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict of str to ndarray
    """
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"There is no file {place}.")
    if place.suffix.lower() == ".npz":
        return _read_npz(place)
    with open(place, "rb") as file:
        head = file.read(516)
    is_hdf5 = HDF5_SIGNATURE in (head[:4], head[512:516])
    return _read_hdf5(place) if is_hdf5 else _read_v5(place)


def _read_npz(path: Path) -> dict[str, NDArray]:
    try:
        return dict(read_npz(path))
    # A damaged file fails anywhere inside the reader, with whatever error is at hand.
    except Exception as error:
        raise ValueError(f"{path} is no readable .npz file ({_reason(error)}).") from None


def _read_v5(path: Path) -> dict[str, NDArray]:
    import scipy.io

    try:
        _check_unpacked(path)
        for name, shape, _ in scipy.io.whosmat(path):
            # A sparse matrix is short in the file, and becomes dense here.
            budget().check("bytes", 8.0 * math.prod(shape) - path.stat().st_size, name)
        with warnings.catch_warnings():
            # SciPy will return sparse arrays in place of matrices: here both are made dense.
            warnings.filterwarnings("ignore", message="The default value for `spmatrix`")
            content = scipy.io.loadmat(path)
        arrays = {name: value for name, value in content.items() if not name.startswith("__")}
        return {name: _dense(value) for name, value in arrays.items()}
    except Exception as error:
        raise ValueError(f"{path} is no readable .mat file ({_reason(error)}).") from None


def _dense(value: Any) -> NDArray:
    """MATLAB knows matrices only: sparse ones (labelMat often is) are made dense here."""
    if not hasattr(value, "toarray"):
        return np.asarray(value)
    value.check_format(full_check=True)  # compiled code follows the indices wherever they lead
    return value.toarray()


def _check_unpacked(path: Path) -> None:
    """Refuse a file whose compressed parts unpack to more than the budget allows."""
    size, unpacked = path.stat().st_size, 0
    with path.open("rb") as file:
        head = file.read(128)
        order = ">" if head[126:128] == b"MI" else "<"
        while len(tag := file.read(8)) == 8:
            kind, length = struct.unpack(f"{order}II", tag)
            end = file.tell() + length
            if kind == COMPRESSED:
                unpacker, left = zlib.decompressobj(), length
                while left > 0 and not unpacker.eof:
                    # In small pieces: none of them unpacks to more than a thousand times as much.
                    piece = file.read(min(PIECE, left))
                    if not piece:
                        return
                    left -= len(piece)
                    unpacked += len(unpacker.decompress(piece))
                    budget().check("bytes", unpacked - size, "the file, unpacked,")
            file.seek(end)


def _read_hdf5(path: Path) -> dict[str, NDArray]:
    try:
        import h5py
    except ImportError:
        raise ImportError(
            f"{path} is a MATLAB v7.3 file, which needs the package h5py. Install it: "
            "pip install 'crosslabel[mat73]'."
        ) from None
    arrays = {}
    try:
        with h5py.File(path) as file:
            for name in file:
                # Soft and external links can lead in circles, or to other files.
                if not isinstance(file.get(name, getlink=True), h5py.HardLink):
                    continue
                value = file[name]
                if not isinstance(value, h5py.Dataset) or value.dtype.kind not in KINDS:
                    continue
                if value.external or value.is_virtual:
                    raise ValueError(f"{name} lies in another file")
                budget().check("bytes", value.nbytes - path.stat().st_size, name)
                # HDF5 stores rows first and MATLAB columns first: it comes out transposed.
                arrays[name] = np.asarray(value).T
    except Exception as error:
        raise ValueError(f"{path} is no readable .mat file ({_reason(error)}).") from None
    return arrays


def _reason(error: Exception) -> str:
    return str(error).strip(" .") or type(error).__name__
