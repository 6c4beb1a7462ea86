"""Shards as if they were one array."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csr_array

from crosslabel.intake.sources import (
    Source,
    open_source,
    read_labels,
    read_weights,
)


@pytest.fixture
def shards():
    rows = np.arange(24.0).reshape(8, 3)
    return rows, Source((rows[:3], rows[3:3], rows[3:]), ("a", "b", "c"))


def test_rows_are_read_over_the_edges_of_shards(shards):
    rows, source = shards
    assert source.shape == (8, 3)
    for start in range(8):
        for stop in range(start + 1, 9):
            assert_array_equal(source.read(start, stop), rows[start:stop])


def test_a_row_is_named_by_shard_and_place(shards):
    _, source = shards
    assert source.place(1) == "row 1 of a (row 1 of all)"
    assert source.place(5) == "row 2 of c (row 5 of all)"
    assert Source((np.eye(2),), ("x",)).place(1) == "row 1 of x"


def test_a_probe_is_spread_evenly(shards):
    rows, source = shards
    assert_array_equal(source.probe(3), rows[[0, 3, 7]])
    assert_array_equal(source.probe(100), rows)


def test_fingerprints_tell_labels_and_values_apart(shards):
    rows, source = shards
    y = np.arange(8)
    prints = {
        source.fingerprint(y),
        source.fingerprint(y[::-1]),
        source.fingerprint(y.astype(str)),
        Source((rows + 1,), ("a",)).fingerprint(y),
    }
    assert len(prints) == 4
    assert source.fingerprint(y) == source.fingerprint(y.copy())


def test_precision_is_that_of_a_fit():
    assert Source((np.zeros((2, 2), np.float32),), ("x",)).dtype == np.float32
    assert Source((np.zeros((2, 2), np.uint8),), ("x",)).dtype == np.float64


def test_labels_and_weights_come_from_files_too(tmp_path):
    (tmp_path / "y").mkdir()
    np.save(tmp_path / "y" / "a.npy", np.array([3, 1]))
    np.save(tmp_path / "y" / "b.npy", np.array([2]))
    assert read_labels(tmp_path / "y").tolist() == [3, 1, 2]
    assert read_weights(str(tmp_path / "y")).dtype == float
    assert read_weights(None) is None


def test_shards_that_do_not_fit_together_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    np.save(tmp_path / "b.npy", np.zeros((2, 4)))
    with pytest.raises(ValueError, match=r"b\.npy has 4 features, but a\.npy has 3"):
        open_source(tmp_path)


def test_sparse_rows_become_dense_as_they_are_read():
    X = np.random.default_rng(0).normal(size=(9, 4)) * (np.arange(36).reshape(9, 4) % 3 == 0)
    for form in (csr_array(X), coo_array(X), csr_array(X.astype(np.float32))):
        source = open_source(form)
        assert source.shape == (9, 4)
        assert source.dtype == form.dtype
        assert_array_equal(source.read(2, 7), form.toarray()[2:7])
        assert source.place(3) == "row 3 of the sparse array"
