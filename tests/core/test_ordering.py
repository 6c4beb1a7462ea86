import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from crosslabel.core.ordering import canonical, row_hashes


@st.composite
def labelled(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_samples, n_features = draw(st.integers(2, 20)), draw(st.integers(1, 6))
    labels = rng.integers(0, 3, n_samples)
    # Few values: equal rows are common.
    return rng.integers(-1, 2, (n_samples, n_features)).astype(float), labels, rng


@given(labelled())
def test_any_order_and_naming_gives_the_same_samples(data):
    X, labels, rng = data
    shuffle, names = rng.permutation(len(X)), rng.permutation(3)
    a = canonical(X, labels, 3)
    b = canonical(X[shuffle], names[labels[shuffle]], 3)
    # Classes of equal content cannot be told apart, and need not be.
    counts = sorted(np.bincount(a.labels, a.weights, 3))
    assert counts == sorted(np.bincount(b.labels, b.weights, 3))
    contents = [
        {(*row, w) for row, w in zip(X[a.rows[a.labels == c]], a.weights[a.labels == c])}
        for c in range(3)
    ]
    if len({frozenset(c) for c in contents}) == 3:
        assert_array_equal(X[a.rows], X[shuffle][b.rows])
        assert_array_equal(a.labels, b.labels)
        assert_array_equal(a.weights, b.weights)
        assert_array_equal(names[a.classes], b.classes)


@given(labelled())
def test_equal_samples_are_joined_and_their_weights_added(data):
    X, labels, rng = data
    weights = rng.integers(0, 3, len(X)).astype(float)
    order = canonical(X, labels, 3, weights)
    rows = {}
    for row, label, weight in zip(X, labels, weights):
        key = (*row, label)
        rows[key] = rows.get(key, 0) + weight
    rows = {key: weight for key, weight in rows.items() if weight}
    found = {
        (*X[i], order.classes[c]): w for i, c, w in zip(order.rows, order.labels, order.weights)
    }
    assert found == rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hashes_tell_rows_apart_and_equate_both_zeros(dtype):
    X = np.random.default_rng(0).normal(size=(5000, 3)).astype(dtype)
    assert len(set(row_hashes(X).tolist())) == 5000
    zeros = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]], dtype)
    first, second, third = row_hashes(zeros)
    assert first == second != third
