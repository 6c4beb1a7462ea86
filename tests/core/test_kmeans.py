import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans

from crosslabel.core.kmeans import kmeans


def inertia(X, centres, weights=None):
    squares = ((X[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
    return np.average(squares, weights=weights)


def test_separate_clusters_are_found():
    rng = np.random.default_rng(0)
    truth = 100 * rng.normal(size=(4, 3))
    X = np.repeat(truth, 20, axis=0) + rng.normal(size=(80, 3))
    centres = kmeans(X, 4, rng)
    nearest = ((truth[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert sorted(nearest) == [0, 1, 2, 3]
    assert_allclose(centres[nearest], X.reshape(4, 20, 3).mean(axis=1))


def test_inertia_is_as_low_as_scikit_learns():
    X = np.random.default_rng(0).normal(size=(200, 5))
    ours = np.mean([inertia(X, kmeans(X, 8, np.random.default_rng(s))) for s in range(10)])
    theirs = np.mean(
        [inertia(X, KMeans(8, n_init=1, random_state=s).fit(X).cluster_centers_) for s in range(10)]
    )
    assert ours <= 1.05 * theirs


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 1000))
def test_every_cluster_is_used_even_with_repeated_samples(n_samples, n_clusters, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n_samples, 2)).astype(float)
    centres = kmeans(X, n_clusters, rng)
    assert centres.shape == (min(n_clusters, n_samples), 2)
    assert np.isfinite(centres).all()


def test_as_many_clusters_as_samples_gives_the_samples():
    X = np.random.default_rng(0).normal(size=(5, 3))
    assert_allclose(kmeans(X, 5, np.random.default_rng(0)), X)


def test_weights_equal_repetition():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(30, 4)), rng.integers(1, 4, 30)
    weighted = kmeans(X, 5, np.random.default_rng(1), weights)
    repeated = kmeans(np.repeat(X, weights, axis=0), 5, np.random.default_rng(1))
    assert_allclose(weighted, repeated, atol=1e-10)


def test_float32_stays_float32():
    X = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    assert kmeans(X, 3, np.random.default_rng(0)).dtype == np.float32
