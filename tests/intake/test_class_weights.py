import numpy as np
import pytest

from crosslabel.intake.checking import Training
from crosslabel.intake.class_weights import raises, weighed, weighed_batch, weighed_pass

CLASSES = np.array(["a", "b", "c"])
LABELS = np.array([0, 0, 0, 0, 1, 1, 2])
SAMPLES = np.arange(14.0).reshape(7, 2)
GIVEN = np.array([1.0, 2, 1, 1, 3, 1, 1])
TRAINING = Training(SAMPLES, CLASSES, LABELS, GIVEN)


def test_no_weights_leave_the_samples_as_they_are():
    assert weighed(TRAINING, None) is TRAINING


def test_named_weights_multiply_those_of_the_samples_and_others_are_one():
    found = weighed(TRAINING, {"a": 2, "c": 0.5}).weights
    np.testing.assert_array_equal(found, [2, 4, 2, 2, 3, 1, 0.5])


def test_balanced_classes_have_one_sum_and_all_samples_keep_theirs():
    found = weighed(TRAINING, "balanced").weights
    sums = np.bincount(LABELS, found)
    np.testing.assert_allclose(sums, GIVEN.sum() / 3)


def test_a_misspelt_class_is_refused_but_one_that_is_absent_is_not():
    with pytest.raises(ValueError, match=r"names class 'd', but y holds .* 'c' has no weight"):
        weighed(TRAINING, {"a": 1, "b": 2, "d": 3})
    found = weighed(TRAINING, {"a": 1, "b": 1, "c": 2, "d": 3}).weights
    np.testing.assert_array_equal(found[:-1], GIVEN[:-1])
    assert found[-1] == 2


@pytest.mark.parametrize("weight", [0, -1.0, np.inf, np.nan])
def test_a_weight_that_counts_nothing_is_refused(weight):
    with pytest.raises(ValueError, match="finite and above zero"):
        weighed(TRAINING, {"a": weight})


def test_a_batch_takes_named_weights_and_refuses_balanced_ones():
    batch, ones = np.array(["b", "new", "a"]), np.ones(3)
    np.testing.assert_array_equal(weighed_batch({"a": 3, "z": 9}, batch, ones), [1, 1, 3])
    assert weighed_batch(None, batch, ones) is ones
    with pytest.raises(ValueError, match="needs the labels of all samples at once"):
        weighed_batch("balanced", batch, ones)


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0}])
def test_a_pass_weighs_as_memory_does(class_weight):
    found = weighed_pass(class_weight, SAMPLES, CLASSES[LABELS], GIVEN)
    np.testing.assert_array_equal(found, weighed(TRAINING, class_weight).weights)
    assert weighed_pass(None, SAMPLES, CLASSES[LABELS], None) is None


def test_dask_labels_are_not_at_hand():
    da = pytest.importorskip("dask.array")
    X = da.from_array(SAMPLES, chunks=3)
    with pytest.raises(ValueError, match="y is a Dask collection"):
        weighed_pass({"a": 2}, X, da.from_array(LABELS, chunks=3), None)


def test_costs_raise_by_their_logarithm_and_balance_raises_nothing():
    found = raises({"a": 8, "b": 2}, CLASSES)
    np.testing.assert_allclose(np.diff(found), np.log([2 / 8, 1 / 2]))
    assert not raises("balanced", CLASSES).any()
    assert not raises({"a": 5, "b": 5, "c": 5}, CLASSES).any()
