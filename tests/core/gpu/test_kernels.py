import builtins

import numpy as np
import pytest
import torch

from crosslabel.core.backend import on_gpu
from crosslabel.core.gpu import kernels
from tests.core.gpu.triton_in_numpy import stand_in

MODULES = (
    "jacobi_kernel",
    "exemplars_kernel",
    "temperatures_kernel",
    "turns_kernel",
    "jacobi",
)


@pytest.fixture
def with_triton(monkeypatch):
    kernels._kernels.cache_clear()
    with stand_in(monkeypatch, *MODULES) as modules:
        yield dict(zip(MODULES, modules))
    kernels._kernels.cache_clear()


@pytest.mark.parametrize(
    ("name", "shape", "is_there"),
    [
        ("eigh", (6, 33, 33), True),
        ("eigh", (6, 128, 128), True),
        ("eigh", (5, 33, 33), False),
        ("eigh", (6, 32, 32), False),
        ("eigh", (6, 129, 129), False),
        ("eigh", (40, 40), False),
        ("nearest", (9, 20, 40), True),
        ("greedy", (1, 64, 64), True),
        ("greedy", (1, 65, 65), False),
        ("unit_norms", (1, 1, 1), True),
        ("descended", (1, 1, 1), True),
        ("nothing", (1, 1, 1), False),
    ],
)
def test_what_there_is_for_which_stacks(with_triton, name, shape, is_there):
    found = kernels.kernel(name, torch.empty(shape))
    assert (found is not None) == is_there


def test_each_name_is_that_of_its_function(with_triton):
    assert kernels._kernels()["eigh"].function is with_triton["jacobi"].eigh
    assert all(name == each.function.__name__ for name, each in kernels._kernels().items())


def test_without_triton_there_is_none(monkeypatch):
    kernels._kernels.cache_clear()
    known = builtins.__import__

    def without(name, *args, **more):
        if name.startswith("triton"):
            raise ImportError(name)
        return known(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert kernels.kernel("unit_norms", torch.empty(1, 1, 1)) is None
    kernels._kernels.cache_clear()


def test_arrays_and_tensors_of_the_processor_have_none():
    assert on_gpu("unit_norms", np.ones((1, 1, 1))) is None
    assert on_gpu("unit_norms", torch.ones(1, 1, 1)) is None
