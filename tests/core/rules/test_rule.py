"""What must hold of every rule in `RULES`; its own formula is tested in its own file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import RULES, Rule, blocks
from crosslabel.core.scaling import unit_rows
from tests.core.problems import problem, problems

every_rule = pytest.mark.parametrize("name", RULES)


def test_a_rule_must_bring_scores_explanation_and_graph():
    assert Rule.__abstractmethods__ == {"scores", "explanation", "onnx_scores"}
    assert all(rule.cost for rule in RULES.values())


@every_rule
def test_blocks_of_queries_change_nothing(name, monkeypatch):
    X, _, layout, D = problem(sizes=(70, 70, 70))
    whole = RULES[name](D, layout, 0.1).scores(X)
    monkeypatch.setattr(blocks, "BLOCK", 1)
    assert_allclose(RULES[name](D, layout, 0.1).scores(X), whole, rtol=1e-12)


@every_rule
@pytest.mark.parametrize("shared", [0, 2])
def test_a_query_scores_the_same_alone_and_is_not_changed(name, shared):
    X, _, layout, D = problem(per_class=(2, 4, 3), shared=shared)
    rule, before = RULES[name](D, layout, 0.1), X.copy()
    alone = np.concatenate([rule.scores(row[None]) for row in X])
    assert_allclose(alone, rule.scores(X), rtol=1e-12)
    assert_allclose(X, before, rtol=0)


@every_rule
def test_a_class_that_spans_the_query_wins(name):
    layout = AtomLayout(0, (2, 2))
    D = unit_rows(np.eye(6)[:4] + 0.01)
    queries = np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 1, 2, 0, 0]])
    scores = RULES[name](D, layout, 1e-3).scores(queries)
    assert scores.argmax(axis=1).tolist() == [0, 1]


@every_rule
def test_a_zero_query_scores_the_same_for_all_classes(name):
    _, _, layout, D = problem()
    assert_allclose(RULES[name](D, layout, 0.1).scores(np.zeros((1, 12))), 0)


@every_rule
def test_float32_stays_float32_and_close(name):
    X, _, layout, D = problem(n_features=40)
    exact = RULES[name](D, layout, 0.01).scores(X)
    single = RULES[name](D.astype(np.float32), layout, 0.01).scores(X.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, exact, atol=1e-4)


@every_rule
@given(data=problems(), ridge=st.floats(-3, 1).map(lambda e: 10.0**e))
def test_the_explanation_adds_up_to_the_scores(name, data, ridge):
    X, _, layout, D = data
    rule = RULES[name](D, layout, ridge)
    for y, scores in zip(X, rule.scores(X)):
        shares = rule.explanation(y)
        assert_allclose([share.score for share in shares], scores, rtol=1e-9, atol=1e-12)
        assert (scores <= 0).all()
        for c, share in enumerate(shares):
            assert set(layout.free(c)) >= set(share.atoms)
            assert_allclose(share.reconstruction, share.coefficients @ D[share.atoms], atol=1e-12)
            assert_allclose(share.residual, np.linalg.norm(y - share.reconstruction), atol=1e-12)
            explained = share.contributions.sum() + share.residual**2
            assert_allclose(explained, y @ y, rtol=1e-9)
            assert f"{share.residual:.3f}" in share.reason


@every_rule
def test_a_query_that_no_atom_touches_has_finite_scores(name):
    layout = AtomLayout(1, (2, 1))
    orthogonal = np.eye(6)[[5]]
    scores = RULES[name](np.eye(6)[:4], layout, 0.1).scores(orthogonal)
    assert np.isfinite(scores).all()
    assert np.ptp(scores) == 0


@every_rule
@given(data=problems(), ridge=st.floats(-3, 1).map(lambda e: 10.0**e))
def test_a_few_queries_score_the_same_without_preparation(name, data, ridge):
    X, _, layout, D = data
    for rows in (X, X[:1], np.eye(X.shape[1])[:1], np.zeros_like(X[:1])):
        prepared = RULES[name](D, layout, ridge).scores(rows)
        once = RULES[name].scores_once(rows, D, layout, ridge)
        assert_allclose(once, prepared, rtol=1e-6, atol=1e-9)
    single = RULES[name].scores_once(X.astype(np.float32), D.astype(np.float32), layout, ridge)
    assert single.dtype == np.float32
