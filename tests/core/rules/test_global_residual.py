import numpy as np
from numpy.testing import assert_allclose

from crosslabel.core.rules import GlobalResidualRule
from tests.core.problems import problem
from tests.core.rules.numpy_graph import NumpyGraph


def test_residuals_are_compared_as_they_are():
    X, _, layout, D = problem(per_class=(2, 4, 3))
    codes = np.linalg.solve(D @ D.T + 0.1 * np.eye(len(D)), D @ X.T).T
    scores = GlobalResidualRule(D, layout, 0.1).scores(X)
    for c in range(3):
        S = layout.free(c)
        assert_allclose(scores[:, c], -((X - codes[:, S] @ D[S]) ** 2).sum(axis=1))


def test_the_graph_computes_the_scores():
    X, _, layout, D = problem(shared=2, per_class=(2, 4, 3))
    rule = GlobalResidualRule(D, layout, 0.1)
    assert_allclose(rule.onnx_scores(NumpyGraph(), X), rule.scores(X), atol=1e-12)
