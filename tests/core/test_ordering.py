import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import ordering
from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.ordering import (
    NO_LIMIT,
    KeptSample,
    canonical,
    mixed,
    row_hashes,
    sample_keys,
)


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


WORD = 2**64


def naive_mixed(value):
    """The finaliser of SplitMix64, in Python's integers."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) % WORD
    return value ^ (value >> 31)


def naive_hash(row):
    """Σ word · factor of a row's bits, in words of eight bytes where it can be cut into them."""
    data = (row + row.dtype.type(0)).tobytes()
    size = row.dtype.itemsize if len(data) % 8 else 8
    words = [int.from_bytes(data[i : i + size], sys.byteorder) for i in range(0, len(data), size)]
    mixed = sum((w ^ (w >> 29)) * (naive_mixed(k) | 1) for k, w in enumerate(words, 1))
    return naive_mixed(mixed % WORD)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 2, 3, 8, 9])
def test_hashes_equal_a_naive_sum_over_words(dtype, n_features):
    X = np.random.default_rng(n_features).normal(size=(40, n_features)).astype(dtype)
    X[3:6] = np.round(X[3:6])  # zeros of both signs
    assert row_hashes(X).tolist() == [naive_hash(row) for row in X]


def test_hashes_do_not_depend_on_how_many_rows_are_taken_at_a_time(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 3))
    expected = row_hashes(X)
    for chunk in (1, 3, 10, 149):
        monkeypatch.setattr(ordering, "_CHUNK", chunk)
        assert_array_equal(row_hashes(X), expected)
    assert row_hashes(X[:, :0]).tolist() == [0] * 50


def test_the_key_of_a_sample_is_its_hash_apart_times_its_weight():
    hashes = [0, 0x9E3779B97F4A7C15, 2**63 + 11, 5]
    weights = [1.0, 0.5, 3.25, 1e-9]
    units = [2**16, 2**15, 13 * 2**14, 1]
    expected = [naive_mixed(h ^ 0x9E3779B97F4A7C15) * unit % WORD for h, unit in zip(hashes, units)]
    found = sample_keys(np.array(hashes, np.uint64), np.array(weights))
    assert found.tolist() == expected
    huge = sample_keys(np.array([5], np.uint64), np.array([1e300]))
    assert huge.tolist() == [naive_mixed(5 ^ 0x9E3779B97F4A7C15) * 2**62 % WORD]


@given(labelled())
def test_the_order_is_by_class_key_then_by_hash(data):
    X, labels, rng = data
    weights = rng.integers(0, 3, len(X)).astype(float)
    found = canonical(X, labels, 3, weights)
    hashes = [naive_hash(row) for row in X]
    keys = [naive_mixed(h ^ 0x9E3779B97F4A7C15) * int(w * 2**16) for h, w in zip(hashes, weights)]
    sums = [sum(k for k, label in zip(keys, labels) if label == c) % WORD for c in range(3)]
    assert found.classes.tolist() == sorted(range(3), key=lambda c: sums[c])
    place = {c: rank for rank, c in enumerate(found.classes.tolist())}
    rows = {
        (place[c], h): (*row, w)
        for row, c, h, w in zip(X.tolist(), labels.tolist(), hashes, weights)
        if w
    }
    assert list(zip(found.labels.tolist(), found.hashes.tolist())) == sorted(rows)
    assert found.keys.tolist() == [
        sum(k for k, c, h in zip(keys, labels, hashes) if (place[c], h) == which) % WORD
        for which in sorted(rows)
    ]


def test_rows_of_one_hash_are_joined_only_if_they_are_equal(monkeypatch):
    monkeypatch.setattr(ordering, "row_hashes", lambda X: np.zeros(len(X), np.uint64))
    X = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 3.0], [4.0, 5.0]])
    found = canonical(X, np.zeros(4, int), 1)
    assert found.rows.tolist() == [0, 1, 3]
    assert found.weights.tolist() == [1.0, 2.0, 1.0]


def test_no_samples_have_an_order_too():
    found = canonical(np.empty((0, 3)), np.empty(0, int), 2)
    assert [len(part) for part in found] == [0, 0, 0, 0, 0, 2]


def empty(size, seed=0, n_classes=2):
    sample = KeptSample.empty(2, np.dtype(float), size, seed)
    return sample.renumbered(np.zeros(0, np.intp), n_classes)


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 2)).astype(float)
    return X, rng.integers(0, 2, n), rng.uniform(0.5, 2, n)


def by_hand(X, labels, weights, size, seed):
    """(label, rank) of the kept ones with their weights: the first by rank in each class."""
    ranks = mixed(row_hashes(X) ^ mixed(np.array([seed + 1], np.uint64)))
    found = {}
    for label, rank, weight in zip(labels.tolist(), ranks.tolist(), weights):
        found[label, rank] = found.get((label, rank), 0) + weight
    kept = []
    for c in range(2):
        kept += sorted(key for key in found if key[0] == c)[:size]
    return kept, [found[key] for key in kept]


@given(st.integers(1, 40), st.integers(1, 8), st.integers(0, 1000), st.integers(1, 5))
def test_the_first_by_rank_are_kept_however_they_come(n, size, seed, parts):
    X, labels, weights = drawn(n, seed)
    sample = empty(size, seed)
    for part in np.array_split(np.random.default_rng(seed).permutation(n), parts):
        sample = sample.add(X[part], labels[part], weights[part], row_hashes(X[part]))
    keys, masses = by_hand(X, labels, weights, size, seed)
    ranks = sample.ranks(sample.hashes)
    assert list(zip(sample.labels.tolist(), ranks.tolist())) == keys
    assert_allclose(sample.weights, masses)
    assert_array_equal(row_hashes(sample.X), sample.hashes)


def test_limits_tell_which_classes_are_complete():
    X = np.arange(20.0).reshape(10, 2)
    labels = np.repeat([0, 1], [7, 3])
    sample = empty(4).add(X, labels, np.ones(10), row_hashes(X))
    assert sample.is_complete.tolist() == [False, True]
    assert sample.limits[1] == NO_LIMIT
    left_out = sample.ranks(row_hashes(X[:7])).max()
    assert sample.limits[0] <= left_out
    assert not sample.admits(np.zeros(7, int), row_hashes(X[:7])).all()


def test_only_what_is_kept_is_lifted():
    X = np.arange(20.0).reshape(10, 2)
    seen = []

    def scale(rows):
        seen.append(len(rows))
        return 2 * rows

    sample = empty(4).add(X, np.zeros(10, int), np.ones(10), row_hashes(X), scale)
    assert sum(seen) <= 5
    assert_array_equal(row_hashes(sample.X / 2), sample.hashes)


def test_removal_takes_weight_and_then_the_sample():
    X, labels = np.eye(2), np.array([0, 1])
    sample = empty(4).add(X, labels, np.array([2.0, 1.0]), row_hashes(X))
    once = sample.remove(labels[:1], np.ones(1), row_hashes(X[:1]))
    assert once.weights[once.labels == 0].tolist() == [1]
    gone = once.remove(labels[:1], np.ones(1), row_hashes(X[:1]))
    assert gone.labels.tolist() == [1]
    with pytest.raises(ImpossibleRemovalError, match="no such sample of its class was added"):
        gone.remove(labels[:1], np.ones(1), row_hashes(X[:1]))
    with pytest.raises(ImpossibleRemovalError, match="that often"):
        sample.remove(labels[:1], np.full(1, 3.0), row_hashes(X[:1]))


def test_classes_can_be_renumbered_and_chosen():
    X, labels = np.eye(2), np.array([0, 1])
    sample = empty(4).add(X, labels, np.ones(2), row_hashes(X))
    wider = sample.renumbered(np.array([2, 0]), 3)
    assert sorted(wider.labels.tolist()) == [0, 2]
    assert wider.classes(np.array([True, True, False])).labels.tolist() == [0]


def test_the_lower_limit_holds_where_samples_were_taken_away():
    """What one summary has left out for good cannot be known of both."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    labels, hashes = np.zeros(40, int), row_hashes(X)
    first = empty(3, n_classes=1).add(X[:8], labels[:8], np.ones(8), hashes[:8])
    lost = np.flatnonzero(hashes == first.hashes[0])
    first = first.remove(labels[lost], np.ones(1), hashes[lost])
    beyond = 8 + np.flatnonzero(first.ranks(hashes[8:]) > first.limits[0])[:1]
    other = empty(3, n_classes=1).add(X[beyond], labels[beyond], np.ones(1), hashes[beyond])
    for both in (first.merge(other), other.merge(first)):
        assert_array_equal(both.hashes, first.hashes)
        assert both.limits[0] == first.limits[0]


def test_equal_rows_of_two_classes_are_two_samples():
    X, labels = np.ones((2, 2)), np.array([0, 1])
    sample = empty(4).add(X, labels, np.array([2.0, 3.0]), row_hashes(X))
    assert sample.labels.tolist() == [0, 1]
    assert sample.weights.tolist() == [2, 3]


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_weights_may_leave_as_they_came_up_to_rounding(scale):
    """0.1 + 0.2 is more than 0.3 by rounding."""
    X, label = np.ones((1, 2)), np.zeros(1, int)
    hashes = row_hashes(X)
    for there, gone in ((0.3, 0.1 + 0.2), (0.1 + 0.2, 0.3)):
        sample = empty(4).add(X, label, scale * np.array([there]), hashes)
        assert len(sample.remove(label, scale * np.array([gone]), hashes).labels) == 0
        left = sample.remove(label, scale * np.array([0.9 * gone]), hashes)
        assert_allclose(left.weights, [0.03 * scale])
        with pytest.raises(ImpossibleRemovalError, match="that often"):
            sample.remove(label, scale * np.array([gone * (1 + 1e-7)]), hashes)


def test_the_first_sample_that_was_left_out_stays_out():
    X = np.random.default_rng(0).normal(size=(8, 2))
    labels, hashes = np.zeros(8, int), row_hashes(X)
    few = empty(3, n_classes=1).add(X, labels, np.ones(8), hashes)
    first_out = np.flatnonzero(few.ranks(hashes) == few.limits[0])
    gone = np.flatnonzero(hashes == few.hashes[0])
    few = few.remove(labels[gone], np.ones(1), hashes[gone])
    alone = empty(3, n_classes=1).add(X[first_out], labels[:1], np.ones(1), hashes[first_out])
    assert len(few.hashes) == 2
    assert_array_equal(few.merge(alone).hashes, few.hashes)


def test_a_part_of_a_weight_that_is_more_than_rounding_stays():
    X, label = np.ones((1, 2)), np.zeros(1, int)
    sample = empty(4).add(X, label, np.ones(1), row_hashes(X))
    left = sample.remove(label, np.array([1 - 1e-7]), row_hashes(X))
    assert_allclose(left.weights, [1e-7], rtol=1e-6)
