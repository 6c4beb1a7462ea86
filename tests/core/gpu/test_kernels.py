import importlib
import sys

import numpy as np
import pytest
import torch

from crosslabel.core.backend import on_gpu
from tests.core.gpu.triton_in_numpy import stand_in

MODULES = (
    "jacobi_kernel",
    "exemplars_kernel",
    "steps_kernel",
    "temperatures_kernel",
    "turns_kernel",
    "jacobi",
    "kernels",
)


@pytest.fixture
def kernels(monkeypatch):
    with stand_in(monkeypatch, *MODULES) as [*_, module]:
        yield module


@pytest.mark.parametrize(
    ("name", "shape", "is_there"),
    [
        ("eigh", (6, 33, 33), True),
        ("eigh", (6, 128, 128), True),
        ("eigh", (5, 33, 33), False),
        ("eigh", (6, 32, 32), False),
        ("eigh", (6, 129, 129), False),
        ("eigh", (40, 40), False),
        ("polar", (9, 20, 40), True),
        ("polar", (9, 40, 20), True),
        ("greedy", (1, 64, 64), True),
        ("greedy", (1, 65, 65), False),
        ("unit_norms", (1, 1, 1), True),
        ("descended", (1, 1, 1), True),
        ("nothing", (1, 1, 1), False),
    ],
)
def test_what_there_is_for_which_stacks(kernels, name, shape, is_there):
    found = kernels.kernel(name, torch.empty(shape))
    assert (found is not None) == is_there


def test_each_name_is_that_of_its_function(kernels):
    assert all(name == each.function.__name__ for name, each in kernels.KERNELS.items())


def test_without_triton_there_is_none(monkeypatch):
    package = importlib.import_module("crosslabel.core.gpu")
    monkeypatch.setitem(sys.modules, "triton", None)
    for name in MODULES:
        monkeypatch.delitem(sys.modules, f"crosslabel.core.gpu.{name}", raising=False)
        monkeypatch.delattr(package, name, raising=False)
    found = importlib.import_module("crosslabel.core.gpu.kernels")
    assert found.kernel("unit_norms", torch.empty(1, 1, 1)) is None
    # Whoever imports it next gets one that has looked for Triton.
    sys.modules.pop("crosslabel.core.gpu.kernels")
    del package.kernels


def test_arrays_and_tensors_of_the_processor_have_none():
    assert on_gpu("unit_norms", np.ones((1, 1, 1))) is None
    assert on_gpu("unit_norms", torch.ones(1, 1, 1)) is None
