import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import ordering as host
from crosslabel.core.gpu import ordering
from crosslabel.core.ordering import KeptSample


@pytest.mark.parametrize(("dtype", "width"), [(np.float64, 5), (np.float32, 6), (np.float32, 5)])
def test_hashes_are_those_of_the_host(dtype, width):
    X = np.random.default_rng(0).normal(size=(40, width)).astype(dtype)
    X[0], X[1] = 0.0, -0.0
    found = ordering.row_hashes(torch.as_tensor(X)).numpy().view(np.uint64)
    assert_array_equal(found, host.row_hashes(X))
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", [0, 7])
def test_distinct_samples_come_in_the_order_in_which_a_summary_keeps_them(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
    X[30:40], labels[30:40] = X[:10], labels[:10]  # ten samples twice
    X[40:45] = X[:5]  # and five that another class may have too
    weights = rng.integers(1, 5, 60) / 4
    hashes = host.row_hashes(X)
    empty = KeptSample.empty(3, X.dtype, 100, seed).renumbered(np.zeros(0, np.intp), 4)
    kept = empty.add(X, labels, weights, hashes)
    found = ordering.distinct(*map(torch.as_tensor, (X, labels, weights)), 4, seed)
    assert_array_equal(X[found.rows.numpy()], kept.X)
    assert_array_equal(labels[found.rows.numpy()], kept.labels)
    assert_allclose(found.weights.numpy(), kept.weights)
    assert_array_equal(found.counts, np.bincount(kept.labels))
    keys = host.key_sums(host.sample_keys(hashes, weights), labels, 4)
    assert_array_equal(found.keys, keys)


def test_weights_of_any_size_count_in_the_keys_as_on_the_host():
    """In whole units, at least one of them and at most 2⁶²."""
    X, labels = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20)
    few = [1e-9, 1.2 / host.UNIT, 1.7 / host.UNIT, 1.0]
    weights = np.array([*few, *2.0 ** np.arange(40, 56)])
    found = ordering.distinct(*map(torch.as_tensor, (X, labels, weights)), 20, 0)
    keys = host.key_sums(host.sample_keys(host.row_hashes(X), weights), labels, 20)
    assert_array_equal(found.keys, keys)


def test_equal_rows_of_two_classes_are_two_samples():
    X, labels = torch.ones(2, 3), torch.tensor([0, 1])
    found = ordering.distinct(X, labels, torch.ones(2, dtype=torch.float64), 2, 0)
    assert sorted(found.rows.tolist()) == [0, 1]
    assert found.counts == [1, 1]


def test_signed_words_have_the_bits_of_unsigned_ones():
    for word in (0, 5, 2**63 - 1, 2**63, 2**64 - 1):
        assert ordering._signed(word) == np.array([word], np.uint64).view(np.int64)[0]
