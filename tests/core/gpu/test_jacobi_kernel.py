import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def kernel(monkeypatch):
    with stand_in(monkeypatch, "jacobi_kernel") as [module]:
        yield module


def turned(kernel, matrices):
    rows, rotations = kernel.orthogonal_rows(torch.as_tensor(matrices))
    return rows.numpy(), rotations.numpy()


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 5), (6, 6), (7, 40), (33, 9), (4, 3)])
def test_rotations_make_the_rows_orthogonal(kernel, shape):
    matrices = np.random.default_rng(0).standard_normal((3, *shape))
    rows, rotations = turned(kernel, matrices)
    for A, WA, W in zip(matrices, rows, rotations):
        assert_allclose(W @ W.T, np.eye(len(A)), atol=1e-12)
        assert_allclose(W @ A, WA, atol=1e-12)
        products = WA @ WA.T
        assert_allclose(products, np.diag(np.diag(products)), atol=1e-12 * len(A))
        found = np.sort(np.sqrt(np.diag(products)))[::-1][: min(shape)]
        assert_allclose(found, np.linalg.svd(A, compute_uv=False), atol=1e-12)


def test_rows_of_rounding_are_left_alone(kernel):
    low = np.random.default_rng(0).standard_normal((9, 2))
    matrices = np.stack([np.zeros((9, 9)), low @ low.T, np.ones((9, 9))])
    rows, rotations = turned(kernel, matrices)
    assert not rows[0].any()
    assert_allclose(rotations[0], np.eye(9))
    lengths = np.linalg.norm(rows, axis=2)
    assert [int((one > 1e-10).sum()) for one in lengths] == [0, 2, 1]
    whole = rotations @ rotations.transpose(0, 2, 1)
    assert_allclose(whole, np.broadcast_to(np.eye(9), (3, 9, 9)), atol=1e-12)


def test_a_limit_ends_what_does_not_converge(kernel, monkeypatch):
    monkeypatch.setattr(kernel, "SWEEPS", 0)
    matrix = np.random.default_rng(0).standard_normal((1, 4, 4))
    rows, rotations = turned(kernel, matrix)
    assert_allclose(rows, matrix)
    assert_allclose(rotations[0], np.eye(4))


def test_the_matrices_stay_as_they_are(kernel):
    matrix = torch.ones(1, 3, 3).double()
    kernel.orthogonal_rows(matrix)
    assert (matrix == 1).all()
