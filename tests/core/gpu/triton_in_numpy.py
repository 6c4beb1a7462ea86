"""A small stand-in for Triton, so that what kernels compute is tested without a GPU.

It knows pointers into flat arrays and the functions that our kernels call, and runs the programs of
a launch one after the other. Whether Triton compiles a kernel is seen where Triton is.
"""

import importlib
import sys
from contextlib import contextmanager
from types import ModuleType

import numpy as np
import torch


class Pointer:
    """The place of a number, or of an array of numbers, in a tensor's memory."""

    def __init__(self, memory, places=0):
        self.memory, self.places = memory, places

    def __add__(self, offset):
        return Pointer(self.memory, self.places + offset)

    def __getitem__(self, index):
        return Pointer(self.memory, self.places[index])


def pointer(tensor):
    """The memory that a tensor, perhaps a block of a larger one, lies in."""
    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = tensor.new_empty(0).set_(tensor.untyped_storage(), 0, (size,), (1,))
    return Pointer(flat.numpy(), tensor.storage_offset())


class Number(np.ndarray):
    """An array whose type changes by `to`, and whose remainders have a sign, as in Triton."""

    def to(self, dtype):
        return self.astype(dtype)

    def __mod__(self, divisor):
        return np.fmod(self, divisor)  # the sign of the dividend, as in C


class Program:
    """Which program of the launch runs now."""

    number = 0


class Kernel:
    """What `triton.jit` makes of a function: launched over a grid, tensors as pointers."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *values):
        return self.function(*values)  # by another kernel

    def __getitem__(self, grid):
        def launch(*values, num_warps, **constants):
            assert num_warps in (1, 2, 4, 8, 16)
            passed = [pointer(v) if isinstance(v, torch.Tensor) else v for v in values]
            for Program.number in range(*grid):
                self.function(*passed, **constants)

        return launch


def load(place, mask=None, other=None):
    if mask is None:
        return np.array(place.memory[place.places])
    return np.where(mask, place.memory[np.where(mask, place.places, 0)], other)


def store(place, values, mask=None):
    if mask is None:
        place.memory[place.places] = values
        return
    mask, places, values = np.broadcast_arrays(mask, place.places, values)
    place.memory[places[mask]] = values[mask]


def arange(start, stop):
    assert (stop - start) & (stop - start - 1) == 0, "Triton takes powers of two alone"
    return np.arange(start, stop).view(Number)


FUNCTIONS = {
    "abs": np.abs,
    "arange": arange,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "constexpr": int,
    "debug_barrier": lambda: None,
    "exp": np.exp,
    "float64": np.float64,
    "floor": np.floor,
    "int64": np.int64,
    "load": load,
    "max": np.max,
    "maximum": np.maximum,
    "min": np.min,
    "minimum": np.minimum,
    # Our launches have one axis: along another there is one program, the zeroth.
    "program_id": lambda axis: np.array(0 if axis else Program.number).view(Number),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "store": store,
    "sum": np.sum,
    "where": np.where,
    "zeros": np.zeros,
}


@contextmanager
def stand_in(monkeypatch, *names):
    """Modules of `core.gpu`, imported over the stand-in; forgotten afterwards."""
    triton, language = ModuleType("triton"), ModuleType("triton.language")
    triton.jit, triton.language = Kernel, language
    triton.next_power_of_2 = lambda n: 1 << (n - 1).bit_length()
    for name, function in FUNCTIONS.items():
        setattr(language, name, function)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "triton", triton)
        patched.setitem(sys.modules, "triton.language", language)
        package = importlib.import_module("crosslabel.core.gpu")
        for name in names:
            patched.delitem(sys.modules, f"crosslabel.core.gpu.{name}", raising=False)
            patched.delattr(package, name, raising=False)
        yield [importlib.import_module(f"crosslabel.core.gpu.{name}") for name in names]
        for name in names:
            sys.modules.pop(f"crosslabel.core.gpu.{name}", None)
            vars(package).pop(name, None)
