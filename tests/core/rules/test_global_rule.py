import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import GlobalLengthRule, GlobalRule
from tests.core.problems import problem, problems
from tests.core.rules.numpy_graph import NumpyGraph


def literal_global(Y, D, layout, ridge):
    codes = np.linalg.solve(D @ D.T + ridge * np.eye(len(D)), D @ Y.T).T
    scores = np.empty((len(Y), layout.n_classes))
    for c in range(layout.n_classes):
        S = layout.free(c)
        residuals = ((Y - codes[:, S] @ D[S]) ** 2).sum(axis=1)
        scores[:, c] = -residuals / np.abs(codes[:, S]).sum(axis=1)
    return scores


@given(data=problems(), ridge=st.floats(-3, 1).map(lambda e: 10.0**e))
def test_scores_equal_the_papers_definition(data, ridge):
    X, _, layout, D = data
    expected = literal_global(X, D, layout, ridge)
    assert_allclose(GlobalRule(D, layout, ridge).scores(X), expected, rtol=1e-6, atol=1e-9)


def test_a_class_that_the_code_does_not_touch_cannot_win_nor_overflow():
    layout = AtomLayout(0, (1, 1))
    scores = GlobalRule(np.eye(3)[:2], layout, 0.1).scores(np.array([[1.0, 0.0, 0.0]]))
    assert np.isfinite(scores).all()
    assert scores.argmax() == 0


def test_an_orthogonal_query_is_divided_by_a_floor_that_grows_with_it():
    rule = GlobalRule(np.eye(3)[:2], AtomLayout(0, (1, 1)), 0.1)
    eps = np.finfo(float).eps
    scores = rule.scores(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]))
    assert_allclose(scores, [[-1 / eps**2] * 2, [-4 / (2 * eps**2)] * 2], rtol=1e-12)


def test_the_explanation_is_the_part_of_the_code_over_all_atoms():
    X, _, layout, D = problem(per_class=(2, 4, 3))
    code = np.linalg.solve(D @ D.T + 0.1 * np.eye(len(D)), D @ X[0])
    for c, share in enumerate(GlobalRule(D, layout, 0.1).explanation(X[0])):
        assert_allclose(share.coefficients, code[layout.free(c)], rtol=1e-9)
        assert_allclose(-share.score, share.residual**2 / share.mass, rtol=1e-9)
        own = np.abs(code[layout.own(c)]).sum() / np.abs(code).sum()
        assert share.reason.endswith(f"carry {own:.0%} of the coefficients")


def test_dependent_atoms_without_ridge_are_reported():
    _, _, layout, D = problem(n_features=20)
    D[4] = D[3]
    with pytest.raises(np.linalg.LinAlgError, match="ridge > 0"):
        GlobalRule(D, layout, 0.0)


@pytest.mark.parametrize("rule", [GlobalRule, GlobalLengthRule])
@pytest.mark.parametrize("shared", [0, 2])
def test_the_graph_and_the_definition_compute_the_scores(rule, shared):
    X, _, layout, D = problem(shared=shared, per_class=(2, 4, 3), n_features=20)
    away = np.linalg.svd(D)[2][-1:]  # orthogonal to all atoms, to rounding
    prepared, queries = rule(D, layout, 0.1), X[:7]
    expected = prepared.scores(queries)
    assert_allclose(rule.scores_once(queries, D, layout, 0.1), expected, rtol=1e-9)
    assert_allclose(prepared.onnx_scores(NumpyGraph(), queries), expected, rtol=1e-9)
    for none in (0 * away, away - away @ D.T @ np.linalg.pinv(D.T)):
        assert np.isfinite(prepared.onnx_scores(NumpyGraph(), none)).all()


def test_the_graph_divides_an_orthogonal_query_by_the_same_floor():
    rule = GlobalRule(np.eye(3)[:2], AtomLayout(0, (1, 1)), 0.1)
    queries = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]])
    assert_allclose(rule.onnx_scores(NumpyGraph(), queries), rule.scores(queries), rtol=1e-12)
