"""Tensors are checked as arrays are, and batches shrink until they fit."""

import numpy as np
import pytest
import torch

from crosslabel.core import scaling
from crosslabel.core.gpu.tensors import check_samples, find_device, in_batches, unit_rows


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_unit_rows_as_on_the_host(scale):
    X = scale * np.random.default_rng(0).uniform(0.1, 1, (5, 4))
    X[2] = 0
    np.testing.assert_allclose(unit_rows(torch.as_tensor(X)).numpy(), scaling.unit_rows(X))


@pytest.mark.parametrize(
    ("X", "error", "match"),
    [
        (torch.zeros(3), ValueError, "shape"),
        (torch.zeros(2, 2, dtype=torch.float16), TypeError, "float16"),
        (torch.tensor([[torch.nan]]), ValueError, "NaN"),
    ],
)
def test_bad_tensors_get_a_sentence(X, error, match):
    with pytest.raises(error, match=match):
        check_samples(X)


@pytest.mark.parametrize("name", ["nonsense", "mps"])
def test_unknown_devices_get_a_sentence(name):
    with pytest.raises(ValueError, match="use None"):
        find_device(name)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_gpu_gets_a_sentence():
    with pytest.raises(ValueError, match="finds 0 GPUs"):
        find_device("cuda")


def test_batches_shrink_until_they_fit():
    seen = []

    def score(rows):
        seen.append(len(rows))
        if len(rows) > 7:
            raise torch.OutOfMemoryError("too much")
        return 2 * rows

    X = torch.arange(100.0)[:, None]
    assert torch.equal(in_batches(score, X), 2 * X)
    assert seen[0] == 100
    assert max(seen[-3:]) <= 7


def test_a_query_that_never_fits_is_a_memory_error():
    def score(rows):
        raise torch.OutOfMemoryError("too much")

    with pytest.raises(MemoryError, match="Not even one query"):
        in_batches(score, torch.zeros(4, 2))
