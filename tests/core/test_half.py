import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import half
from crosslabel.core.half import HalfMatrix


def nearest(value):
    """The bfloat16 nearest to a number, from the definition: eight digits, ties to even."""
    if value == 0:
        return 0.0
    unit = 2.0 ** (np.floor(np.log2(abs(value))) - 7)
    return float(np.round(value / unit) * unit)  # NumPy rounds ties to even


def test_values_are_the_nearest_of_eight_digits():
    values = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    values[0] = [0, 1 + 2.0**-8, 1 + 3 * 2.0**-8]  # the last two lie half-way
    found = HalfMatrix(values).widened(slice(None))
    assert found.dtype == np.float32
    assert_array_equal(found, [[nearest(v) for v in row] for row in values.astype(float)])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("together", [1, 7, 2**20])
def test_a_product_is_that_of_float32_with_rounded_values(order, together, monkeypatch):
    monkeypatch.setattr(half, "TOGETHER", together)
    rng = np.random.default_rng(1)
    matrix = np.array(rng.normal(size=(5, 11)), np.float32, order=order)
    Y = rng.normal(size=(4, 5)).astype(np.float32)
    kept = HalfMatrix(matrix)
    assert kept.values.nbytes == matrix.nbytes // 2
    assert_allclose(Y @ kept, Y @ kept.widened(slice(None)), atol=1e-5)
    assert np.abs(Y @ kept - Y @ matrix).max() > 0


def test_tensors_hold_the_same_values():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    matrix = np.random.default_rng(2).normal(size=(6, 9)).astype(np.float32)
    Y = np.random.default_rng(3).normal(size=(4, 6)).astype(np.float32)
    there, here = HalfMatrix(torch.as_tensor(matrix)), HalfMatrix(matrix)
    assert there.values.dtype == torch.bfloat16
    assert_array_equal(there.widened(slice(2, 5)).numpy(), here.widened(slice(2, 5)))
    assert_allclose((torch.as_tensor(Y) @ there).numpy(), Y @ here, atol=1e-5)
