"""What is valid comes through as it is; what is not gets a sentence."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from crosslabel.intake.checking import (
    PLAIN_SIZE,
    SPREAD,
    check_batch,
    check_finite,
    check_range,
    check_several,
    check_spread,
    check_training,
    checked_weights,
    is_out_of_core,
    is_plain,
    package_of,
)


class Learner(BaseEstimator):
    """Has nothing but a name."""


X, y = np.arange(8.0).reshape(4, 2), np.array(["b", "a", "b", "a"])


def test_training_samples_come_with_sorted_classes_and_numbers():
    learner = Learner()
    found = check_training(learner, X, y)
    assert_array_equal(found.X, X)
    assert found.classes.tolist() == ["a", "b"]
    assert found.labels.tolist() == [1, 0, 1, 0]
    assert found.weights.tolist() == [1, 1, 1, 1]
    assert learner.n_features_in_ == 2


def test_samples_of_no_weight_are_left_out_before_classes_are_counted():
    found = check_training(Learner(), X, ["c", "a", "b", "a"], [0, 1, 2, 0.5])
    assert found.classes.tolist() == ["a", "b"]
    assert found.weights.tolist() == [1, 2, 0.5]
    with pytest.raises(ValueError, match=r"Learner needs .* y holds one class only: \['a'\]"):
        check_training(Learner(), X, y, [0, 1, 0, 1])


def test_one_class_is_refused_where_it_was_found():
    check_several(Learner(), np.array([1, 2]), "there is")
    with pytest.raises(ValueError, match=r"but there is one class only: \[1\]"):
        check_several(Learner(), np.array([1]), "there is")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2], "holds -2 at index 1"),
        ([np.nan, 1], "holds nan at index 0"),
        ([1, np.inf], "holds inf at index 1"),
        ([1, 1, 1], r"shape \(3,\), but there are 2 samples"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        checked_weights(weights, 2)


def test_weights_default_to_ones_and_one_number_serves_all():
    assert checked_weights(None, 3).tolist() == [1, 1, 1]
    assert checked_weights(2, 3).tolist() == [2, 2, 2]
    assert checked_weights([0, 1], 2).dtype == float


def test_a_batch_may_be_empty_and_takes_the_precision_of_those_before():
    learner = Learner()
    samples, targets, weights = check_batch(learner, X[:0], y[:0], None, None)
    assert len(samples) == len(targets) == len(weights) == 0
    samples, _, _ = check_batch(learner, X, y, None, np.dtype(np.float32))
    assert samples.dtype == np.float32
    with pytest.raises(ValueError, match=r"has 1 features, but Learner is expecting 2"):
        check_batch(learner, X[:, :1], y, None, np.dtype(float))


@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_values_that_are_not_finite_are_found(value, what):
    bad = X.copy()
    bad[2, 1] = value
    with pytest.raises(ValueError, match=f"contains {what}.*: feature 1 in row 2 of the test"):
        check_finite(bad, lambda row: f"row {row} of the test")
    check_finite(np.full((2, 2), 1e308), str)  # the sum overflows, the values do not


def test_plain_queries():
    assert is_plain(X, 2, None)
    for other in (X[:, :1], X[:0], X.tolist(), X.astype(int), X.T[:, :2], X[0], X + np.inf):
        assert not is_plain(other, 2, None)
    assert not is_plain(X, 2, np.array(["a", "b"]))
    assert not is_plain(np.zeros((PLAIN_SIZE // 2 + 1, 2)), 2, None)


def test_ranges_and_spreads():
    check_range(X)
    check_range(0 * X)
    for scale in (1e200, 1e-200):
        with pytest.raises(ValueError, match="leaves the range of float64"):
            check_range((X + 1) * scale)
    check_spread(X)
    check_spread(0 * X)
    with pytest.raises(ValueError, match="nothing is left of the other"):
        check_spread(np.array([[1e-8], [1e-8 * SPREAD * 10]]))


def test_what_is_out_of_core(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((100, 10)))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert not is_out_of_core(mapped, 4 * mapped.nbytes)
    assert is_out_of_core(mapped, 4 * mapped.nbytes - 4)
    assert is_out_of_core(str(tmp_path / "x.npy"), 2**30)
    assert not is_out_of_core(np.zeros((3, 3)), 1)
    sparse = csr_array(np.eye(9))
    assert is_out_of_core(sparse, 4 * 9 * 9 * 8 - 4)
    assert not is_out_of_core(sparse, 4 * 9 * 9 * 8)


def test_a_type_is_known_by_its_package():
    assert package_of(np.zeros(1)) == "numpy"
    assert package_of(csr_array(np.eye(2))) == "scipy"
    assert package_of([1.0]) == "builtins"
