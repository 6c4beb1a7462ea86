import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold

from crosslabel.core.ordering import mixed, row_hashes
from crosslabel.flagship.splits import (
    Split,
    check_splits,
    content_splits,
    distinct_numbers,
    given_splits,
)
from crosslabel.intake.checking import Training

rng = np.random.default_rng(0)
LABELS = np.repeat([0, 1, 2], [7, 10, 1])
ROWS = rng.normal(size=(18, 4))


def training(order, names=(0, 1, 2)):
    labels = np.asarray(names)[LABELS[order]]
    return Training(ROWS[order], np.arange(3), labels, np.ones(len(order)))


def test_folds_are_stratified_and_tile_all_but_a_single_sample():
    splits = content_splits(training(np.arange(18)), 5, seed=0)
    assert len(splits) == 5
    tested = np.concatenate([test for _, test in splits])
    assert_array_equal(np.sort(tested), np.arange(17))
    for train, test in splits:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(18))
        counts = np.bincount(LABELS[test], minlength=3)
        assert counts[0] in (1, 2)
        assert counts[1] == 2


def test_folds_depend_on_the_samples_alone_and_on_the_seed():
    def contents(order, names, seed):
        given = training(order, names)
        return {frozenset(order[test].tolist()) for _, test in content_splits(given, 3, seed)}

    shuffled = rng.permutation(18)
    assert contents(np.arange(18), (0, 1, 2), 4) == contents(shuffled, (2, 0, 1), 4)
    assert contents(np.arange(18), (0, 1, 2), 4) != contents(np.arange(18), (0, 1, 2), 5)


def test_equal_samples_are_held_out_together():
    order = np.repeat(np.arange(18), 3)
    for train, test in content_splits(training(order), 4, seed=0):
        assert not set(order[train]) & set(order[test])


def test_fewer_samples_than_folds():
    few = Training(ROWS[:4], np.arange(2), np.array([0, 0, 1, 1]), np.ones(4))
    splits = content_splits(few, 5, seed=0)
    assert 2 <= len(splits) <= 4
    check_splits(splits, few)


def test_splitters_number_the_samples_that_have_weight():
    weights = np.ones(18)
    weights[[0, 5, 9]] = 0
    kept = np.flatnonzero(weights)
    found = given_splits(KFold(3), ROWS, LABELS, None, weights)
    for (train, test), (a, b) in zip(found, KFold(3).split(ROWS), strict=True):
        assert_array_equal(kept[train], np.setdiff1d(a, [0, 5, 9]))
        assert_array_equal(kept[test], np.setdiff1d(b, [0, 5, 9]))


def test_masks_are_splits_too():
    mask = np.arange(18) % 3 == 0
    ((train, test),) = given_splits([(~mask, mask)], ROWS, LABELS, None, np.ones(18))
    assert_array_equal(train, np.flatnonzero(~mask))
    assert_array_equal(test, np.flatnonzero(mask))


def test_a_number_of_folds_with_groups():
    y, groups = np.arange(24) % 2, np.arange(24) // 3
    found = given_splits(4, np.zeros((24, 1)), y, groups, np.ones(24))
    expected = StratifiedGroupKFold(4).split(np.zeros(24), y, groups)
    for (train, test), (a, b) in zip(found, expected, strict=True):
        assert_array_equal(train, a)
        assert_array_equal(test, b)


def test_nothing_to_hold_out():
    single = Training(np.eye(2), np.arange(2), np.arange(2), np.ones(2))
    with pytest.raises(ValueError, match="at least two distinct samples"):
        content_splits(single, 5, seed=0)


def test_folds_are_of_one_size_where_classes_are_smaller_than_their_number():
    small = Training(ROWS[:12], np.arange(3), np.repeat(np.arange(3), 4), np.ones(12))
    sizes = [len(test) for _, test in content_splits(small, 5, seed=0)]
    assert sorted(sizes) == [2, 2, 2, 3, 3]


@pytest.mark.parametrize("sizes", [(7, 3), (4, 1, 6, 3), (5, 5, 5), (2, 3, 1)])
@pytest.mark.parametrize("seed", [0, 3])
def test_folds_sample_by_sample(sizes, seed):
    """By rank within the class; classes begin in turn, in the order of their first ranks."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.random.default_rng(1).normal(size=(len(labels), 3))
    given = Training(rows, np.arange(len(sizes)), labels, np.ones(len(labels)))
    rank = mixed(row_hashes(rows) ^ mixed(np.array([seed + 1], np.uint64))).tolist()
    classes = [sorted(np.flatnonzero(labels == c), key=rank.__getitem__) for c in range(len(sizes))]
    starts = sorted(range(len(sizes)), key=lambda c: rank[classes[c][0]])
    expected = {}
    for c, own in enumerate(classes):
        for place, row in enumerate(own):
            if len(own) > 1:
                expected[int(row)] = (place + starts.index(c)) % 4
    splits = content_splits(given, 4, seed)
    found = {row: k for k, (_, test) in enumerate(splits) for row in test.tolist()}
    numbers = sorted(set(expected.values()))
    assert found == {row: numbers.index(fold) for row, fold in expected.items()}


def test_equal_rows_of_two_classes_are_two_samples():
    hashes = np.array([4, 5, 5, 5, 9], np.uint64)
    assert_array_equal(distinct_numbers(hashes, np.array([0, 0, 0, 1, 1])), [0, 1, 1, 2, 3])


def test_a_splitter_of_groups():
    groups = np.arange(18) // 3
    found = given_splits(GroupKFold(3), ROWS, LABELS, groups, np.ones(18))
    for (train, test), (a, b) in zip(found, GroupKFold(3).split(ROWS, LABELS, groups), strict=True):
        assert_array_equal(train, a)
        assert_array_equal(test, b)


def test_the_class_that_a_fold_leaves_without_samples_is_named():
    labels = np.array([0, 0, 0, 1, 1, 2])
    given = Training(ROWS[:6], np.array(["a", "b", "c"]), labels, np.ones(6))
    with pytest.raises(ValueError, match="Fold 0 of cv has no training sample of class 'b'"):
        check_splits([Split(np.array([0, 1, 5]), np.array([2, 3, 4]))], given)
