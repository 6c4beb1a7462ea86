import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import gram
from crosslabel.core.coding import ridge_coder, ridge_codes


@pytest.mark.parametrize(
    ("n_atoms", "ridge", "over_features"), [(5, 0.1, False), (6, 0.1, False), (7, 0.1, True),
                                            (7, 0.0, False)],
)  # fmt: skip
def test_the_gram_matrix_is_the_smaller_one_that_a_shift_makes_regular(
    n_atoms, ridge, over_features
):
    D = np.random.default_rng(n_atoms).normal(size=(n_atoms, 6))
    found, in_features = gram.smaller_gram(D, ridge)
    assert in_features == over_features
    assert_allclose(found, D.T @ D if over_features else D @ D.T)


def test_a_factor_is_of_the_shifted_matrix_and_leaves_that_alone():
    D = np.random.default_rng(0).normal(size=(5, 6))
    given = D @ D.T
    L = gram.cholesky_of_gram(given, 0.3, 5)
    assert_allclose(L, np.tril(L))
    assert_allclose(L @ L.T, D @ D.T + 0.3 * np.eye(5))
    assert_allclose(given, D @ D.T, rtol=0)


def test_a_dictionary_is_taken_to_double_precision_in_parts(monkeypatch):
    monkeypatch.setattr(gram, "_IN_FLOAT64", 12)  # two rows of six values
    rng = np.random.default_rng(0)
    D, Y = rng.normal(size=(9, 6)), rng.normal(size=(4, 6))
    parts = list(gram.row_blocks(D))
    assert [row for part in parts for row in range(9)[part]] == list(range(9))
    assert max(len(range(9)[part]) for part in parts) == 2
    coder = np.linalg.solve(D @ D.T + 0.1 * np.eye(9), D)
    assert_allclose(ridge_coder(D, 0.1), coder, rtol=1e-9, atol=1e-12)
    assert_allclose(ridge_codes(Y, D, 0.1), Y @ coder.T, rtol=1e-9, atol=1e-12)
