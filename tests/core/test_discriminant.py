import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import discriminant as module
from crosslabel.core.discriminant import (
    Contrasts,
    Discriminant,
    WithinClass,
    discriminant,
    positive,
)
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


def test_samples_of_zeros_are_alike_to_all():
    one = discriminant(Moments.from_samples(np.zeros((4, 3)), np.arange(4) % 2, 2), 0.5)
    assert_allclose(one.scores(np.eye(3)), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_vary_by_more_than_a_hundred_roundings_of_the_longest_mean(dtype):
    means = np.array([[3, 4], [0, 0.125]], dtype)
    limit = (100 * float(np.finfo(dtype).eps)) ** 2 * 25
    assert module._varies(1.005 * limit, means)
    assert not module._varies(0.995 * limit, means)


def test_a_variance_below_rounding_is_the_mean_of_all():
    assert_allclose(positive(np.array([2e6, 1e-7, 1.0])), [2e6, 2000001 / 3, 1.0])
    assert_allclose(positive(np.array([2e-6, 1e-15, 1e-20])), [2e-6, 1e-15, (2e-6 + 1e-15) / 3])
    assert_allclose(positive(np.zeros(2)), 1.0)


LABELS = np.array([0, 0, 0, 1, 1, 3, 3, 3, 3])
"""Of five classes two have no sample."""


def few_samples(varying=1.0, seed=0):
    """Rows longer than they are many, ordered by class, and their weights."""
    rng = np.random.default_rng(seed)
    means = 2 * rng.normal(size=(5, 14))
    X = means[LABELS] + varying * rng.normal(size=(len(LABELS), 14))
    return X, rng.uniform(0.3, 3, len(LABELS)), rng.normal(size=(6, 14))


def by_contrasts(X, weights, alpha, size, Y):
    """Scores by the formula; a class without samples has the mean of all."""
    W, means = np.zeros((X.shape[1],) * 2), np.tile(weights @ X / weights.sum(), (5, 1))
    for c in np.unique(LABELS):
        w, own = weights[c == LABELS], X[c == LABELS]
        means[c] = w @ own / w.sum()
        W += ((own - means[c]).T * w) @ (own - means[c]) / weights.sum()
    energy = sum(w * x @ x for w, x in zip(weights, X)) / weights.sum()
    varies = np.trace(W) > 1e-12 * energy
    shift = alpha * (np.trace(W) / size if varies else energy)
    inverse = np.linalg.inv(W * varies + shift * np.eye(len(W)))
    return np.array([[m @ inverse @ y - 0.5 * m @ inverse @ m for m in means] for y in Y])


@pytest.mark.parametrize("varying", [1.0, 3e-5, 0.0])
@pytest.mark.parametrize("size", [9, 14])
def test_discriminants_by_products_of_samples_are_the_formula(varying, size):
    X, weights, Y = few_samples(varying)
    contrasts, shrinkages = Contrasts.of(LABELS, weights, 5), [0.01, 0.4, 30.0]
    found = contrasts.discriminants(X @ X.T, X @ Y.T, shrinkages, size)
    for scores, alpha in zip(found, shrinkages):
        expected = by_contrasts(X, weights, alpha, size, Y)
        digits = 1e-4 if varying == 3e-5 else 1e-7  # such samples have lost digits themselves
        close = {"rtol": 100 * digits, "atol": digits * np.abs(expected).max()}
        assert_allclose(scores, expected, **close)
        one = contrasts.discriminant(X @ X.T, X, alpha, size)
        assert_allclose(one.scores(Y), expected, **close)
        assert_allclose(one.offsets, expected[0] - Y[0] @ one.weights.T, **close)


def test_contrasts_of_zeros_are_alike_to_all():
    nothing = Contrasts.of(LABELS, np.ones(9), 5).discriminants(
        np.zeros((9, 9)), np.zeros((9, 2)), [0.5], 14
    )
    assert_allclose(nothing, 0)


def test_turned_samples_are_the_means_and_what_varies():
    X, weights, _ = few_samples()
    contrasts = Contrasts.of(LABELS, weights, 5)
    turned = contrasts.turned(X)
    assert_allclose(turned.T @ turned, (X.T * weights) @ X)
    for place, c in enumerate(np.unique(LABELS)):
        w, own = weights[c == LABELS], X[c == LABELS]
        assert_allclose(turned[contrasts.first[place]], -(w @ own) / np.sqrt(w.sum()))
        rest = turned[np.intersect1d(contrasts.rest, np.flatnonzero(c == LABELS))]
        about = own - w @ own / w.sum()
        assert_allclose(rest.T @ rest, (about.T * w) @ about, atol=1e-12)


@pytest.mark.parametrize("sizes", [(3, 2, 2), (9, 9, 9)])  # as rows, and as a matrix
def test_one_set_of_statistics_serves_every_shrinkage(sizes):
    """Each discriminant leaves the matrix as it was for the next."""
    X, labels = samples(np.random.default_rng(0), sizes, 8)
    statistics = Moments.from_samples(X, labels, 3)
    within = WithinClass.of(statistics)
    for alpha in (3.0, 0.2, 3.0):
        expected = naive(X, labels, np.ones(len(X)), alpha, X)
        assert_allclose(within.discriminant(alpha).scores(X), expected, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-5, 1e5])
def test_whether_samples_vary_is_relative_to_their_energy(scale):
    """Contrasts of small samples that vary, and of large ones that do not."""
    X, weights, _ = few_samples(1.0 if scale < 1 else 1e-8)
    contrasts = Contrasts.of(LABELS, weights, 5)
    X = scale * X
    found = contrasts.discriminants(X @ X.T, X @ X.T, [0.4], 14)[0]
    expected = by_contrasts(X, weights, 0.4, 14, X)
    assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
