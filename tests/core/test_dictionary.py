import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import dictionary, reference
from crosslabel.core.dictionary import update_atoms
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


def test_blocks_of_parts_change_nothing(monkeypatch):
    X, _, layout, D = problem()
    codes = np.random.default_rng(1).normal(size=(len(X), len(D)))
    A, B = codes.T @ codes, codes.T @ X
    wide = update_atoms(D, A, B, layout.parts())
    monkeypatch.setattr(dictionary, "BLOCK", 1)
    assert_allclose(update_atoms(D, A, B, layout.parts()).dictionary, wide.dictionary, atol=1e-12)
