import numpy as np
from numpy.testing import assert_allclose

from crosslabel import LRC
from tests.methods.faces import faces


def test_scores_are_the_least_squares_residuals_of_each_class():
    X, y = faces()
    queries = X[1::2]
    expected = []
    for c in range(3):
        A = X[::2][y[::2] == c]
        fit = np.linalg.lstsq(A.T, queries.T, rcond=None)[0]
        expected.append(((queries.T - A.T @ fit) ** 2).sum(axis=0))
    scores = LRC().fit(X[::2], y[::2]).decision_function(queries)
    assert_allclose(scores, -np.stack(expected, axis=1), atol=1e-10)


def test_classes_that_span_everything_score_alike():
    rng = np.random.default_rng(0)
    scores = LRC().fit(rng.normal(size=(20, 3)), np.arange(20) % 2).decision_function(np.eye(3))
    assert_allclose(scores, 0)
