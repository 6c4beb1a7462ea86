import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import face_steps as module
from crosslabel.core.face_steps import face_steps, many_used


def problem(n_signals=7, n_atoms=30):
    """Codes near the optimum on their entries, all signs right but one of the first signal."""
    rng = np.random.default_rng(0)
    atoms = rng.normal(size=(n_atoms, 60))
    gram = atoms @ atoms.T / 60
    penalty = rng.uniform(0.01, 0.02, n_atoms)
    codes = rng.normal(size=(n_signals, n_atoms)) * (rng.uniform(size=(n_signals, n_atoms)) < 0.8)
    b = codes @ gram + penalty / 2 * np.sign(codes) + 1e-3 * rng.normal(size=codes.shape)
    codes[0, np.argmax(codes[0])] *= -0.01
    return gram, b, penalty, codes


def objective(gram, b, penalty, x):
    return x @ gram @ x - 2 * b @ x + penalty @ np.abs(x)


@pytest.mark.parametrize("rows", [2, 256])
def test_values_solve_the_normal_equations_of_their_entries_unless_a_sign_changes(
    monkeypatch, rows
):
    gram, b, penalty, codes = problem()
    monkeypatch.setattr(module, "ROWS", rows)
    monkeypatch.setattr(module, "STEPS", 30)
    # Inverse not of H itself: what is exact needs no steps.
    inverse = np.linalg.inv(gram + 0.1 * np.eye(len(gram)))
    found = codes.copy()
    monkeypatch.setattr(module, "many_used", lambda used: True)
    face_steps(gram, b, penalty, found, lambda R: R @ inverse, 1e-12)
    kept = 0
    for before, after, target in zip(codes, found, b):
        used, best = before != 0, before.copy()
        signs = np.sign(before[used])
        best[used] = np.linalg.solve(
            gram[np.ix_(used, used)], target[used] - penalty[used] / 2 * signs
        )
        same = (np.sign(best[used]) == signs).all()
        kept += same
        assert_allclose(after, best if same else before, atol=1e-10)
    assert 0 < kept < len(codes)


def test_no_step_raises_the_objective_where_atoms_are_copies(monkeypatch):
    gram, b, penalty, codes = problem()
    gram[1], gram[:, 1] = gram[0], gram[:, 0]
    gram[1, 1] = gram[0, 0]
    found = codes.copy()
    monkeypatch.setattr(module, "many_used", lambda used: True)
    face_steps(gram, b, penalty, found, lambda R: R, 0.0)
    for before, after, target in zip(codes, found, b):
        assert objective(gram, target, penalty, after) <= objective(gram, target, penalty, before)


def test_few_entries_are_left_to_their_normal_equations():
    gram, b, penalty, codes = problem()
    found = codes.copy()
    face_steps(gram, b, penalty, found, lambda R: R, 0.0)
    assert_array_equal(found, codes)
    face_steps(gram, b[:0], penalty, found[:0], lambda R: R, 0.0)


def test_many_are_used_where_their_cube_outweighs_the_steps():
    for n_atoms, few, many in [(1000, 500, 550), (4000, 1300, 1350)]:
        assert not many_used(np.arange(n_atoms) < [[few], [few]])
        assert many_used(np.arange(n_atoms) < [[many], [many]])
