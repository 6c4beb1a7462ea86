import numpy as np
from numpy.testing import assert_allclose

from crosslabel.core.backend import energies
from crosslabel.core.residuals import class_residuals


def test_residuals_from_inner_products_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    D, Y, X = rng.normal(size=(7, 5)), rng.normal(size=(4, 5)), rng.normal(size=(4, 7))
    parts = [slice(0, 3), slice(3, 4), slice(4, 7)]
    found = class_residuals(energies(Y), Y @ D.T, D @ D.T, X, parts)
    expected = [((Y - X[:, p] @ D[p]) ** 2).sum(axis=1) for p in parts]
    assert_allclose(found, np.stack(expected, axis=1))


def test_rounding_leaves_no_residual_below_zero_and_small_ones_stay():
    D, Y = np.eye(2), np.array([[0.3, 0.1]])
    parts = [slice(0, 2), slice(0, 1)]
    found = class_residuals(energies(Y), Y, D @ D.T, Y, parts)
    assert_allclose(found, [[0, 0.01]], atol=1e-15)
    assert class_residuals(energies(Y) - 1e-3, Y, D @ D.T, Y, parts)[0, 0] == 0
