"""The kernel's mathematics without a GPU: a small stand-in for Triton runs it in NumPy.

The stand-in knows pointers into flat arrays and the dozen functions that the kernel calls. Whether
Triton compiles the kernel is seen on a GPU alone; what it computes is compared here with `steps`.
"""

import importlib
import sys
from types import ModuleType

import numpy as np
import pytest
import torch

from crosslabel.core.gpu import atoms
from crosslabel.core.scaling import unit_rows


class Pointer:
    """The place of a number, or of an array of numbers, in a tensor's memory."""

    def __init__(self, memory, places=0):
        self.memory, self.places = memory, places

    def __add__(self, offset):
        return Pointer(self.memory, self.places + offset)


def pointer(tensor):
    """The memory that a tensor, perhaps a block of a larger one, lies in."""
    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = tensor.new_empty(0).set_(tensor.untyped_storage(), 0, (size,), (1,))
    return Pointer(flat.numpy(), tensor.storage_offset())


class Kernel:
    """What `triton.jit` makes of a function: launched over a grid, tensors as pointers."""

    def __init__(self, function):
        self.function = function

    def __getitem__(self, grid):
        assert grid == (1,)

        def launch(*values, num_warps, **constants):
            assert num_warps in (1, 2, 4, 8)
            passed = [pointer(v) if isinstance(v, torch.Tensor) else v for v in values]
            self.function(*passed, **constants)

        return launch


def load(place):
    return np.array(place.memory[place.places])


def store(place, values):
    place.memory[place.places] = values


class Number(np.ndarray):
    """An array whose type changes by `to`, as Triton writes it."""

    def to(self, dtype):
        return self.astype(dtype)


def arange(start, stop):
    assert (stop - start) & (stop - start - 1) == 0, "Triton takes powers of two alone"
    return np.arange(start, stop).view(Number)


@pytest.fixture
def kernel(monkeypatch):
    """The module, imported over the stand-in."""
    triton, language = ModuleType("triton"), ModuleType("triton.language")
    triton.jit, triton.language = Kernel, language
    functions = {
        "arange": arange,
        "load": load,
        "store": store,
        "zeros": np.zeros,
        "sum": np.sum,
        "where": np.where,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "sqrt": np.sqrt,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "float64": np.float64,
        "constexpr": int,
        "debug_barrier": lambda: None,
    }
    for name, function in functions.items():
        setattr(language, name, function)
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.setitem(sys.modules, "triton.language", language)
    name = "crosslabel.core.gpu.steps_kernel"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name)
    sys.modules.pop(name, None)


def chunk(n_atoms, n_slices, seed, unused=()):
    """A block of a larger A, and the Gram matrices of [V, D] of a chunk."""
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((50, 3 * n_atoms)), rng.standard_normal((50, 6 * n_slices))
    own = slice(n_atoms, 2 * n_atoms)
    X[:, [n_atoms + j for j in unused]] = 0
    D = unit_rows(rng.standard_normal((3 * n_atoms, 6 * n_slices)))
    V = (X.T @ Y - X.T @ X @ D)[own]
    pair = np.concatenate([V, D[own]]).reshape(2 * n_atoms, n_slices, 6)
    grams = torch.as_tensor(np.array([part @ part.T for part in pair.transpose(1, 0, 2)]))
    return torch.as_tensor(X.T @ X)[own, own], grams


def found(n_atoms):
    """Results that are wrong until they are filled in, beside memory that must not change."""
    space = torch.full((2, n_atoms + 2), -7.0, dtype=torch.float64)
    changes = torch.zeros(n_atoms, 2 * n_atoms, dtype=torch.float64)
    return atoms.Steps(changes, space[0, 1:-1], space[1, 1:-1]), space


@pytest.mark.parametrize("n_atoms", [1, 4, 8])
@pytest.mark.parametrize("n_slices", [1, 3])
@pytest.mark.parametrize("unused", [(), (0,), (2, 3)])
@pytest.mark.parametrize("low", [0.0, 0.4, 0.8])
def test_the_kernel_computes_what_the_plain_steps_do(kernel, n_atoms, n_slices, unused, low):
    unused = [j for j in unused if j < n_atoms]
    A, grams = chunk(n_atoms, n_slices, n_atoms + n_slices, unused)
    (before, _), (expected, _), (mine, space) = found(n_atoms), found(n_atoms), found(n_atoms)
    atoms.steps(A, grams, torch.tensor(1e-9).double(), before)
    least = 0.999 * torch.quantile(before.norms, low) + 1e-9  # below it lies this part of the norms
    atoms.steps(A, grams, least, expected)
    kernel.steps(A, grams.clone(), least, mine)
    for part, plain in zip(mine, expected):
        np.testing.assert_allclose(part.numpy(), plain.numpy(), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(space[:, [0, -1]].numpy(), -7.0)


def test_an_atom_at_the_floor_itself_is_unused(kernel):
    A, gram = torch.zeros(1, 1).double(), torch.tensor([[[4.0, 1.0], [1.0, 1.0]]]).double()
    for floor, change in ((2.0, [[0.0, 0.0]]), (1.5, [[0.5, -1.0]])):
        mine, _ = found(1)
        kernel.steps(A, gram.clone(), torch.tensor(floor).double(), mine)
        np.testing.assert_allclose(mine.changes.numpy(), change)
        assert mine.norms.tolist() == [2.0]
        assert mine.agreements.tolist() == [1.0]


def test_a_gram_matrix_that_rounding_made_negative_is_a_norm_of_zero(kernel):
    A, gram = torch.zeros(1, 1).double(), torch.tensor([[[-1e-20, 0.0], [0.0, 1.0]]]).double()
    mine, _ = found(1)
    kernel.steps(A, gram, torch.tensor(0.0).double(), mine)
    assert mine.norms.tolist() == [0.0]
    assert not mine.changes.any()
