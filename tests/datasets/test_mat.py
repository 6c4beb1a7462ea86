import os
import struct
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from crosslabel.datasets import load_features
from crosslabel.datasets.mat import _dense

X = np.random.default_rng(0).standard_normal((12, 5))
Y = np.repeat([3, 1, 2], 4)
ONE_HOT = (np.array([[1], [2], [3]]) == Y).astype(float)


def save_v73(path, **arrays):
    h5py = pytest.importorskip("h5py")
    # MATLAB writes 512 bytes of its own before the HDF5 part, and arrays transposed.
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in arrays.items():
            file[name] = np.asarray(value).T
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file")


@pytest.mark.parametrize(
    "save", [lambda p, **a: scipy.io.savemat(p, a), save_v73], ids=["v5", "v73"]
)
@pytest.mark.parametrize(
    "arrays",
    [
        {"featureMat": X.T, "labelMat": ONE_HOT},
        {"fea": X, "gnd": Y[:, None]},
        {"X": X, "y": Y[None]},
    ],
    ids=["lcksvd", "fea", "xy"],
)
def test_each_convention_in_both_formats(tmp_path, save, arrays):
    save(tmp_path / "a.mat", **arrays)
    data = load_features(tmp_path / "a.mat")
    np.testing.assert_allclose(data.data, X)
    np.testing.assert_array_equal(data.target, Y - 1)
    assert data.train is None


def test_sparse_labels_and_the_split_of_lcksvd(tmp_path):
    arrays = {"featureMat": X.T, "labelMat": scipy.sparse.csc_matrix(ONE_HOT)}
    scipy.io.savemat(tmp_path / "sparse.mat", arrays)
    np.testing.assert_array_equal(load_features(tmp_path / "sparse.mat").target, Y - 1)
    parts = {"training_feats": X[:8].T, "H_train": ONE_HOT[:, :8]}
    parts |= {"testing_feats": X[8:].T, "H_test": ONE_HOT[:, 8:]}
    scipy.io.savemat(tmp_path / "split.mat", parts)
    data = load_features(tmp_path / "split.mat")
    np.testing.assert_allclose(data.data, X)
    assert data.train.tolist() == list(range(8))
    assert data.test.tolist() == [8, 9, 10, 11]


def test_npz_with_names_for_labels(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["b", "a", "c"])[Y - 1])
    data = load_features(tmp_path / "a.npz")
    assert data.target_names[data.target[0]] == "c"


def test_missing_keys_are_listed(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"features": X})
    with pytest.raises(ValueError, match=r"featureMat and labelMat.*it holds features \(12, 5\)"):
        load_features(tmp_path / "a.mat")


def test_labels_that_do_not_match(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=Y[:5])
    with pytest.raises(ValueError, match="each of the 12 samples"):
        load_features(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", X=X[0], y=Y)
    with pytest.raises(ValueError, match="must be a matrix"):
        load_features(tmp_path / "b.npz")


@pytest.mark.parametrize("name", ["a.mat", "a.npz"])
@pytest.mark.parametrize("content", [b"", b"text" * 300, b"\0" * 512 + b"\x89HDF\r\n\x1a\n"])
def test_files_that_are_something_else(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"is no readable|holds none"):
        load_features(tmp_path / name)


def test_pickles_are_not_loaded(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([{"a": 1}], dtype=object), y=Y)
    with pytest.raises(ValueError, match="no readable"):
        load_features(tmp_path / "a.npz")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        load_features(tmp_path / "absent.mat")


def test_labels_that_are_no_numbers_are_no_class(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=np.where(Y == 3, np.nan, Y))
    with pytest.raises(ValueError, match="holds labels that are NaN"):
        load_features(tmp_path / "a.npz")


def test_empty_files_are_told_in_words(tmp_path):
    for name, arrays in {"none": {}, "empty": {"X": X[:0], "y": Y[:0]}}.items():
        np.savez(tmp_path / f"{name}.npz", **arrays)
        with pytest.raises(ValueError, match=r"holds none of the expected|is empty"):
            load_features(tmp_path / f"{name}.npz")
    (tmp_path / "zero.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"no readable .npz file"):
        load_features(tmp_path / "zero.npz")


def test_bombs_are_counted_before_they_unpack(tmp_path):
    packed = zlib.compress(bytes(7 * 10**8), 1)
    head = bytes(124) + b"\x00\x01IM" + struct.pack("<II", 15, len(packed))
    (tmp_path / "a.mat").write_bytes(head + packed)
    with pytest.raises(ValueError, match=r"unpacked, takes 5.* M bytes, more than the limit"):
        load_features(tmp_path / "a.mat")


def test_a_small_sparse_matrix_of_a_vast_shape(tmp_path):
    wide = scipy.sparse.csc_array((30_000, 30_000))
    scipy.io.savemat(tmp_path / "a.mat", {"fea": wide, "gnd": Y})
    assert os.path.getsize(tmp_path / "a.mat") < 10**6
    with pytest.raises(ValueError, match=r"fea takes 7.2 G bytes"):
        load_features(tmp_path / "a.mat")


def test_indices_of_a_sparse_matrix_lead_nowhere_else():
    wrong = scipy.sparse.csc_array(np.eye(4))
    wrong.indices[0] = 10**6
    with pytest.raises(ValueError, match=r"indices|index"):
        _dense(wrong)


def test_links_of_hdf5_are_not_followed(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["a"], file["b"] = h5py.SoftLink("/b"), h5py.SoftLink("/a")
        file["X"] = h5py.ExternalLink("/etc/hostname", "/X")
        file.create_dataset("y", (10**12,), "f8")
    with pytest.raises(ValueError, match="y takes 8 T bytes"):
        load_features(tmp_path / "a.mat")
