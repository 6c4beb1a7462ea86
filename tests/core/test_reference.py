import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import reference
from crosslabel.core.objective import Penalties
from tests.core.problems import problem
from tests.core.test_objective import sample_codes


@pytest.mark.parametrize("n", [2, 3, 8])
def test_laplacian_is_the_scaled_centring_matrix(n):
    centring = np.eye(n) - np.ones((n, n)) / n
    assert_allclose(reference.laplacian(n), n / (n - 1) * centring)


def test_the_codes_fixed_point_is_the_exact_minimiser():
    X, labels, layout, D = problem(sizes=(1, 4, 7))
    weights = Penalties(0.1, 5.0, 0.3)
    codes = reference.start_codes(X.T, D.T, weights.ridge)
    for _ in range(200):
        codes = reference.code_step(X.T, labels, D.T, codes, layout, weights)
    assert_allclose(codes.T, sample_codes(X, labels, D, layout, weights), atol=1e-10)


def test_an_atom_step_does_not_raise_the_residual():
    X, labels, layout, D = problem()
    codes = reference.start_codes(X.T, D.T, 0.1)
    after = reference.atom_step(X.T, D.T, codes, layout)
    assert np.sum((X.T - after @ codes) ** 2) <= np.sum((X.T - D.T @ codes) ** 2)
    assert_allclose(np.linalg.norm(after, axis=0), 1)
