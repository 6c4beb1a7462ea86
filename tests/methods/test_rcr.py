import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import RCR
from tests.methods.faces import faces


def test_one_group_is_collaborative_representation_with_plain_residuals():
    X, y = faces()
    A, labels, queries = X[::2], y[::2], X[1::2]
    rho = queries @ A.T @ np.linalg.inv(A @ A.T + 0.01 * np.eye(len(A)))
    residuals = [
        ((queries - rho[:, labels == c] @ A[labels == c]) ** 2).sum(axis=1) for c in range(3)
    ]
    scores = RCR(1, ridge=0.01, tie=0.3).fit(A, labels).decision_function(queries)
    assert_allclose(scores, -np.exp(-1) * np.stack(residuals, axis=1), atol=1e-6)


def test_groups_may_be_named_feature_by_feature():
    X, y = faces()
    by_number = RCR(4).fit(X, y).decision_function(X)
    by_name = RCR(np.repeat(["a", "b", "c", "d"], 5)).fit(X, y).decision_function(X)
    assert_allclose(by_name, by_number)
    with pytest.raises(ValueError, match="one group"):
        RCR(["a", "b"]).fit(X, y)


def test_a_group_of_noise_gets_less_weight():
    X, y = faces(n_per_class=20)
    spoilt = X.copy()
    spoilt[:, :5] = np.random.default_rng(0).normal(size=(60, 5)) / 4
    plain = RCR(4, tie=0.0).fit(X[::2], y[::2]).score(spoilt[1::2], y[1::2])
    tied = RCR(4, tie=1.0, entropy=0.05).fit(X[::2], y[::2]).score(spoilt[1::2], y[1::2])
    assert tied >= plain
