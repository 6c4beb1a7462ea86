import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.displays import CodesDisplay
from crosslabel.displays.codes import mean_absolute_codes


def test_mean_absolute_codes_average_each_class():
    codes = np.array([[1.0, -2.0], [-3.0, 0.0], [5.0, 5.0]])
    means = mean_absolute_codes(codes, np.array([0, 0, 2]), 3)
    assert_array_equal(means, [[2, 1], [np.nan, np.nan], [5, 5]])


def test_rows_are_the_models_codes_of_each_class(model, digits):
    X, y = digits[0][600:900], digits[1][600:900]
    display = CodesDisplay.from_estimator(model, X, y)
    assert_allclose(display.means[3], np.abs(model.transform(X[y == 3])).mean(axis=0))
    assert_array_equal(display.image_.get_array(), display.means)


def test_own_atoms_are_brighter_than_those_of_others(model, digits):
    display = CodesDisplay.from_estimator(model, digits[0][600:], digits[1][600:])
    for c, row in enumerate(display.means):
        own = row[model.atom_labels_ == c].mean()
        others = row[(model.atom_labels_ != c) & (model.atom_labels_ >= 0)].mean()
        assert own > 1.5 * others


def test_arrays_give_the_picture_of_the_estimator(model, digits):
    X, y = digits[0][600:900], digits[1][600:900]
    one = CodesDisplay.from_estimator(model, X, y)
    two = CodesDisplay.from_predictions(y, model.transform(X), model.atom_labels_)
    assert_allclose(one.means, two.means)
    assert list(one.names) == list(two.names)


def test_a_class_that_the_model_does_not_know_is_named(model, digits):
    with pytest.raises(ValueError, match="no class 77"):
        CodesDisplay.from_estimator(model, digits[0][:2], [0, 77])
