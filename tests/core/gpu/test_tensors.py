"""Tensors are checked as arrays are, and batches shrink until they fit."""

import numpy as np
import pytest
import torch

from crosslabel.core import scaling
from crosslabel.core.gpu.tensors import (
    check_place,
    check_samples,
    find_device,
    in_batches,
    unit_rows,
)


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


@pytest.fixture
def two_gpus(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)


@pytest.mark.parametrize(("name", "index"), [("cuda", 0), ("cuda:0", 0), ("cuda:1", 1)])
def test_a_gpu_is_known_by_its_number(two_gpus, name, index):
    assert find_device(name) == torch.device("cuda", index)


def test_a_gpu_beyond_the_last_gets_a_sentence(two_gpus, monkeypatch):
    with pytest.raises(ValueError, match="finds 2 GPUs"):
        find_device("cuda:2")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert find_device("cuda") == torch.device("cuda", 0)


def test_a_tensor_elsewhere_is_refused():
    X = torch.ones(2, 3)
    check_place(X, torch.device("cpu"))
    with pytest.raises(ValueError, match="X is a tensor on cpu, but the model's device is meta"):
        check_place(X, torch.device("meta"))
    with pytest.raises(ValueError, match="Move one of them"):
        check_samples(X, torch.device("meta"))


def test_one_value_that_is_not_finite_is_enough():
    with pytest.raises(ValueError, match="NaN or infinity"):
        check_samples(torch.tensor([[1.0, 2.0], [3.0, torch.inf]]))


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [(torch.float32, torch.float32), (torch.float64, torch.float64), (torch.int8, torch.float64)],
)
def test_samples_are_floats_of_at_least_32_bits(dtype, kept):
    assert check_samples(torch.ones(2, 3, dtype=dtype)).dtype == kept


def test_rows_of_very_different_values_have_unit_norm():
    X = torch.tensor([[3e200, 4e200, 1e-200], [-3e-200, 4e-200, 0.0]], dtype=torch.float64)
    expected = [[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0]]
    np.testing.assert_allclose(unit_rows(X).numpy(), expected, atol=1e-15)


def test_batches_are_a_fourth_of_those_before():
    seen = []

    def score(rows):
        seen.append(len(rows))
        if len(rows) > 2:
            raise torch.OutOfMemoryError("too much")
        return rows

    in_batches(score, torch.zeros(33, 1))
    assert seen[:4] == [33, 9, 3, 1]


def test_one_query_is_asked_for_once():
    seen = []

    def score(rows):
        seen.append(len(rows))
        raise torch.OutOfMemoryError("too much")

    with pytest.raises(MemoryError, match="Not even one query"):
        in_batches(score, torch.zeros(1, 2))
    assert seen == [1]
