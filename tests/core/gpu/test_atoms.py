"""A sweep in coordinates is the sweep of `core.dictionary`, atom by atom."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crosslabel.core.dictionary import update_atoms
from crosslabel.core.gpu.atoms import BLOCK, CHUNK, AtomSweep
from crosslabel.core.scaling import unit_rows


def moments(n_atoms, n_features, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((50, n_atoms)), rng.standard_normal((50, n_features))
    return unit_rows(rng.standard_normal((n_atoms, n_features))), X.T @ X, X.T @ Y


def check(n_atoms, n_features, seed=0):
    D, A, B = moments(n_atoms, n_features, seed)
    expected = update_atoms(D, A, B, [slice(0, n_atoms)])
    sweep = AtomSweep(torch.as_tensor(D))
    fall = sweep.update(torch.as_tensor(A), torch.as_tensor(B))
    np.testing.assert_allclose(sweep.dictionary.numpy(), expected.dictionary, atol=1e-6)
    np.testing.assert_allclose(float(fall), expected.decrease, rtol=1e-6, atol=1e-9)


@given(st.integers(1, 2 * CHUNK + 3), st.integers(8, 40), st.integers(0, 3))
def test_equals_the_sweep_of_numpy(n_atoms, n_features, seed):
    check(n_atoms, n_features, seed)


@pytest.mark.parametrize("n_atoms", [CHUNK, BLOCK, BLOCK + 1])
def test_whole_chunks_and_blocks(n_atoms):
    check(n_atoms, 300)


def test_a_second_sweep_starts_from_the_first():
    D, A, B = moments(40, 60)
    expected = D
    sweep = AtomSweep(torch.as_tensor(D))
    for _ in range(3):
        expected = update_atoms(expected, A, B, [slice(0, 40)]).dictionary
        sweep.update(torch.as_tensor(A), torch.as_tensor(B))
    np.testing.assert_allclose(sweep.dictionary.numpy(), expected, atol=1e-8)
