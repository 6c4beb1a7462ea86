import numpy as np
from numpy.testing import assert_allclose

from crosslabel.core.moments import Moments
from crosslabel.core.shared_variation import SharedVariation
from tests.core.problems import samples


def test_the_metric_is_the_inverse_root():
    X, labels = samples(np.random.default_rng(0), (5, 6, 7), 8)
    shared = SharedVariation.of(Moments.from_samples(X, labels, 3), 3)
    L = shared.shrink(np.eye(8), 0.1)
    assert_allclose(L @ L @ (np.eye(8) + shared.atoms.T @ shared.atoms / 0.1), np.eye(8), atol=1e-9)
    assert_allclose(shared.expand(L, 0.1), np.eye(8), atol=1e-12)


def test_more_shared_atoms_than_directions_share_these():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(2, 6)), 3, axis=0)
    X[[0, 3], :2] += [[1.0, 0.0], [0.0, 1.0]]
    shared = SharedVariation.of(Moments.from_samples(X, np.repeat([0, 1], 3), 2), 5)
    assert_allclose(np.linalg.norm(shared.atoms, axis=1), 1)
    assert_allclose(shared.atoms.T @ shared.atoms, np.diag([2.5, 2.5, 0, 0, 0, 0]), atol=1e-7)
    L = shared.shrink(np.eye(6), 0.1)
    assert_allclose(L @ L @ (np.eye(6) + shared.atoms.T @ shared.atoms / 0.1), np.eye(6), atol=1e-6)


def test_without_ridge_what_is_shared_is_taken_out():
    X, labels = samples(np.random.default_rng(0), (5, 6, 7), 8)
    shared = SharedVariation.of(Moments.from_samples(X, labels, 3), 3)
    rest = shared.shrink(X, 0.0)
    assert_allclose(rest @ shared.axes.T, 0, atol=1e-12)
    assert_allclose(rest + (X @ shared.axes.T) @ shared.axes, X, atol=1e-12)
    assert_allclose(shared.expand(rest, 0.0), rest)


def test_without_ridge_nothing_is_put_back():
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    shared, rows = SharedVariation(axes[:2], axes[:2], 1.0), rng.normal(size=(3, 5))
    assert_allclose(shared.expand(rows, 0.0), rows)
