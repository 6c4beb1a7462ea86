"""The start on a device is the start of NumPy, from the same random numbers."""

import numpy as np
import pytest
import torch

from crosslabel.core import initialise as plain
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import initialise as gpu
from crosslabel.core.kmeans import kmeans
from crosslabel.core.scaling import unit_rows


@pytest.mark.parametrize("shared", [0, 4])
@pytest.mark.parametrize("sizes", [[20] * 5, [20, 9, 14, 3, 30]])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_start_as_on_the_host(sizes, shared, weighted):
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    X = unit_rows(rng.standard_normal((len(labels), 12)) + 3 * rng.standard_normal((5, 12))[labels])
    weights = rng.integers(1, 4, len(labels)).astype(float) if weighted else None
    layout = AtomLayout(shared, tuple(min(6, size) for size in sizes))
    expected, found = (
        make(X, labels, layout, 1e-2, np.random.default_rng(7), weights, **extra)
        for make, extra in (
            (plain.kmeans_start, {}),
            (gpu.kmeans_start, {"device": torch.device("cpu")}),
        )
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_an_empty_cluster_moves_to_the_farthest_sample():
    X = torch.tensor([[[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]]], dtype=torch.float64)
    nearest, distances = torch.tensor([[0, 0, 0]]), torch.tensor([[0.1, 0.2, 9.0]])
    means = gpu._means(X, nearest, distances, torch.ones(1, 3, dtype=torch.float64), 2)
    np.testing.assert_allclose(means[0].numpy(), [[0.05, 0.0], [5.0, 5.0]])


def both(X, labels, layout, ridge=1e-2, weights=None, seed=7):
    """The start of NumPy and the start of the device."""
    cpu = {"device": torch.device("cpu")}
    expected = plain.kmeans_start(X, labels, layout, ridge, np.random.default_rng(seed), weights)
    found = gpu.kmeans_start(X, labels, layout, ridge, np.random.default_rng(seed), weights, **cpu)
    return found, expected


def test_rounding_does_not_choose_between_two_that_are_each_others_nearest():
    X = torch.tensor([[[0.0, 0.0], [10.0, 0.0], [10.0, 1.0]]], dtype=torch.float64)
    for seed in range(20):
        draws = torch.as_tensor(gpu._draws(np.random.default_rng(seed), 2, 3))[None]
        a, b = (
            gpu.kmeans(X, torch.tensor([[1, 1, 1 + more]], dtype=X.dtype), draws, 2, max_iter=0)
            for more in (-1e-12, 1e-12)
        )
        assert torch.equal(a, b)


def samples_of(sizes, n_features=12, dtype=np.float64):
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    means = 3 * rng.standard_normal((len(sizes), n_features))
    return unit_rows(rng.standard_normal((len(labels), n_features)) + means[labels]).astype(
        dtype
    ), labels


def test_classes_of_as_many_atoms_as_samples_are_their_samples():
    """Beside classes that have the same number of atoms and more samples."""
    X, labels = samples_of([4, 9, 4, 6])
    found, expected = both(X, labels, AtomLayout(2, (4, 4, 4, 3)))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found[2:6], X[labels == 0], atol=1e-12)


@pytest.mark.parametrize("shared", [12, 13, 15])
def test_as_many_shared_atoms_as_samples_and_more(shared):
    X, labels = samples_of([7, 6])
    found, expected = both(X, labels, AtomLayout(shared, (2, 2)))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_ridge_of_zero_has_a_floor(dtype):
    """Residuals of dependent atoms: the codes are those of a ridge of √eps."""
    X, labels = samples_of([9, 9], 3, dtype)
    atoms = np.concatenate([X[:5], X[:2]])
    residual = X - gpu._reconstruction(torch.as_tensor(X), torch.as_tensor(atoms), 0.0).numpy()
    wide = atoms.astype(float)
    system = wide @ wide.T + np.sqrt(np.finfo(dtype).eps) * np.eye(7)
    expected = X - np.linalg.solve(system, wide @ X.T.astype(float)).T @ wide
    scale = np.abs(expected).max()
    np.testing.assert_allclose(residual, expected, atol=1e-2 * scale)


def drawn(rng, n_clusters):
    n_trials = 2 + int(np.log(n_clusters))
    return np.concatenate([rng.random(1), *(rng.random(n_trials) for _ in range(n_clusters - 1))])


@pytest.mark.parametrize("tol", [1e-4, 0.1, 1e3])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_several_sets_each_stop_where_their_own_sum_settles(scale, tol):
    """Sets of different scale and size, padded by samples of no weight."""
    rng = np.random.default_rng(3)
    sizes, k = (40, 25, 31), 5
    sets = [scale * 3.0**i * rng.normal(size=(n, 3)) for i, n in enumerate(sizes)]
    weights = [rng.uniform(0.5, 2, n) for n in sizes]
    X, masses = np.zeros((3, 40, 3)), np.zeros((3, 40))
    for i, (rows, w) in enumerate(zip(sets, weights)):
        X[i, : len(rows)], masses[i, : len(w)] = rows, w
    for seed in range(3):
        uniforms = np.array([drawn(np.random.default_rng(seed + i), k) for i in range(3)])
        found = gpu.kmeans(*map(torch.as_tensor, (X, masses, uniforms)), k, tol=tol)
        for i in range(3):
            alone = kmeans(sets[i], k, np.random.default_rng(seed + i), weights[i], tol=tol)
            np.testing.assert_allclose(found[i].numpy(), alone, rtol=1e-8, atol=1e-10 * scale)


def test_an_empty_cluster_takes_a_sample_with_weight_of_one_that_keeps_another():
    X = torch.tensor([[[0.0], [1.0], [5.0], [90.0], [70.0]]], dtype=torch.float64)
    nearest = torch.tensor([[0, 0, 0, 1, 0]])
    distances = torch.tensor([[1.0, 0.5, 3.0, 50.0, 60.0]], dtype=torch.float64)
    weights = torch.tensor([[1.0, 2.0, 4.0, 8.0, 0.0]], dtype=torch.float64)
    found = gpu._means(X, nearest, distances, weights, 3)
    np.testing.assert_allclose(found[0].numpy(), [[2 / 3], [90.0], [5.0]])


def test_several_empty_clusters_take_one_sample_each():
    X = torch.tensor([[[0.0], [1.0], [5.0], [7.0]]], dtype=torch.float64)
    nearest = torch.zeros(1, 4, dtype=torch.int64)
    distances = torch.tensor([[0.1, 0.2, 0.3, 0.4]], dtype=torch.float64)
    weights = torch.tensor([[1.0, 3.0, 1.0, 1.0]], dtype=torch.float64)
    found = gpu._means(X, nearest, distances, weights, 4)
    np.testing.assert_allclose(found[0].numpy(), [[0.0], [7.0], [5.0], [1.0]])


def test_draws_never_fall_on_a_sample_without_mass():
    mass = torch.tensor([[0.0, 2.0, 0.0, 6.0, 0.0]], dtype=torch.float64)
    found = gpu._drawn(mass, torch.tensor([[0.0, 0.2, 0.25, 0.9, 1.0]], dtype=torch.float64))
    assert found.tolist() == [[1, 1, 3, 3, 3]]
