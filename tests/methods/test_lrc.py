import numpy as np
from numpy.testing import assert_allclose

from crosslabel import LRC
from tests import naive

X, LABELS = naive.problem()


def test_decisions_are_those_of_the_paper():
    model = naive.learn(LRC(), X, LABELS)
    for y, found in zip(naive.queries(), model._scores(naive.queries())):
        for c in range(3):
            A = X[c == LABELS].T
            beta = np.linalg.inv(A.T @ A) @ A.T @ y
            assert_allclose(found[c], -((y - A @ beta) ** 2).sum(), atol=1e-12)


def test_dependent_samples_span_what_the_independent_ones_do():
    twice = np.concatenate([X, X[:5] + X[[1, 2, 3, 4, 0]]])
    labels = np.concatenate([LABELS, np.zeros(5, int)])
    order = np.argsort(labels, kind="stable")
    model = naive.learn(LRC(), twice[order], labels[order])
    plain = naive.learn(LRC(), X, LABELS)
    assert_allclose(model._scores(naive.queries()), plain._scores(naive.queries()), atol=1e-12)
    assert model.bases_.shape == plain.bases_.shape == (12, 6)
    assert_allclose(model.bases_[:5] @ model.bases_[:5].T, np.eye(5), atol=1e-12)


def test_small_directions_count_and_those_of_rounding_do_not():
    small = np.array([[1.0, 0.0, 0.0], [1.0, 1e-12, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1e-17]])
    model = naive.learn(LRC(), small, np.array([0, 0, 1, 1]))
    assert len(model.bases_) == 3  # two of the first class, one of the second
    rounding = np.array([[1.0, 0.0, 0.0], [1.0, 5e-16, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1e-15]])
    model = naive.learn(LRC(), rounding, np.array([0, 0, 1, 1]))
    assert len(model.bases_) == 2 + (1e-15 / np.sqrt(2) > 3 * np.finfo(float).eps * np.sqrt(2))


def test_classes_that_span_everything_tie():
    rng = np.random.default_rng(0)
    model = LRC(normalize=False).fit(rng.normal(size=(20, 3)), np.arange(20) % 2)
    scores = model._class_scores(1e3 * rng.normal(size=(50, 3)))
    assert not scores.any()


def test_a_small_residual_beyond_rounding_decides():
    model = LRC(normalize=False).fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    scores = model._class_scores(np.array([[1.0, 1e-5], [10.0, 1e-7]]))
    assert_allclose(scores, [[-1e-10, -1], [0, -100]], rtol=1e-4)
