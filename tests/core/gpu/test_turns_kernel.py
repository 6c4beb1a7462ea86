import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from crosslabel.core import rotation
from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def kernel(monkeypatch):
    with stand_in(monkeypatch, "turns_kernel") as [module]:
        yield module


def rows_of(n_rows, n_columns):
    """Rows whose squares sum to as many as they are."""
    rows = np.random.default_rng(0).standard_normal((4, n_rows, n_columns))
    rows[1] *= np.linspace(3, 0.1, n_rows)[:, None]
    return rows * np.sqrt(n_rows / (rows**2).sum(axis=(1, 2), keepdims=True))


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 5), (8, 3), (3, 70)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_turn_as_on_the_host(kernel, shape, dtype):
    rows = rows_of(*shape).astype(dtype)
    found = kernel.unit_norms(torch.as_tensor(rows), rotation.EQUAL)
    assert found.dtype == torch.as_tensor(rows).dtype
    exact = dtype == np.float64
    assert_allclose(found.numpy(), rotation.unit_norms(rows), atol=1e-9 if exact else 1e-4)
    assert_allclose(np.linalg.norm(found.numpy(), axis=2), 1, atol=1e-9 if exact else 1e-5)
    products = np.einsum("bkm,bkn->bmn", found.numpy(), found.numpy())
    assert_allclose(products, np.einsum("bkm,bkn->bmn", rows, rows), atol=1e-9 if exact else 1e-4)


def test_rows_of_any_stack_and_none_changed(kernel):
    rows = torch.as_tensor(rows_of(3, 3)).reshape(2, 2, 3, 3)
    before = rows.clone()
    assert kernel.unit_norms(rows, rotation.EQUAL).shape == (2, 2, 3, 3)
    assert (rows == before).all()


def test_rows_that_need_no_turn(kernel):
    rows = torch.as_tensor(np.stack([np.eye(3), np.diag([0.0, np.sqrt(3), 0])]))
    found = kernel.unit_norms(rows, rotation.EQUAL).numpy()
    assert_allclose(found[0], np.eye(3))
    assert_allclose(np.linalg.norm(found[1], axis=1), 1)


def test_orthogonal_rows_turn_as_on_the_host(kernel):
    rows = np.stack([np.diag([0.3, 1.9, 0.8]), np.diag([1.7, 0.5, 0.8]), np.zeros((3, 3))])
    found = kernel.unit_norms(torch.as_tensor(rows), rotation.EQUAL)
    assert_allclose(found.numpy(), rotation.unit_norms(rows), atol=1e-12)


@pytest.mark.parametrize("sign", [-1, 1])
def test_rounding_does_not_choose_between_rows_of_one_norm(kernel, sign):
    """Squares on either side of a whole number of the parts in which they are compared."""
    rows, lengths = rows_of(6, 7)[:2], np.sqrt([0.5, 0.5, 0.5, 1.5, 1.5, 1.5])
    rows *= (lengths / np.linalg.norm(rows, axis=2))[..., None]
    moved = rows * (1 + sign * 1e-14 * np.array([1, 0, -1, -1, 0, 1]))[:, None]
    found = kernel.unit_norms(torch.as_tensor(moved), rotation.EQUAL)
    assert_allclose(found.numpy(), rotation.unit_norms(rows), atol=1e-9)
