"""A sweep in coordinates is the sweep of `core.dictionary`, atom by atom."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslabel.core.dictionary import noise_floor, update_atoms
from crosslabel.core.dictionary import sweep as sweep_of_part
from crosslabel.core.gpu.atoms import BLOCK, AtomSweep, steps
from crosslabel.core.gpu.chunk import CHUNK, Steps
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


@settings(max_examples=40)
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


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_atoms_that_no_code_uses_keep_their_value(scale):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((50, 40)), scale * rng.standard_normal((50, 30))
    X[:, [1, 5, 39]] = 0
    D = unit_rows(rng.standard_normal((40, 30)))
    A, B = X.T @ X, X.T @ Y
    expected = update_atoms(D, A, B, [slice(0, 40)])
    sweep = AtomSweep(torch.as_tensor(D))
    fall = sweep.update(torch.as_tensor(A), torch.as_tensor(B))
    np.testing.assert_array_equal(np.flatnonzero(sweep.unused.numpy()), [1, 5, 39])
    np.testing.assert_array_equal(sweep.unused.numpy(), expected.unused)
    np.testing.assert_allclose(sweep.dictionary.numpy(), expected.dictionary, atol=1e-6)
    np.testing.assert_allclose(sweep.dictionary.numpy()[[1, 5, 39]], D[[1, 5, 39]], rtol=1e-15)
    np.testing.assert_allclose(float(fall), expected.decrease, rtol=1e-6)
    np.testing.assert_allclose(float(sweep.floor), noise_floor(B), rtol=1e-12)


def test_codes_of_zero_leave_every_atom_as_it_is():
    D, _, _ = moments(5, 8)
    sweep = AtomSweep(torch.as_tensor(D))
    fall = sweep.update(torch.zeros(5, 5).double(), torch.zeros(5, 8).double())
    assert float(fall) == 0
    assert sweep.unused.all()
    np.testing.assert_allclose(sweep.dictionary.numpy(), D, rtol=1e-15)


def test_atoms_have_unit_norm_to_the_last_digits():
    """Codes with one large common part: v is a small difference of large rows."""
    rng = np.random.default_rng(0)
    X, Y = 1e4 + rng.standard_normal((50, 40)), rng.standard_normal((50, 30))
    sweep = AtomSweep(torch.as_tensor(unit_rows(rng.standard_normal((40, 30)))))
    sweep.update(torch.as_tensor(X.T @ X), torch.as_tensor(X.T @ Y))
    norms = np.linalg.norm(sweep.dictionary.numpy(), axis=1)
    np.testing.assert_allclose(norms, 1, rtol=1e-14)


def in_coordinates(D, A, V, floor):
    n, pair = len(D), np.concatenate([V, D])
    found = Steps(torch.zeros(n, 2 * n).double(), torch.empty(n).double(), torch.empty(n).double())
    gram = torch.as_tensor(pair @ pair.T)
    steps(torch.as_tensor(A), gram[None], torch.tensor(floor).double(), found)
    return D + found.changes.numpy() @ pair, found.norms.numpy(), found.agreements.numpy()


@pytest.mark.parametrize("part_unused", [0.0, 0.3, 0.7])
def test_the_steps_in_coordinates_are_the_sweep_of_a_part(part_unused):
    """Also where atoms whose codes are not zero fall below the floor."""
    D, A, B = moments(9, 30)
    V, atoms = B - A @ D, D.copy()
    _, norms, _ = in_coordinates(D, A, V, 0.0)
    floor = float(np.quantile(norms, part_unused)) * 0.999
    found, norms, agreements = in_coordinates(D, A, V, floor)
    fall, unused = sweep_of_part(atoms, A, V, floor)
    assert unused.any() == (part_unused > 0)
    np.testing.assert_allclose(found, atoms, atol=1e-9)
    np.testing.assert_array_equal(norms <= floor, unused)
    np.testing.assert_allclose(2 * (norms - agreements)[~unused].sum(), fall, rtol=1e-9)
