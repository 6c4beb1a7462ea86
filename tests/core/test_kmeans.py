import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from crosslabel.core.kmeans import _assign, _distances, _draw, _means, kmeans


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


def squared(a, b):
    return float(((a - b) ** 2).sum())


def naive_start(X, n_clusters, rng, weights):
    """Greedy k-means++ sample by sample, from the same random numbers."""

    def drawn(mass, uniform):
        below = 0.0
        for i, m in enumerate(mass):
            below += m
            if uniform * sum(mass) < below:
                return i
        return len(mass) - 1

    chosen = [X[drawn(weights, rng.random(1)[0])]]
    while len(chosen) < n_clusters:
        near = [min(squared(x, c) for c in chosen) for x in X]
        trials = [drawn(weights * near, u) for u in rng.random(2 + int(np.log(n_clusters)))]
        costs = [
            sum(w * min(d, squared(x, X[t])) for x, w, d in zip(X, weights, near)) for t in trials
        ]
        chosen.append(X[trials[int(np.argmin(costs))]])
    return np.array(chosen)


def naive_kmeans(X, n_clusters, rng, weights, tol):
    """Lloyd's steps until the weighted sum of squares falls by less than a part of itself."""
    centres, sums = naive_start(X, n_clusters, rng, weights), [np.inf]
    for _ in range(50):
        nearest = np.array([np.argmin([squared(x, c) for c in centres]) for x in X])
        sums.append(sum(w * squared(x, centres[k]) for x, w, k in zip(X, weights, nearest)))
        if sums[-2] - sums[-1] <= tol * sums[-1]:
            break
        centres = np.array(
            [
                np.average(X[nearest == k], axis=0, weights=weights[nearest == k])
                for k in range(n_clusters)
            ]
        )
    return centres


@pytest.mark.parametrize("tol", [1e-4, 0.1, 1e3])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("n_clusters", [1, 2, 5, 8])
def test_equals_a_naive_kmeans_from_the_same_random_numbers(n_clusters, scale, tol):
    rng = np.random.default_rng(n_clusters)
    X, weights = scale * rng.normal(size=(40, 3)), rng.uniform(0.5, 2, 40)
    for seed in range(3):
        found = kmeans(X, n_clusters, np.random.default_rng(seed), weights, tol=tol)
        expected = naive_kmeans(X, n_clusters, np.random.default_rng(seed), weights, tol)
        assert_allclose(found, expected, rtol=1e-8, atol=1e-10 * scale)


def test_rounding_does_not_choose_between_two_that_are_each_others_nearest():
    X = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 1.0]])
    for seed in range(20):
        a, b = (
            kmeans(X, 2, np.random.default_rng(seed), np.array([1, 1, 1 + more]), max_iter=0)
            for more in (-1e-12, 1e-12)
        )
        assert_array_equal(a, b)


def test_the_steps_are_counted():
    X = np.random.default_rng(0).normal(size=(60, 3))
    weights = np.ones(60)
    start = kmeans(X, 6, np.random.default_rng(0), max_iter=0)
    assert_allclose(start, naive_start(X, 6, np.random.default_rng(0), weights))
    once = kmeans(X, 6, np.random.default_rng(0), max_iter=1)
    assert_allclose(once, naive_kmeans(X, 6, np.random.default_rng(0), weights, 1e9))


def test_an_empty_cluster_takes_the_farthest_sample_of_one_that_keeps_another():
    X = np.array([[0.0], [1.0], [5.0], [90.0]])
    nearest, distances = np.array([0, 0, 0, 1]), np.array([1.0, 0.5, 3.0, 50.0])
    weights = np.array([1.0, 2.0, 4.0, 8.0])
    found = _means(X, nearest, distances, weights, 3)
    assert_allclose(found, [[2 / 3], [90.0], [5.0]])
    assert distances[2] == 0.0


def test_several_empty_clusters_take_one_sample_each():
    X = np.array([[0.0], [1.0], [5.0], [7.0]])
    nearest, distances = np.zeros(4, int), np.array([0.1, 0.2, 0.3, 0.4])
    found = _means(X, nearest, distances, np.array([1.0, 3.0, 1.0, 1.0]), 4)
    assert_allclose(found, [[0.0], [7.0], [5.0], [1.0]])


def test_distances_are_never_negative():
    X = 1e8 + np.random.default_rng(0).normal(size=(20, 3)) * 1e-3
    energies = (X**2).sum(axis=1)
    nearest, distances = _assign(X, energies, X[:4])
    assert (distances >= 0).all()
    assert _distances(X, energies, [3, 5]).min() == 0.0
    assert_allclose(_distances(X, energies, [3, 5])[[0, 1], [3, 5]], 0.0)


def test_draws_fall_where_the_mass_lies():
    mass = np.array([0.0, 2.0, 0.0, 6.0, 0.0])
    found = _draw(mass, np.array([0.0, 0.2, 0.25, 0.9, 1.0]))
    assert found.tolist() == [1, 1, 3, 3, 4]
