import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.discriminant import discriminant
from crosslabel.core.ordering import row_hashes
from crosslabel.flagship.fold_scores import (
    GLOBAL_RULES,
    Fold,
    closed_form_scores,
    fold_scores,
    is_closed_form,
    learnt_scores,
)
from crosslabel.flagship.grid import Setting
from crosslabel.flagship.problem import Settings
from crosslabel.intake.checking import Training
from tests.core.problems import problems, samples

QUICK = ("local", *GLOBAL_RULES)


def fold_of(X, labels, scale="unit", repeat=1):
    """A fold that trains with these samples, some of them several times, and tests others."""
    times = np.where(np.arange(len(X)) % 3 == 0, repeat, 1)
    X, labels = np.repeat(X, times, axis=0), np.repeat(labels, times)
    classes = np.unique(labels)
    training = Training(X, classes, labels, np.linspace(1, 2, len(X)))
    queries = np.random.default_rng(0).normal(size=(7, X.shape[1])) + X[:7].sum(axis=0)
    return Fold.of(training, queries, scale, row_hashes(X))


@given(problems(), st.sampled_from([1e-3, 0.1, 2.0]), st.integers(1, 12), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_scores_without_a_dictionary_are_those_of_the_rules(problem, ridge, n_atoms, repeat):
    fold = fold_of(problem[0], problem[1], repeat=repeat)
    grid = [Setting(n_atoms, math.inf, 0.0, ridge, rule) for rule in QUICK]
    found, expected = closed_form_scores(fold, grid), learnt_scores(fold, grid, Settings())
    for one in grid:
        assert_allclose(found[one], expected[one], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("n_features", [5, 60])
def test_a_whole_grid_with_fewer_and_with_more_features_than_atoms(n_features):
    fold = fold_of(*samples(np.random.default_rng(0), (6, 9, 12), n_features), scale="standard")
    atoms = (2, 8, (1, 2, 5))
    grid = [
        Setting(k, math.inf, 0.0, ridge, rule)
        for k in atoms for ridge in (0.01, 0.5) for rule in QUICK
    ]  # fmt: skip
    found, expected = closed_form_scores(fold, grid), learnt_scores(fold, grid, Settings())
    for one in grid:
        assert_allclose(found[one], expected[one], rtol=1e-5, atol=1e-8)


def test_a_class_of_zeros():
    X, labels = samples(np.random.default_rng(0), (4, 5), 6)
    X[labels == 0] = 0
    fold = fold_of(X, labels)
    grid = [Setting(2, math.inf, 0.0, 0.1, rule) for rule in QUICK]
    for scores in closed_form_scores(fold, grid).values():
        assert np.isfinite(scores).all()


def test_only_what_follows_from_the_axes_is_not_learnt():
    one, base = Setting(3, math.inf, 0.0, 0.1, "local"), Settings()
    assert is_closed_form(one, base)
    for change in ({"suppression": 2.0}, {"grouping": 0.1}, {"ridge": 0.0}, {"rule": "global"}):
        assert not is_closed_form(one._replace(**change), base)
    for other in (Settings(shared_atoms=1), Settings(init="kmeans")):
        assert not is_closed_form(one, other)


@pytest.mark.parametrize(("ridge", "expected"), [(1e-8, True), (9e-9, False)])
def test_with_next_to_no_ridge_the_dictionary_is_learnt(ridge, expected):
    setting = Setting(3, math.inf, 0.0, ridge, "local")
    assert is_closed_form(setting, Settings()) is expected


def test_scores_of_all_kinds():
    fold = fold_of(*samples(np.random.default_rng(0), (6, 9), 8))
    grid = [Setting(2, math.inf, 0.0, 0.1, rule) for rule in ("local", "global")]
    found = fold_scores(fold, grid, [0.1, 1.0], Settings())
    assert set(found.by_rule) == set(grid)
    for shrinkage in (0.1, 1.0):
        expected = discriminant(fold.moments, shrinkage).scores(fold.queries)
        assert_allclose(found.linear[shrinkage], expected, rtol=1e-6, atol=1e-9)
    assert fold_scores(fold, grid[:1], [], Settings()).linear == {}


def test_a_fold_sees_nothing_of_its_queries():
    X, labels = samples(np.random.default_rng(0), (6, 9), 8)
    training = Training(X, np.arange(2), labels, np.ones(15))
    fold = Fold.of(training, 100 + X[:3], "standard", row_hashes(X))
    assert_allclose(fold.lift.center, X.mean(axis=0))
    assert_allclose(fold.lift.spread, X.std(axis=0))
    assert fold.n_distinct.tolist() == [6, 9]
