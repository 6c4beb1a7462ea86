import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.initialise import (
    INITIALISERS,
    _reconstruction,
    directions,
    kmeans_start,
    random_start,
    whole_random_start,
)
from crosslabel.core.kmeans import kmeans
from crosslabel.core.scaling import unit_rows
from tests.core.problems import problem


@pytest.mark.parametrize("name", INITIALISERS)
def test_a_start_has_unit_norm_atoms_in_the_span_of_the_data(name):
    X, labels, layout, _ = problem(n_features=40)
    D = INITIALISERS[name](X, labels, layout, 0.01, np.random.default_rng(0), None)
    assert D.shape == (layout.n_atoms, 40)
    assert_allclose(np.linalg.norm(D, axis=1), 1)
    assert_allclose(D @ np.linalg.pinv(X) @ X, D, atol=1e-10)


def test_kmeans_atoms_come_from_their_own_class():
    X, labels, layout, _ = problem(n_features=40, shared=0)
    D = kmeans_start(X, labels, layout, 0.01, np.random.default_rng(0))
    for c in range(3):
        own = X[labels == c]
        assert_allclose(D[layout.own(c)] @ np.linalg.pinv(own) @ own, D[layout.own(c)], atol=1e-10)


def test_shared_atoms_are_centroids_of_what_the_class_atoms_leave():
    X, labels, layout, _ = problem(n_features=40)
    D = kmeans_start(X, labels, layout, 0.1, np.random.default_rng(0))
    rng, residuals = np.random.default_rng(0), np.empty_like(X)
    for c in range(3):
        atoms, Y = unit_rows(kmeans(X[labels == c], 3, rng)), X[labels == c]
        codes = np.linalg.solve(atoms @ atoms.T + 0.1 * np.eye(3), atoms @ Y.T).T
        residuals[labels == c] = Y - codes @ atoms
    assert_allclose(D[:2], unit_rows(kmeans(residuals, 2, rng)), atol=1e-10)


def test_random_atoms_are_training_samples_drawn_once():
    X, labels, layout, _ = problem(shared=0)
    D = random_start(X, labels, layout, 0.01, np.random.default_rng(0))
    same = np.isclose(D @ X.T, 1)
    assert (same.sum(axis=1) == 1).all()
    assert (same.sum(axis=0) <= 1).all()
    assert (labels[same.argmax(axis=1)] == layout.labels).all()


def test_whole_random_atoms_are_drawn_once_from_all_classes_alike():
    X, labels, layout, _ = problem(shared=2)
    strangers = []
    for seed in range(20):
        D = whole_random_start(X, labels, layout, 0.01, np.random.default_rng(seed))
        same = np.isclose(D @ X.T, 1)
        assert (same.sum(axis=1) == 1).all()
        assert (same.sum(axis=0) <= 1).all()
        strangers.append(labels[same.argmax(axis=1)] != layout.labels)
    share = np.mean(strangers, axis=0)[layout.shared :]
    assert abs(share.mean() - 2 / 3) < 0.15  # of three classes of one size


def test_whole_random_atoms_are_drawn_by_their_weights():
    X, labels, layout, _ = problem(shared=0)
    weights = np.where(labels == 1, 1.0, 1e-9)
    sizes = AtomLayout(0, (1, 1, 1))
    D = whole_random_start(X, labels, sizes, 0.01, np.random.default_rng(0), weights)
    assert (labels[(D @ X.T).argmax(axis=1)] == 1).all()


@pytest.mark.parametrize("name", INITIALISERS)
def test_more_shared_atoms_than_samples_are_filled_with_random_directions(name):
    X, labels, layout, _ = problem(shared=30)
    D = INITIALISERS[name](X, labels, layout, 0.01, np.random.default_rng(0), None)
    assert_allclose(np.linalg.norm(D, axis=1), 1)
    assert np.linalg.matrix_rank(D[:30]) == 12


def test_a_zero_centroid_gets_a_random_direction():
    rows = directions(np.array([[0.0, 0.0], [0.0, 3.0]]), np.random.default_rng(0))
    assert_allclose(np.linalg.norm(rows, axis=1), 1)
    assert_allclose(rows[1], [0, 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_residuals_of_dependent_atoms_take_a_ridge_of_at_least_root_eps(dtype, ridge):
    X, _, _, _ = problem(n_features=3)
    atoms = np.concatenate([X[:5], X[:2]])
    floor = np.sqrt(np.finfo(dtype).eps)
    system = atoms @ atoms.T + max(ridge, floor) * np.eye(7)
    expected = X - np.linalg.solve(system, atoms @ X.T).T @ atoms
    found = X - _reconstruction(X.astype(dtype), atoms.astype(dtype), ridge)
    assert_allclose(found, expected, atol=0.02 * np.abs(expected).max())
