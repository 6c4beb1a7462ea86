import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import RanPAC
from crosslabel.methods.ranpac import RIDGES, _thin_svd, left_out_error
from tests import naive

X, LABELS = naive.problem()
T = np.eye(3)[LABELS]


def random_features(model, Y):
    return np.maximum(Y @ model.projection_, 0)


@pytest.mark.parametrize("n_random", [5, 40])
def test_the_classifier_is_a_ridge_regression_of_rectified_projections(n_random):
    model = naive.learn(RanPAC(n_random, ridge=0.3, random_state=0), X, LABELS)
    assert model.projection_.shape == (6, n_random)
    H = random_features(model, X)
    scale = np.mean([h @ h for h in H])
    assert_allclose(model.classifier_, naive.ridge(H, T, 0.3 * scale), atol=1e-9)
    expected = random_features(model, naive.queries()) @ model.classifier_
    assert_allclose(model._scores(naive.queries()), expected, atol=1e-12)


def test_the_error_of_samples_left_out_is_that_of_learning_without_each():
    H = np.maximum(X @ np.random.default_rng(0).normal(size=(6, 9)), 0)
    left, values, _ = np.linalg.svd(H, full_matrices=False)
    without = []
    for i in range(len(H)):
        others = np.arange(len(H)) != i
        W = naive.ridge(H[others], T[others], 0.2)
        without.append(((T[i] - H[i] @ W) ** 2).mean())
    assert_allclose(left_out_error(left, values, T, 0.2), np.mean(without))


@pytest.mark.parametrize("n_random", [5, 40])
def test_the_ridge_chosen_has_the_least_error_of_samples_left_out(n_random):
    model = naive.learn(RanPAC(n_random, random_state=1), X, LABELS)
    H = random_features(model, X)
    left, values, _ = np.linalg.svd(H, full_matrices=False)
    scale = np.mean((H**2).sum(axis=1))
    errors = [left_out_error(left, values, T, ridge * scale) for ridge in RIDGES]
    assert model.ridge_ == RIDGES[np.argmin(errors)]
    assert RIDGES[0] < model.ridge_ < RIDGES[-1]


@pytest.mark.parametrize("shape", [(5, 9), (9, 5)])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_matrix_of_low_rank_has_as_many_singular_values(shape, scale):
    rng = np.random.default_rng(0)
    H = scale * rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    left, values, right = _thin_svd(H)
    assert_allclose(np.sort(values)[::-1], np.linalg.svd(H)[1][:2])
    assert_allclose(left * values @ right, H, atol=1e-12 * scale)


def test_ridges_are_tried_from_a_hundred_millionth_to_a_hundred_times_the_energy():
    assert_allclose(RIDGES, [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100])
