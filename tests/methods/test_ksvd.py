import numpy as np
from numpy.testing import assert_allclose

from crosslabel import KSVD
from crosslabel.core.ksvd import ksvd
from tests import naive
from tests.methods.faces import faces

X, LABELS = naive.problem()


def test_atoms_are_those_of_ksvd_and_the_classifier_is_the_ridge_regression_of_their_codes():
    model = KSVD(
        2, sparsity=2, ridge=0.5, init_iter=1, max_iter=3, rank_one="exact", random_state=0
    )
    naive.learn(model, X, LABELS)
    start, _ = model._start(X, LABELS)
    atoms, _ = ksvd(X, start, 2, n_iter=3, rank_one="exact")
    assert_allclose(model.dictionary_, atoms)
    codes = naive.pursuits(atoms, X, 2)
    assert_allclose(model.classifier_, naive.ridge(codes, np.eye(3)[LABELS], 0.5), atol=1e-9)
    scores = naive.pursuits(atoms, naive.queries(), 2) @ model.classifier_
    assert_allclose(model._scores(naive.queries()), scores, atol=1e-9)


def test_more_rounds_fit_the_samples_better():
    X, y = faces(n_per_class=30)

    def error(max_iter):
        model = KSVD(5, sparsity=2, init_iter=0, max_iter=max_iter, random_state=0).fit(X, y)
        D = model.dictionary_
        assert_allclose(np.linalg.norm(D, axis=1), 1)
        return ((X - naive.pursuits(D, X, 2) @ D) ** 2).sum()

    assert error(30) < error(1)
