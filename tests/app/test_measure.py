import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from crosslabel.app.measure import Accuracy, taken


def test_it_agrees_with_scikit_learn_and_scipy():
    random = np.random.default_rng(0)
    y, z = random.integers(0, 4, (2, 200))
    accuracy = Accuracy.of(y, z, list("abcd"))
    assert accuracy.overall == pytest.approx(accuracy_score(y, z))
    assert accuracy.mean_per_class == pytest.approx(balanced_accuracy_score(y, z))
    wilson = binomtest(accuracy.correct, 200).proportion_ci(method="wilson")
    assert accuracy.interval == pytest.approx((wilson.low, wilson.high))


def test_the_interval_stays_inside():
    assert Accuracy.of([0] * 5, [0] * 5, ["a"]).interval[1] == 1
    assert Accuracy.of([0] * 5, [1] * 5, ["a", "b"]).interval[0] < 1e-15


def test_confusions_are_sorted():
    accuracy = Accuracy.of([0, 0, 0, 1], [1, 1, 2, 1], ["a", "b", "c"])
    assert accuracy.confusions == [("a", "b", 2), ("a", "c", 1)]
    assert "1 of 4" in str(accuracy)


def test_rows_of_an_array_and_items_of_a_list_are_taken():
    assert taken(["a", "b", "c"], np.array([2, 0])) == ["c", "a"]
    np.testing.assert_array_equal(taken(np.arange(6).reshape(3, 2), np.array([1])), [[2, 3]])
