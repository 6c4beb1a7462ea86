import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.scaling import row_norms, unit_rows


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
