"""The kernel's mathematics, by a stand-in for Triton, beside that of `atoms.steps`."""

import numpy as np
import pytest
import torch

from crosslabel.core.gpu import atoms
from crosslabel.core.scaling import unit_rows
from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def kernel(monkeypatch):
    with stand_in(monkeypatch, "steps_kernel") as [module]:
        yield module


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
