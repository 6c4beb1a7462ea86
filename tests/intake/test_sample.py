"""A bounded sample against a sort of all that was seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.ordering import mixed, row_hashes
from crosslabel.intake.sample import NO_LIMIT, KeptSample


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
