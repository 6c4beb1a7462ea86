import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from crosslabel.core import rotation
from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def device(monkeypatch):
    with stand_in(monkeypatch, "jacobi_kernel", "jacobi") as [_, module]:
        yield module


def nearest(device, aims, roots, monkeypatch):
    """`rotation.nearest` as on a GPU."""
    monkeypatch.setattr(rotation, "on_gpu", lambda name, X: {"polar": device.polar}[name])
    return rotation.nearest(aims, roots).numpy()


def tensor(values):
    return torch.as_tensor(np.asarray(values, np.float64))


def test_eigenpairs_of_gram_matrices(device):
    rows = np.random.default_rng(0).standard_normal((4, 9, 6))
    rows[1] = 0
    grams = tensor(rows @ rows.transpose(0, 2, 1))
    values, vectors = device.eigh(grams.clone())
    expected = np.linalg.eigvalsh(grams.numpy())
    assert_allclose(values.numpy(), expected.clip(0), atol=1e-12)
    V = vectors.numpy()
    assert_allclose(V.transpose(0, 2, 1) @ V, np.broadcast_to(np.eye(9), (4, 9, 9)), atol=1e-12)
    assert_allclose(V * values.numpy()[:, None] @ V.transpose(0, 2, 1), grams.numpy(), atol=1e-11)


def problem(n_rows, n_columns, n_used, rank=None):
    """Aims, of full rank or less, and roots of energies of which the last ones are zero."""
    rng = np.random.default_rng(1)
    aims = rng.standard_normal((3, n_rows, n_columns))
    if rank is not None:
        aims[:, rank:] = aims[:, : n_rows - rank]
    energies = np.zeros((3, 1, n_columns))
    energies[..., :n_used] = -np.sort(-rng.uniform(0.1, 1, (3, 1, n_used)))
    energies *= n_rows / energies.sum(axis=2, keepdims=True)
    return tensor(aims), tensor(np.sqrt(energies))


@pytest.mark.parametrize("shape", [(5, 5, 5), (5, 5, 3), (8, 4, 4), (8, 6, 2), (1, 1, 1)])
def test_the_nearest_rows_are_those_of_the_host(device, shape, monkeypatch):
    aims, roots = problem(*shape)
    expected = rotation.nearest(aims.numpy(), roots.numpy())
    assert_allclose(nearest(device, aims, roots, monkeypatch), expected, atol=1e-10)


@pytest.mark.parametrize("rank", [4, 7])
def test_aims_of_low_rank_leave_no_energy_out(device, rank, monkeypatch):
    aims, roots = problem(8, 8, 8, rank)
    rows = nearest(device, aims, roots, monkeypatch)
    for found, root in zip(rows, roots.numpy()):
        assert_allclose(found.T @ found, np.diag(root[0] ** 2), atol=1e-10)


def test_aims_of_nothing(device, monkeypatch):
    aims, roots = problem(4, 4, 4)
    rows = nearest(device, 0 * aims, roots, monkeypatch)
    for found, root in zip(rows, roots.numpy()):
        assert_allclose(found.T @ found, np.diag(root[0] ** 2), atol=1e-10)


def test_the_polar_factor_of_what_has_full_rank(device):
    products, _ = problem(6, 4, 4)
    left, _, right = np.linalg.svd(products.numpy(), full_matrices=False)
    needed = torch.full((3,), 4)
    assert_allclose(device.polar(products, needed).numpy(), left @ right, atol=1e-12)


def test_directions_are_filled_up_where_they_are_needed(device):
    """Of three products one has full rank, one has the rank that is needed, one has less."""
    products, _ = problem(8, 4, 4)
    products[1:, :, 2:] = products[1:, :, :2]
    found = device.polar(products, torch.tensor([4, 2, 4])).numpy()
    for R, C in zip(found, products.numpy()):
        left, values, right = np.linalg.svd(C, full_matrices=False)
        real = values > 1e-9
        exact = left[:, real] @ right[real]
        assert_allclose(R @ right[real].T @ right[real], exact, atol=1e-12)
    assert_allclose(found[0].T @ found[0], np.eye(4), atol=1e-12)
    assert_allclose(found[2].T @ found[2], np.eye(4), atol=1e-12)


def test_nothing_is_filled_up_that_is_not_needed(device):
    products, _ = problem(8, 4, 4)
    products[:, :, 2:] = products[:, :, :2]
    found = device.polar(products, torch.full((3,), 2)).numpy()
    assert_allclose(np.linalg.svd(found)[1], [[1, 1, 0, 0]] * 3, atol=1e-12)
