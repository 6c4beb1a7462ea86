import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import rules
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import RULES, GlobalRule, LocalRule
from crosslabel.core.scaling import unit_rows
from tests.core.problems import problem, problems


def literal_global(Y, D, layout, ridge):
    codes = np.linalg.solve(D @ D.T + ridge * np.eye(len(D)), D @ Y.T).T
    scores = np.empty((len(Y), layout.n_classes))
    for c in range(layout.n_classes):
        S = layout.free(c)
        residuals = ((Y - codes[:, S] @ D[S]) ** 2).sum(axis=1)
        scores[:, c] = -residuals / np.abs(codes[:, S]).sum(axis=1)
    return scores


def literal_local(Y, D, layout, ridge):
    scores = np.empty((len(Y), layout.n_classes))
    for c in range(layout.n_classes):
        atoms = D[layout.free(c)]
        codes = np.linalg.solve(atoms @ atoms.T + ridge * np.eye(len(atoms)), atoms @ Y.T).T
        scores[:, c] = -((Y - codes @ atoms) ** 2).sum(axis=1)
    return scores


LITERAL = {"global": literal_global, "local": literal_local}


@pytest.mark.parametrize("name", RULES)
@given(data=problems(), ridge=st.floats(-3, 1).map(lambda e: 10.0**e))
def test_scores_equal_the_papers_definition(name, data, ridge):
    X, _, layout, D = data
    expected = LITERAL[name](X, D, layout, ridge)
    assert_allclose(RULES[name](D, layout, ridge).scores(X), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", RULES)
def test_blocks_of_queries_change_nothing(name, monkeypatch):
    X, _, layout, D = problem(sizes=(70, 70, 70))
    whole = RULES[name](D, layout, 0.1).scores(X)
    monkeypatch.setattr(rules, "_BLOCK", 1)
    assert_allclose(RULES[name](D, layout, 0.1).scores(X), whole, rtol=1e-12)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("shared", [0, 2])
def test_a_query_scores_the_same_alone_and_is_not_changed(name, shared):
    X, _, layout, D = problem(per_class=(2, 4, 3), shared=shared)
    rule, before = RULES[name](D, layout, 0.1), X.copy()
    alone = np.concatenate([rule.scores(row[None]) for row in X])
    assert_allclose(alone, rule.scores(X), rtol=1e-12)
    assert_allclose(X, before, rtol=0)


@pytest.mark.parametrize("name", RULES)
def test_a_class_that_spans_the_query_wins(name):
    layout = AtomLayout(0, (2, 2))
    D = unit_rows(np.eye(6)[:4] + 0.01)
    queries = np.array([[1.0, 1, 0, 0, 0, 0], [0, 0, 1, 2, 0, 0]])
    scores = RULES[name](D, layout, 1e-3).scores(queries)
    assert scores.argmax(axis=1).tolist() == [0, 1]


@pytest.mark.parametrize("name", RULES)
def test_a_zero_query_scores_the_same_for_all_classes(name):
    _, _, layout, D = problem()
    assert_allclose(RULES[name](D, layout, 0.1).scores(np.zeros((1, 12))), 0)


@pytest.mark.parametrize("name", RULES)
def test_dependent_atoms_without_ridge_are_reported(name):
    _, _, layout, D = problem(n_features=20)
    D[4] = D[3]
    with pytest.raises(np.linalg.LinAlgError, match="ridge > 0"):
        RULES[name](D, layout, 0.0)


def test_a_class_that_the_code_does_not_touch_cannot_win_nor_overflow():
    layout = AtomLayout(0, (1, 1))
    scores = GlobalRule(np.eye(3)[:2], layout, 0.1).scores(np.array([[1.0, 0.0, 0.0]]))
    assert np.isfinite(scores).all()
    assert scores.argmax() == 0


@pytest.mark.parametrize("rule", [GlobalRule, LocalRule])
def test_float32_stays_float32_and_close(rule):
    X, _, layout, D = problem(n_features=40)
    exact = rule(D, layout, 0.01).scores(X)
    single = rule(D.astype(np.float32), layout, 0.01).scores(X.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, exact, atol=1e-4)
