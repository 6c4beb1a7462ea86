import numpy as np
from numpy.testing import assert_allclose

from crosslabel import SRC
from tests import naive
from tests.methods.faces import faces

LAMBDA = 0.15
X, LABELS = naive.problem()


def residuals(y, x):
    return [((y - x[c == LABELS] @ X[c == LABELS]) ** 2).sum() for c in range(3)]


def test_decisions_are_those_of_the_paper():
    model = naive.learn(SRC(LAMBDA), X, LABELS)
    costs = [residuals(y, naive.lasso(X @ X.T, X @ y, LAMBDA)) for y in naive.queries()]
    assert_allclose(model._scores(naive.queries()), -np.array(costs), atol=1e-6)
    assert_allclose(model.dictionary_, X)


def test_robust_decisions_code_over_samples_and_the_identity():
    model, costs = naive.learn(SRC(LAMBDA, robust=True), X, LABELS), []
    B = np.concatenate([X, np.eye(6)])
    for y in naive.queries():
        w = naive.lasso(B @ B.T, B @ y, LAMBDA)
        x, e = w[:12], w[12:]
        assert not y.any() or (x.any() and e.any())
        costs.append(residuals(y - e, x))
    assert_allclose(model._scores(naive.queries()), -np.array(costs), atol=1e-5)


def test_decisions_by_pursuit():
    model = naive.learn(SRC(sparsity=2), X, LABELS)
    costs = [residuals(y, naive.pursuit(X, y, 2)) for y in naive.queries()]
    assert_allclose(model._scores(naive.queries()), -np.array(costs), atol=1e-10)


def test_classes_of_the_same_samples_tie():
    X, y = faces(n_classes=2, n_per_class=5)
    twice = SRC(sparsity=1).fit(np.concatenate([X, X[y == 0]]), np.concatenate([y, np.full(5, 2)]))
    scores = twice.decision_function(np.zeros((1, 20)))
    assert_allclose(scores, 0)


def test_a_training_sample_is_its_own_code_as_the_penalty_vanishes():
    X, y = faces(n_per_class=4, n_features=30)
    assert_allclose(SRC(1e-9).fit(X, y).decision_function(X)[np.arange(12), y], 0, atol=1e-6)


def test_the_robust_form_stands_gross_errors_of_single_features():
    X, y = faces(n_per_class=20, n_features=60)
    train, test = np.arange(60) % 2 == 0, np.arange(60) % 2 == 1
    spoilt = X[test].copy()
    rng = np.random.default_rng(1)
    for row in spoilt:
        row[rng.choice(60, 15, replace=False)] = rng.choice([-1, 1], 15)
    plain = SRC(0.01, normalize=False).fit(X[train], y[train]).score(spoilt, y[test])
    robust = SRC(0.01, robust=True, normalize=False).fit(X[train], y[train])
    assert robust.score(spoilt, y[test]) >= plain + 0.1
