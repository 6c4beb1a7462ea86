import numpy as np
from numpy.testing import assert_allclose

from crosslabel import KSVD
from tests.methods.faces import faces


def test_the_classifier_satisfies_the_normal_equations_of_ridge_regression():
    X, y = faces()
    model = KSVD(4, sparsity=3, ridge=0.5, max_iter=5, random_state=0).fit(X, y)
    codes = model._codes(X)
    W = np.linalg.solve(codes.T @ codes + 0.5 * np.eye(12), codes.T @ np.eye(3)[y])
    scores = model.decision_function(X)
    assert_allclose(scores, codes @ W, atol=1e-8)


def test_more_rounds_fit_the_samples_better():
    X, y = faces(n_per_class=30)

    def error(max_iter):
        model = KSVD(5, sparsity=2, init_iter=0, max_iter=max_iter, random_state=0).fit(X, y)
        return ((X - model._codes(X) @ model.dictionary_) ** 2).sum()

    assert error(30) < error(1)
    assert_allclose(
        np.linalg.norm(KSVD(5, max_iter=2).fit(X, y).dictionary_, axis=1), 1, rtol=1e-10
    )
