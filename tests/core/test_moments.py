import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.moments import ImpossibleRemovalError, Moments


def literal(X, labels, n_classes, weights=None):
    """Count, mean and scatter by their definitions."""
    weights = np.ones(len(X)) if weights is None else weights
    for c in range(n_classes):
        w, Y = weights[labels == c], X[labels == c]
        mean = w @ Y / w.sum()
        yield w.sum(), mean, ((Y - mean).T * w) @ (Y - mean)


def assert_same(statistics, expected, atol=1e-10):
    for c, (count, mean, scatter) in enumerate(expected):
        assert_allclose(statistics.counts[c], count, atol=atol)
        assert_allclose(statistics.means[c], mean, atol=atol)
        assert_allclose(statistics.scatters[c].matrix(), scatter, atol=atol)
        factor = statistics.scatters[c].factor()
        assert_allclose(factor.T @ factor, scatter, atol=atol)


@st.composite
def labelled(draw):
    n_features = draw(st.integers(1, 8))
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(labels), n_features)), labels, len(sizes), rng


@given(labelled())
def test_statistics_are_count_mean_and_scatter(data):
    X, labels, n_classes, rng = data
    weights = rng.uniform(0.1, 3, len(X))
    assert_same(
        Moments.from_samples(X, labels, n_classes, weights),
        literal(X, labels, n_classes, weights),
    )


@given(labelled())
def test_any_batching_gives_the_same_statistics(data):
    X, labels, n_classes, rng = data
    statistics = Moments.empty(n_classes, X.shape[1], X.dtype)
    for batch in np.array_split(rng.permutation(len(X)), 3):
        statistics = statistics.update(X[batch], labels[batch])
    assert_same(statistics, literal(X, labels, n_classes))


@given(labelled())
def test_removal_undoes_addition(data):
    X, labels, n_classes, rng = data
    gone = rng.random(len(X)) < 0.4
    gone[[np.flatnonzero(labels == c)[0] for c in range(n_classes)]] = False
    rest = Moments.from_samples(X, labels, n_classes).remove(X[gone], labels[gone])
    assert_same(rest, literal(X[~gone], labels[~gone], n_classes), atol=1e-7)


def test_removing_a_whole_class_leaves_it_empty():
    X, labels = np.random.default_rng(0).normal(size=(9, 4)), np.repeat([0, 1, 2], 3)
    rest = Moments.from_samples(X, labels, 3).remove(X[labels == 1], labels[labels == 1])
    assert rest.counts.tolist() == [3, 0, 3]
    assert not rest.means[1].any()
    assert len(rest.scatters[1].array) == 0


@pytest.mark.parametrize("n_samples", [4, 40])  # kept as factor, kept as matrix
def test_removing_what_was_never_added_is_detected(n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 8))
    labels = np.zeros(n_samples, int)
    statistics = Moments.from_samples(X, labels, 1)
    with pytest.raises(ImpossibleRemovalError, match="vary more"):
        statistics.remove(10 * X[:2] + 5, labels[:2])
    with pytest.raises(ImpossibleRemovalError, match="has"):
        statistics.remove(np.tile(X, (2, 1)), np.tile(labels, 2))


@given(labelled())
@settings(max_examples=30)
def test_integer_weights_equal_repetition(data):
    X, labels, n_classes, rng = data
    weights = rng.integers(1, 4, len(X))
    repeated = Moments.from_samples(
        np.repeat(X, weights, axis=0), np.repeat(labels, weights), n_classes
    )
    weighted = Moments.from_samples(X, labels, n_classes, weights)
    assert_same(
        weighted, literal(np.repeat(X, weights, axis=0), np.repeat(labels, weights), n_classes)
    )
    assert_allclose(weighted.counts, repeated.counts)


def test_targets_sum_to_the_second_moment():
    X, labels = np.random.default_rng(0).normal(size=(10, 6)), np.repeat([0, 1], [3, 7])
    targets = Moments.from_samples(X, labels, 2).targets()
    assert_allclose(targets.rows.T @ targets.rows, X.T @ X)
    # A class of n samples needs one row for its mean and n − 1 for its scatter.
    assert np.diff(targets.starts).tolist() == [2, 6]


def test_memory_stops_growing_with_the_number_of_samples():
    X = np.random.default_rng(0).normal(size=(1000, 5))
    statistics = Moments.from_samples(X, np.zeros(1000, int), 1)
    assert statistics.scatters[0].array.shape == (5, 5)


def test_projection_on_an_orthonormal_basis_keeps_the_second_moment():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 9))
    basis = np.linalg.qr(X.T)[0].T
    projected = Moments.from_samples(X, np.zeros(4, int), 1).project(basis)
    rows = projected.targets().rows @ basis
    assert_allclose(rows.T @ rows, X.T @ X, atol=1e-12)


def test_statistics_of_different_shapes_do_not_merge():
    a = Moments.empty(2, 3, np.dtype(float))
    with pytest.raises(ValueError, match="2 classes with 3 features"):
        a.merge(Moments.empty(2, 4, np.dtype(float)))


def test_float32_stays_float32():
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    targets = Moments.from_samples(X, np.repeat([0, 1], 10), 2).targets()
    assert targets.rows.dtype == np.float32
