import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import logm

from crosslabel.features.covariance_rows import covariance_names, covariance_rows

C = np.array([[[2.0, 0.5], [0.5, 1.0]], [[3.0, -1.0], [-1.0, 4.0]]])


def test_a_matrix_as_it_is_or_its_logarithm_with_weighted_off_diagonal():
    assert_allclose(covariance_rows(C, "matrix"), [[2, 0.5, 0.5, 1], [3, -1, -1, 4]])
    logs = [logm(c) for c in C]
    expected = [[log[0, 0], np.sqrt(2) * log[0, 1], log[1, 1]] for log in logs]
    assert_allclose(covariance_rows(C, "log"), expected, atol=1e-12)


@pytest.mark.parametrize("output", ["log", "matrix"])
def test_every_value_has_a_name(output):
    names = covariance_names(2, output)
    assert len(set(names)) == covariance_rows(C, output).shape[1]
