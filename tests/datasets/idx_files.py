"""Idx files as MNIST has them, and what its loaders must do with them."""

import gzip
import struct

import numpy as np
import pytest

from crosslabel.datasets import MissingData


def idx(array):
    kind = {1: 0x08}[array.itemsize]
    head = struct.pack(f">HBB{array.ndim}I", 0, kind, array.ndim, *array.shape)
    return head + array.tobytes()


def check_idx_files(tmp_path, name, load, zipped):
    folder = tmp_path / name
    folder.mkdir()
    pack, suffix = (gzip.compress, ".gz") if zipped else (bytes, "")
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (5, 28, 28), dtype=np.uint8)
    labels = np.arange(5, dtype=np.uint8)
    for part in ("train", "t10k"):
        (folder / f"{part}-images-idx3-ubyte{suffix}").write_bytes(pack(idx(images)))
        (folder / f"{part}-labels-idx1-ubyte{suffix}").write_bytes(pack(idx(labels)))
    data = load(tmp_path)
    np.testing.assert_array_equal(data.images[data.test], images)
    assert data.target.tolist() == [*range(5), *range(5)]
    broken = folder / f"t10k-images-idx3-ubyte{suffix}"
    broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"truncated|damaged"):
        load(tmp_path)
    broken.unlink()
    with pytest.raises(MissingData, match=f"data fetch {name}"):
        load(tmp_path)
