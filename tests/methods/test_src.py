import numpy as np
from numpy.testing import assert_allclose

from crosslabel import SRC
from crosslabel.core.lasso import lasso
from tests.methods.faces import faces


def test_scores_are_the_residuals_of_the_definition():
    X, y = faces()
    model = SRC(0.05).fit(X[::2], y[::2])
    A, queries = X[::2], X[1::2]
    codes = lasso(A @ A.T, queries @ A.T, 0.05)
    residuals = np.stack(
        [((queries - codes[:, y[::2] == c] @ A[y[::2] == c]) ** 2).sum(axis=1) for c in range(3)],
        axis=1,
    )
    assert_allclose(model.decision_function(queries), -residuals, atol=1e-6)


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


def test_the_robust_form_with_clean_queries_predicts_like_the_plain_one():
    X, y = faces()
    plain, robust = SRC(1e-3).fit(X[::2], y[::2]), SRC(1e-3, robust=True).fit(X[::2], y[::2])
    assert np.mean(plain.predict(X) == robust.predict(X)) >= 0.9


def test_pursuit_with_one_atom_is_the_nearest_neighbour_by_angle():
    X, y = faces()
    model = SRC(sparsity=1).fit(X[::2], y[::2])
    nearest = np.abs(X[1::2] @ X[::2].T).argmax(axis=1)
    assert (model.predict(X[1::2]) == y[::2][nearest]).all()
