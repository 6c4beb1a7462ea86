"""Samples that are read block by block: memmaps, Zarr, HDF5, .npy shards, sparse rows."""

from __future__ import annotations

import hashlib
import mmap
import os
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, sparray, spmatrix

from crosslabel.core.scaling import Array
from crosslabel.intake.checking import ON_DISK, SPARSE, check_finite, package_of
from crosslabel.intake.labels import ClassLabels

N_PROBES = 64
"""Rows that stand for all in the fingerprint of a data set."""


class ArrayOnDisk(Protocol):
    """An array that is read by slices of rows: a memmap, a Zarr array, an HDF5 data set."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and features, where all is well."""
        ...

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        ...

    def __getitem__(self, rows: slice, /) -> NDArray[np.generic]: ...


@dataclass(frozen=True)
class SparseRows:
    """Sparse rows that become dense as they are read.

    Attributes
    ----------
    rows : sparse array or matrix
        In a format that is cut by rows.
    """

    rows: csr_array

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and features."""
        return self.rows.shape

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self.rows.dtype

    def __getitem__(self, rows: slice, /) -> NDArray[np.generic]:
        return self.rows[rows].toarray()


OnDisk: TypeAlias = ArrayOnDisk | str | os.PathLike[str] | sparray | spmatrix
"""Samples that are read in blocks: an array on disk, the path of .npy files, sparse rows."""


@dataclass(frozen=True)
class Source:
    """Shards of samples, one after the other, as if they were one array.

    Attributes
    ----------
    shards : tuple of arrays
        Two-dimensional, of one width and type; read by slices of rows.
    names : tuple of str
        What errors call them.
    """

    shards: tuple[ArrayOnDisk, ...]
    names: tuple[str, ...]

    @cached_property
    def starts(self) -> list[int]:
        """First row of each shard, and one past the last row at the end."""
        return [0, *np.cumsum([shard.shape[0] for shard in self.shards]).tolist()]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.starts[-1], int(self.shards[0].shape[1])

    @property
    def dtype(self) -> np.dtype:
        """float32 for float32; float64 for all else, as `fit` has it."""
        found = np.dtype(self.shards[0].dtype)
        return found if found == np.float32 else np.dtype(np.float64)

    @property
    def chunk(self) -> int:
        """Rows that are stored together: blocks of whole chunks are read once."""
        chunks = getattr(self.shards[0], "chunks", None)
        return int(chunks[0]) if chunks else 1

    def read(self, start: int, stop: int) -> Array:
        """A copy of the rows start … stop − 1, finite and in C order."""
        block = np.empty((stop - start, self.shape[1]), self.dtype)
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, stop - 1) - 1
        for k in range(first, last + 1):
            a, b = max(start, self.starts[k]), min(stop, self.starts[k + 1])
            block[a - start : b - start] = self.shards[k][a - self.starts[k] : b - self.starts[k]]
            _forget_pages(self.shards[k])
        check_finite(block, lambda row: self.place(start + row))
        return block

    def place(self, row: int) -> str:
        """Where a row lies, in words."""
        k = bisect_right(self.starts, row) - 1
        within = row - self.starts[k]
        several = len(self.shards) > 1
        return f"row {within} of {self.names[k]}" + (f" (row {row} of all)" if several else "")

    def probe(self, n_rows: int) -> Array:
        """Some rows, spread evenly over all."""
        last = self.shape[0] - 1
        places = np.unique(np.linspace(0, last, min(n_rows, last + 1)).astype(int))
        return np.concatenate([self.read(k, k + 1) for k in places.tolist()])

    def fingerprint(self, y: ClassLabels) -> str:
        """What tells this data set from others: sizes, types, names, all labels and some rows."""
        rows = self.probe(N_PROBES)
        text = repr((self.shape, str(self.shards[0].dtype), self.starts, str(y.dtype)))
        digest = hashlib.sha256(text.encode())
        numbers = y.dtype.kind in "iufb"
        digest.update(np.ascontiguousarray(y).data if numbers else repr(y.tolist()).encode())
        digest.update(rows.data)
        return digest.hexdigest()


def open_source(X: OnDisk) -> Source:
    """Open samples on disk.

    Parameters
    ----------
    X : memmap, Zarr array, HDF5 data set, sparse array or path
        A path is that of an .npy file or of a folder of .npy shards, taken in the order of names.
    """
    if isinstance(X, SPARSE):
        return _checked(Source((SparseRows(csr_array(X)),), ("the sparse array",)))
    if not isinstance(X, str | os.PathLike):
        return _checked(Source((X,), ("the array",)))
    files = _npy_files(Path(X))
    return _checked(Source(tuple(_mapped(file) for file in files), tuple(f.name for f in files)))


def read_labels(y: Any) -> ClassLabels:
    """All labels: an array, or on disk in any form that samples may have."""
    if isinstance(y, str | os.PathLike):
        return np.concatenate([_mapped(file) for file in _npy_files(Path(y))])
    if package_of(y) == "h5py" and y.dtype.kind == "O":
        return y.asstr()[:]
    return np.asarray(y[:] if package_of(y) in ON_DISK else y)


def read_weights(sample_weight: object) -> Array | None:
    """Weights as an array, wherever they lie."""
    return None if sample_weight is None else np.asarray(read_labels(sample_weight), float)


def _npy_files(place: Path) -> list[Path]:
    files = sorted(place.glob("*.npy")) if place.is_dir() else [place]
    if not files:
        raise ValueError(f"The folder {place} holds no .npy file.")
    if not files[0].is_file():
        raise FileNotFoundError(f"There is no file or folder {place}.")
    return files


def _mapped(file: Path) -> NDArray[np.generic]:
    try:
        # Not a map of an empty file: there is nothing to map.
        return np.load(file, mmap_mode="r" if file.stat().st_size > 128 else None)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{file} cannot be read as an .npy file: {error}.") from None


def _checked(source: Source) -> Source:
    """Refuse shards that do not fit together."""
    for shard, name in zip(source.shards, source.names):
        if len(shard.shape) != 2:
            raise ValueError(f"{name} has shape {tuple(shard.shape)}; expected rows of features.")
        if np.dtype(shard.dtype).kind not in "fiub":
            raise ValueError(f"{name} holds {shard.dtype}; expected numbers.")
        first = source.shards[0]
        if shard.shape[1] != first.shape[1]:
            raise ValueError(
                f"Shard {name} has {shard.shape[1]} features, but {source.names[0]} has "
                f"{first.shape[1]}. All shards need the same width."
            )
        if shard.dtype != first.dtype:
            raise ValueError(
                f"Shard {name} holds {shard.dtype}, but {source.names[0]} holds {first.dtype}. "
                "All shards need one type."
            )
    return source


def _forget_pages(array: ArrayOnDisk) -> None:
    """Give back the memory of a map's pages; they stay in the system's cache of the file."""
    pages = getattr(array, "_mmap", None)
    if pages is not None and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)
