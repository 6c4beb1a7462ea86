import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.discriminant import Discriminant, WithinClass, discriminant
from crosslabel.core.moments import Moments
from tests.core.problems import samples


def naive(X, labels, weights, alpha, Y, own_variances=False):
    """μᵀW_α⁻¹y − ½μᵀW_α⁻¹μ with the matrices written out."""
    n_classes, M = labels.max() + 1, X.shape[1]
    W, means = np.zeros((M, M)), np.zeros((n_classes, M))
    for c in range(n_classes):
        w, Z = weights[labels == c], X[labels == c]
        means[c] = w @ Z / w.sum()
        W += ((Z - means[c]).T * w) @ (Z - means[c]) / weights.sum()
    scale = np.trace(W) / M if np.trace(W) > 1e-25 else 1.0
    target = np.diag(np.diag(W)) if own_variances else scale * np.eye(M)
    inverse = np.linalg.inv(W + alpha * target)
    return np.array([[m @ inverse @ y - 0.5 * m @ inverse @ m for m in means] for y in Y])


@st.composite
def labelled(draw):
    n_features = draw(st.integers(1, 12))
    sizes = draw(st.lists(st.integers(1, 15), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X, labels = samples(rng, sizes, n_features)
    return X, labels, rng.uniform(0.2, 3, len(X)), rng.normal(size=(5, n_features))


@given(labelled(), st.floats(-3, 2).map(lambda e: 10.0**e))
def test_scores_are_the_formula(data, alpha):
    X, labels, weights, Y = data
    statistics = Moments.from_samples(X, labels, labels.max() + 1, weights)
    expected = naive(X, labels, weights, alpha, Y)
    tolerance = {"rtol": 1e-6, "atol": 1e-7 * np.abs(expected).max()}
    assert_allclose(discriminant(statistics, alpha).scores(Y), expected, **tolerance)
    all_ = WithinClass.of(statistics)
    assert_allclose(all_.discriminant(alpha).scores(Y), expected, **tolerance)


@pytest.mark.parametrize("sizes", [(3, 2, 2), (9, 9, 9)])  # as rows, and as a matrix
@pytest.mark.parametrize("alpha", [0.03, 1.0, 20.0])
def test_features_of_unlike_units_are_shrunk_to_their_own_variances(sizes, alpha):
    rng = np.random.default_rng(0)
    X, labels = samples(rng, sizes, 7)
    X, weights = X * 10.0 ** np.arange(-3, 4), rng.uniform(0.5, 2, len(X))
    statistics = Moments.from_samples(X, labels, 3, weights)
    expected = naive(X, labels, weights, alpha, X, own_variances=True)
    assert_allclose(discriminant(statistics, alpha, True).scores(X), expected, rtol=1e-6)


def test_a_feature_that_does_not_vary_has_the_mean_variance_of_the_others():
    X, labels = samples(np.random.default_rng(0), (9, 8, 7), 5)
    X[:, 2] = np.array([1.0, -2.0, 0.5])[labels]
    statistics = Moments.from_samples(X, labels, 3)
    W = sum((X[labels == c] - X[labels == c].mean(0)).T @ (X[labels == c] - X[labels == c].mean(0))
            for c in range(3)) / len(X)  # fmt: skip
    target = np.diag(W).copy()
    target[2] = target.mean()
    inverse = np.linalg.inv(W + 0.3 * np.diag(target))
    expected = statistics.means @ inverse
    assert_allclose(discriminant(statistics, 0.3, True).weights, expected, rtol=1e-7, atol=1e-9)


def test_without_shrinkage_where_samples_vary_in_all_features():
    X, labels = samples(np.random.default_rng(0), (9, 8, 7), 5)
    statistics = Moments.from_samples(X, labels, 3)
    expected = naive(X, labels, np.ones(len(X)), 0.0, X)
    assert_allclose(discriminant(statistics, 0.0).scores(X), expected, rtol=1e-8)
    assert_allclose(WithinClass.of(statistics).discriminant(0.0).scores(X), expected, rtol=1e-8)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (9, 9, 9)])  # as rows, and as a matrix
def test_a_singular_covariance_without_shrinkage_gets_a_sentence(sizes):
    X, labels = samples(np.random.default_rng(0), sizes, 7)
    X[:, 3] = X[:, 2]
    statistics = Moments.from_samples(X, labels, 3)
    for make in (discriminant, lambda s, a: WithinClass.of(s).discriminant(a)):
        with pytest.raises(np.linalg.LinAlgError, match="shrinkage is 0"):
            make(statistics, 0.0)
        assert np.isfinite(make(statistics, 0.1).scores(X)).all()


def test_one_sample_per_class_is_the_nearest_mean():
    X = np.random.default_rng(0).normal(size=(4, 6))
    Y = np.random.default_rng(1).normal(size=(30, 6))
    statistics = Moments.from_samples(X, np.arange(4), 4)
    distances = np.sum((Y[:, None] - X) ** 2, axis=2)
    for one in (discriminant(statistics, 0.5), WithinClass.of(statistics).discriminant(0.5)):
        assert (one.scores(Y).argmax(axis=1) == distances.argmin(axis=1)).all()
        assert_allclose(one.scores(Y), (Y @ X.T - 0.5 * np.sum(X**2, axis=1)) / 0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_samples_do_not_vary_whatever_their_mean_is_rounded_to(dtype):
    X = np.random.default_rng(0).normal(size=(3, 6)).astype(dtype)
    repeated = Moments.from_samples(X.repeat(7, axis=0), np.arange(3).repeat(7), 3)
    single = Moments.from_samples(X, np.arange(3), 3)
    for one in (discriminant(repeated, 0.5), discriminant(repeated, 0.5, True)):
        assert_allclose(one.scores(X), discriminant(single, 0.5).scores(X), rtol=1e-4)


@pytest.mark.parametrize("n_features", [5, 60])
def test_float32_in_and_out(n_features):
    X, labels = samples(np.random.default_rng(0), (9, 8, 7), n_features)
    exact = discriminant(Moments.from_samples(X, labels, 3), 0.2).scores(X)
    single = X.astype(np.float32)
    statistics = Moments.from_samples(single, labels, 3)
    for one in (discriminant(statistics, 0.2), WithinClass.of(statistics).discriminant(0.2)):
        assert one.scores(single).dtype == np.float32
        assert_allclose(one.scores(single), exact, atol=1e-4 * np.abs(exact).max())


def test_tensors_give_tensors():
    torch = pytest.importorskip("torch")
    Y = np.random.default_rng(0).normal(size=(4, 3))
    one = Discriminant(np.arange(6.0).reshape(2, 3), np.array([1.0, -1.0]))
    scores = one.scores(torch.as_tensor(Y))
    assert isinstance(scores, torch.Tensor)
    assert_allclose(scores.numpy(), one.scores(Y))
    assert one.scores(torch.as_tensor(Y, dtype=torch.float32)).dtype == torch.float32
