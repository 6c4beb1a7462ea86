import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.studio.behind import shares_behind


@given(st.integers(1, 8), st.integers(0, 100), st.sampled_from([0.01, 0.5]))
def test_shares_of_the_ridge_reconstruction(n, seed, ridge):
    random = np.random.default_rng(seed)
    Y, y = random.standard_normal((n, 10)), random.standard_normal(10)
    found = shares_behind(y, Y, ridge)
    assert (found >= 0).all()
    assert_allclose(found.sum(), 1)
    Y, y = Y / np.linalg.norm(Y, axis=1, keepdims=True), y / np.linalg.norm(y)
    a = np.linalg.solve(Y @ Y.T + ridge * np.eye(n), Y @ y)
    hat = Y.T @ a
    added = np.maximum([a[i] * (Y[i] @ hat) for i in range(n)], 0)
    assert_allclose(found, added / added.sum())


def test_a_picture_asked_about_itself_is_its_own_reason():
    Y = np.eye(4, 10) + 0.1
    assert shares_behind(Y[2], Y, 0.01).argmax() == 2


def test_pictures_of_nothing_share_alike():
    assert_allclose(shares_behind(np.ones(3), np.zeros((2, 3)), 0.1), 0.5)
