import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.span import spanned


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_coordinates_along_orthonormal_axes_are_the_rows(rank):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, rank)) @ rng.normal(size=(rank, 9))
    found = spanned(X)
    assert found.rows.shape == (5, 5)
    assert_allclose(found.axes @ found.axes.T, np.eye(5), atol=1e-12)
    assert_allclose(found.rows @ found.rows.T, X @ X.T, atol=1e-12)
    assert_allclose(found.lifted(found.rows), X, atol=1e-12)


@pytest.mark.parametrize("n_features", [3, 5])
def test_as_many_rows_as_features_stay_as_they_are(n_features):
    X = np.random.default_rng(0).normal(size=(5, n_features))
    found = spanned(X)
    assert found.rows is X
    assert found.lifted(X) is X
