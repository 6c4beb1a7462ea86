import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.scaling import row_norms, squared_distances, unit_row, unit_rows


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_unit_rows_do_not_depend_on_the_scale_of_the_input(scale):
    X = np.random.default_rng(0).normal(size=(5, 7))
    assert_allclose(unit_rows(X * scale), unit_rows(X), rtol=1e-14)


def test_row_norms_mix_ordinary_and_extreme_rows():
    X = np.array([[3.0, 4.0], [3e200, 4e200], [0.0, 0.0], [3e-200, 4e-200]])
    assert_allclose(row_norms(X), [5.0, 5e200, 0.0, 5e-200], rtol=1e-14)


def test_a_zero_row_stays_zero_and_the_input_is_untouched():
    X = np.array([[0.0, 0.0], [0.0, 2.0]])
    before = X.copy()
    assert_allclose(unit_rows(X), [[0.0, 0.0], [0.0, 1.0]])
    assert_allclose(X, before)


def test_float32_stays_float32():
    assert unit_rows(np.ones((2, 3), dtype=np.float32)).dtype == np.float32


def test_rows_whose_norm_is_beyond_the_range_have_a_direction():
    X = np.array([[1.5e308, 1.5e308], [3.0, 4.0]])
    assert_allclose(unit_rows(X), [[np.sqrt(0.5)] * 2, [0.6, 0.8]])
    assert np.isinf(row_norms(X)[0])


def test_rows_beyond_the_range_are_divided_by_their_own_largest_value():
    X = np.array([[-1.7, 1.0, 0.0], [1.2, 1.3, -1.4], [-2e-308, 0.0, 0.0]])
    expected = X / np.linalg.norm(np.where(abs(X) > 1e-9, X, 0), axis=1, keepdims=True).clip(2e-308)
    assert_allclose(unit_rows(X * 1e308), expected, rtol=1e-14)


def test_norms_of_extreme_rows_with_negative_values():
    X = np.array([[-3e200, 4e-200], [-3e-200, -4e-200], [-4e200, 3e200]])
    assert_allclose(row_norms(X), [3e200, 5e-200, 5e200], rtol=1e-14)


def test_squares_below_the_normal_range_lose_no_digit_of_the_norm():
    """Each square is subnormal, with few digits; their sum is not."""
    for value in (6.1e-157, 6.2e-157, 6.3e-157):
        X = np.full((1, 2**16), value)
        assert_allclose(row_norms(X), 2**8 * value, rtol=1e-14)


def test_the_result_may_go_to_the_input_itself():
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert unit_rows(X, out=X) is X
    assert_allclose(X, [[0.6, 0.8], [0.0, 0.0]])


def test_a_direction_beyond_the_range_keeps_its_sign():
    assert_allclose(unit_rows(np.array([[-1.2e308, -1.6e308]])), [[-0.6, -0.8]])


def test_squared_distances_of_all_pairs_are_never_below_zero():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    expected = [[((x - y) ** 2).sum() for y in Y] for x in X]
    assert_allclose(squared_distances(X, Y), expected, atol=1e-12)
    assert (squared_distances(1e6 + X, 1e6 + X) >= 0).all()


@pytest.mark.parametrize("scale", [0.0, 1e-320, 1e-170, 1.0, 1e170, 1e308])
def test_one_row_is_scaled_as_rows_are(scale):
    x = scale * np.array([0.6, -0.8, 0.0])
    found = unit_row(x)
    assert_allclose(found, unit_rows(x[None])[0], rtol=1e-14)
    assert_allclose(np.linalg.norm(found), float(scale > 0), rtol=1e-3)
