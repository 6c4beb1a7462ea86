import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import first_guess
from crosslabel.core import group_guess as module
from crosslabel.core.group_guess import Group, group_guess
from tests.core.test_first_guess import admm_by_hand, solved_lasso


@pytest.mark.parametrize("started", [False, True])
def test_the_guess_is_that_of_admm_with_each_form_written_out(monkeypatch, started):
    monkeypatch.setattr(module, "FEW_ATOMS", 0)
    monkeypatch.setattr(first_guess, "SETTLED", 0.0)  # all steps are taken
    rng = np.random.default_rng(0)
    D, b = rng.normal(size=(9, 6)), rng.normal(size=(7, 9))
    base = D @ D.T + np.eye(9)
    groups = []
    for rows, atoms in ((slice(0, 3), [0, 1, 4]), (slice(3, 7), [0, 1, 5, 6])):
        # The base holds a ridge that the atoms of a group are spared.
        groups.append(
            Group(rows, np.array(atoms), (D @ D.T)[np.ix_(atoms, atoms)] - np.eye(len(atoms)))
        )
    start = 0.1 * rng.normal(size=b.shape) * started
    kept = start.copy()
    found = group_guess(base, groups, b, 0.05, start)
    assert_array_equal(start, kept)
    rho = first_guess.admm_step(base, 0.05)
    for rows, atoms, block in groups:
        H = base.copy()
        H[np.ix_(atoms, atoms)] += block
        expected = admm_by_hand(H, b[rows], 0.05, start[rows], rho)
        assert_allclose(found[rows], expected, atol=1e-5)


def test_a_step_from_the_solution_of_each_group_stays_there(monkeypatch):
    monkeypatch.setattr(module, "FEW_ATOMS", 0)
    rng = np.random.default_rng(0)
    D, b = rng.normal(size=(9, 6)), rng.normal(size=(7, 9))
    base = D @ D.T + np.eye(9)
    groups = [Group(slice(0, 3), np.array([0, 4]), np.array([[2.0, 1.0], [1.0, 1.0]]))]
    groups.append(Group(slice(3, 7), np.array([1, 5]), np.array([[1.0, -0.5], [-0.5, 3.0]])))
    forms = [base.copy() for _ in groups]
    for H, (_, atoms, block) in zip(forms, groups):
        H[np.ix_(atoms, atoms)] += block
    codes = [solved_lasso(H, b[group.rows], 1.0, monkeypatch) for H, group in zip(forms, groups)]
    solution = np.concatenate(codes)
    assert_allclose(group_guess(base, groups, b, 1.0, solution), solution, atol=2e-6)


def test_a_handful_of_atoms_is_left_to_the_guess_of_each_group():
    start = np.ones((2, 3))
    groups = [Group(slice(0, 2), np.arange(1), np.eye(1))]
    found = group_guess(np.eye(3), groups, np.ones((2, 3)), 0.1, start)
    assert_array_equal(found, start)
    assert found is not start


@pytest.mark.parametrize(("off", "near"), [(2.9, True), (3.1, False)])
def test_a_start_is_left_alone_where_it_is_within_few_thresholds_of_optimal(monkeypatch, off, near):
    monkeypatch.setattr(module, "FEW_ATOMS", 0)
    groups = [
        Group(slice(0, 1), np.array([0, 2]), np.eye(2)),
        Group(slice(1, 3), np.array([1]), np.eye(1)),
    ]
    start = np.random.default_rng(0).uniform(1, 2, size=(3, 3))
    slope = start + start * np.array([[1, 0, 1], [0, 1, 0], [0, 1, 0]])
    b = slope - off * 0.05 * np.eye(3)[0]  # in units of λ/2; the threshold itself is one more
    found = group_guess(np.eye(3), groups, b, 0.1, start)
    assert np.array_equal(found, start) == near
    assert found is not start
