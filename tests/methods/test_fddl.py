import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import FDDL
from crosslabel.core.lasso import lasso
from tests.methods.faces import faces, never_rises


def test_objective_falls():
    X, y = faces()
    assert never_rises(FDDL(4, tol=0, random_state=0).fit(X, y).objective_trace_)


def test_global_scores_are_residual_and_distance_to_the_mean_code():
    X, y = faces()
    model = FDDL(4, penalty=0.01, weight=0.3, random_state=0).fit(X, y)
    D = model.dictionary_
    codes = lasso(D @ D.T, X @ D.T, 0.01)
    costs = []
    for c in range(3):
        own = model.atom_labels_ == c
        mean = model.means_[np.flatnonzero(model._class_order == c)[0]]
        residual = ((X - codes[:, own] @ D[own]) ** 2).sum(axis=1)
        costs.append(residual + 0.3 * ((codes - mean) ** 2).sum(axis=1))
    scores = -np.stack(costs, axis=1)
    found = model.decision_function(X)
    # What all classes share, ‖code‖², is left out of the scores.
    assert_allclose(found - found[:, :1], scores - scores[:, :1], atol=1e-6)


def test_local_scores_are_the_least_costs():
    X, y = faces()
    model = FDDL(4, coding="local", penalty=0.01, fisher=0.1, random_state=0).fit(X, y)
    rng = np.random.default_rng(0)
    for c in range(3):
        own = model.atom_labels_ == c
        D = model.dictionary_[own]
        mean = model.means_[np.flatnonzero(model._class_order == c)[0], own]
        best = -model.decision_function(X)[:, c]
        for _ in range(20):
            code = rng.normal(size=(len(X), len(D)))
            cost = ((X - code @ D) ** 2).sum(axis=1) + 0.01 * np.abs(code).sum(axis=1)
            assert (cost + 0.1 * ((code - mean) ** 2).sum(axis=1) >= best - 1e-9).all()


@pytest.mark.parametrize("coding", ["global", "local"])
def test_both_rules_tell_the_classes_apart(coding):
    X, y = faces(n_per_class=20)
    model = FDDL(4, coding=coding, random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) >= 0.9


def test_the_fisher_criterion_draws_the_codes_of_a_class_together():
    X, y = faces(n_per_class=20)

    def spread(fisher):
        D = (model := FDDL(4, fisher=fisher, random_state=0).fit(X, y)).dictionary_
        codes = lasso(D @ D.T, X @ D.T, model.penalty)
        means = np.stack([codes[y == c].mean(axis=0) for c in range(3)])
        return ((codes - means[y]) ** 2).sum() / (codes**2).sum()

    assert spread(0.5) < spread(0.0)
