import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import dictionary, reference
from crosslabel.core.dictionary import _blocks, noise_floor, update_atoms
from tests.core.problems import problem, problems


@given(problems())
def test_update_equals_the_papers_residual_matrix_step(data):
    X, _, layout, D = data
    codes = np.random.default_rng(1).normal(size=(len(X), len(D)))
    update = update_atoms(D, codes.T @ codes, codes.T @ X, layout.parts())
    assert_allclose(update.dictionary, reference.atom_step(X.T, D.T, codes.T, layout).T, atol=1e-6)


@given(problems())
def test_the_objective_falls_by_what_is_reported(data):
    X, _, layout, D = data
    codes = np.random.default_rng(1).normal(size=(len(X), len(D)))
    update = update_atoms(D, codes.T @ codes, codes.T @ X, layout.parts())
    before = np.sum((X - codes @ D) ** 2)
    after = np.sum((X - codes @ update.dictionary) ** 2)
    assert_allclose(before - after, update.decrease, atol=1e-9 * before)
    assert update.decrease >= 0


def test_atoms_keep_unit_norm():
    X, _, layout, D = problem()
    codes = np.random.default_rng(1).normal(size=(len(X), len(D)))
    update = update_atoms(D, codes.T @ codes, codes.T @ X, layout.parts())
    assert_allclose(np.linalg.norm(update.dictionary, axis=1), 1)


def test_unused_atoms_keep_their_value_and_are_reported():
    X, _, layout, D = problem()
    codes = np.random.default_rng(1).normal(size=(len(X), len(D)))
    codes[:, [1, 4]] = 0
    update = update_atoms(D, codes.T @ codes, codes.T @ X, layout.parts())
    assert_array_equal(np.flatnonzero(update.unused), [1, 4])
    assert_array_equal(update.dictionary[[1, 4]], D[[1, 4]])


@pytest.mark.parametrize("width", [1, 6])
def test_blocks_of_parts_change_nothing(monkeypatch, width):
    X, _, layout, D = problem()
    codes = np.random.default_rng(1).normal(size=(len(X), len(D)))
    A, B = codes.T @ codes, codes.T @ X
    wide = update_atoms(D, A, B, layout.parts())
    monkeypatch.setattr(dictionary, "BLOCK", width)
    assert_allclose(update_atoms(D, A, B, layout.parts()).dictionary, wide.dictionary, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_floor_is_the_rounding_error_of_the_largest_row(dtype, scale):
    B = np.array([[3.0, 4.0], [0.1, 0.2], [0.0, 0.0]], dtype) * dtype(scale)
    assert_allclose(noise_floor(B), 4 * np.finfo(dtype).eps * 5 * scale, rtol=1e-6)


def test_codes_of_zero_leave_every_atom_unused():
    _, _, layout, D = problem()
    update = update_atoms(D, np.zeros((len(D), len(D))), np.zeros_like(D), layout.parts())
    assert update.unused.all()
    assert update.decrease == 0
    assert_array_equal(update.dictionary, D)


def test_parts_are_taken_together_as_long_as_they_fit_into_a_block(monkeypatch):
    monkeypatch.setattr(dictionary, "BLOCK", 4)
    parts = [slice(0, 2), slice(2, 4), slice(4, 7), slice(7, 8), slice(8, 14), slice(14, 15)]
    assert _blocks(parts) == [parts[:2], parts[2:4], parts[4:5], parts[5:]]
