import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslabel.datasets.splits import earlier_later, group_folds, half, per_class

labels = st.lists(st.integers(0, 4), min_size=1, max_size=60).map(
    lambda y: np.concatenate([y, np.repeat(np.arange(5), 4)])
)


@given(labels, st.integers(1, 3), st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_per_class_is_exact_disjoint_and_complete(y, n, seed):
    for train, test in per_class(y, n, repeats=3, seed=seed):
        assert (np.bincount(y[train], minlength=5) == n).all()
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(y)))


@given(labels, st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_half_splits_each_class(y, seed):
    for train, test in half(y, repeats=2, seed=seed):
        np.testing.assert_array_equal(np.bincount(y[train]), np.bincount(y) // 2)
        assert not set(train) & set(test)


def test_the_seed_decides_and_repeats_differ():
    y = np.repeat(np.arange(3), 20)
    first, second = (list(per_class(y, 10, repeats=3, seed=1)) for _ in range(2))
    for (a, _), (b, _) in zip(first, second):
        np.testing.assert_array_equal(a, b)
    assert len({tuple(train) for train, _ in first}) == 3
    other = next(per_class(y, 10, seed=2))
    assert tuple(other[0]) != tuple(first[0][0])
    # More repeats do not change the first ones.
    np.testing.assert_array_equal(next(per_class(y, 10, repeats=1, seed=1))[0], first[0][0])


@given(st.lists(st.integers(0, 30), min_size=10, max_size=80), st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_group_folds_never_share_a_group(groups, n_folds):
    groups = np.array([*groups, *range(100, 106)])
    seen = []
    for train, test in group_folds(groups, n_folds):
        assert not set(groups[train]) & set(groups[test])
        seen.extend(test)
    np.testing.assert_array_equal(np.sort(seen), np.arange(len(groups)))


def test_earlier_trains_and_later_tests():
    y = np.repeat([0, 1], 6)
    times = np.array([0, 50, 50, 100, 100, 150, 0, 0, 0, 0, 0, 9])
    train, test = earlier_later(y, times)
    for label in (0, 1):
        assert times[train][y[train] == label].max() < times[test][y[test] == label].min()
    assert (y[train] == 0).sum() == 3


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (lambda: per_class([0, 0, 1], 1), "class 1 has 1 samples"),
        (lambda: half([0, 0, 1]), "Class 1 has one sample"),
        (lambda: group_folds([1, 1, 2], 3), "number of groups, 2"),
        (lambda: earlier_later([0, 0], [5, 5]), "no later part"),
    ],
)
def test_impossible_splits_say_why(split, message):
    with pytest.raises(ValueError, match=message):
        split()
