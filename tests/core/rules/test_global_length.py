import numpy as np
from numpy.testing import assert_allclose

from crosslabel.core.rules import GlobalLengthRule
from tests.core.problems import problem
from tests.core.rules.numpy_graph import NumpyGraph


def test_residuals_are_divided_by_the_length_of_the_coefficients():
    X, _, layout, D = problem(per_class=(2, 4, 3))
    codes = np.linalg.solve(D @ D.T + 0.1 * np.eye(len(D)), D @ X.T).T
    scores = GlobalLengthRule(D, layout, 0.1).scores(X)
    for c in range(3):
        S = layout.free(c)
        residuals = ((X - codes[:, S] @ D[S]) ** 2).sum(axis=1)
        assert_allclose(scores[:, c], -residuals / np.sqrt((codes[:, S] ** 2).sum(axis=1)))


def test_a_rotation_of_the_atoms_of_a_class_changes_nothing():
    X, _, layout, D = problem()
    scores = GlobalLengthRule(D, layout, 0.1).scores(X)
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    D[layout.own(1)] = turn @ D[layout.own(1)]
    assert_allclose(GlobalLengthRule(D, layout, 0.1).scores(X), scores, rtol=1e-9)


def test_the_graph_computes_the_scores():
    X, _, layout, D = problem(shared=2, per_class=(2, 4, 3))
    rule = GlobalLengthRule(D, layout, 0.1)
    assert_allclose(rule.onnx_scores(NumpyGraph(), X), rule.scores(X), atol=1e-12)
