"""What must hold of every rule in `RULES`, whose own formula is tested in its own file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import gram
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import RULES, Rule
from crosslabel.core.rules import rule as module
from crosslabel.core.rules.rule import ClassBlock, class_blocks, evidence, in_blocks
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
    monkeypatch.setattr(module, "BLOCK", 1)
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


def test_zeros_follow_the_atoms_of_small_classes():
    rows = np.arange(1.0, 11).reshape(5, 2)
    wide = ClassBlock(slice(0, 3), slice(0, 5), (1, 3, 1)).padded(rows, 3)
    zero = [0.0, 0.0]
    expected = [[[1, 2], zero, zero], [[3, 4], [5, 6], [7, 8]], [[9, 10], zero, zero]]
    assert_array_equal(wide, expected)


def test_every_class_is_in_one_block_with_all_of_its_atoms(monkeypatch):
    monkeypatch.setattr(module, "CLASS_BLOCK", 24)
    layout = AtomLayout(2, (1, 3, 0, 2, 3))
    found = list(class_blocks(layout, 4))
    assert [block.sizes for block in found] == [(1, 3), (0, 2), (3,)]
    for block in found:
        labels = layout.labels[block.atoms]
        expected = np.repeat(np.arange(5)[block.classes], block.sizes)
        assert_array_equal(labels, expected)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("shared", [0, 2])
@pytest.mark.parametrize("n_features", [6, 30])
def test_rules_are_the_same_when_prepared_in_small_blocks(monkeypatch, name, shared, n_features):
    """Also where the dictionary comes to float64 two rows at a time."""
    X, _, layout, D = problem(per_class=(2, 4, 3), shared=shared, n_features=n_features)
    whole, once = RULES[name](D, layout, 0.1).scores(X), RULES[name].scores_once(X, D, layout, 0.1)
    monkeypatch.setattr(module, "CLASS_BLOCK", 1)
    monkeypatch.setattr(gram, "_IN_FLOAT64", 2 * n_features)
    assert_allclose(RULES[name](D, layout, 0.1).scores(X), whole, rtol=1e-10)
    assert_allclose(RULES[name].scores_once(X, D, layout, 0.1), once, rtol=1e-10)
    assert_allclose(whole, once, rtol=1e-8)


def test_every_query_is_scored_once_and_in_order():
    seen = []

    def score(rows):
        seen.append(len(rows))
        return 2 * rows[:, :1] + [0.0, 1.0]

    Y = np.arange(150.0)[:, None]
    assert_array_equal(in_blocks(score, Y, 2**19, 2), 2 * Y + [0.0, 1.0])
    assert seen == [64, 64, 22]
    seen.clear()
    in_blocks(score, Y, 2**10, 2)
    assert seen == [150]


def test_evidence_does_not_depend_on_the_scale_of_a_query():
    scores = -np.random.default_rng(0).uniform(0.1, 1, size=(5, 3))
    assert_allclose(evidence(scores), evidence(scores * 1e8), rtol=1e-10)


def test_evidence_is_the_log_of_the_best_residual_over_each():
    scores = np.array([[-2.0, -1.0, -8.0], [-0.5, -3.0, -0.75]])
    expected = [[np.log(1 / 2), 0, np.log(1 / 8)], [0, np.log(0.5 / 3), np.log(0.5 / 0.75)]]
    assert_allclose(evidence(scores), expected, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_what_one_query_can_say_is_bounded_by_its_own_largest_residual(scale):
    scores = -scale * np.array([[0.0, 1e-12, 1e-3, 4.0], [1.0, 1.0, 1.0, 1.0]])
    found = evidence(scores)
    assert_allclose(found[0], [0, 0, np.log(4e-9 / 1e-3), np.log(1e-9)], atol=1e-12)
    assert_allclose(found[1], 0, atol=1e-12)


def test_the_evidence_of_a_residual_of_zero_is_finite():
    assert np.isfinite(evidence(np.array([[0.0, -1.0]]))).all()
