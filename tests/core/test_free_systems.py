import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import free_systems
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import Block, UndeterminedCodesError
from crosslabel.core.free_systems import FreeSystems, check_determined

EPS = np.finfo(float).eps


@pytest.mark.parametrize("shared", [0, 3])
@pytest.mark.parametrize("together", [1, 2**19])  # a class at a time, and all
def test_ridge_codes_become_the_minimisers_of_each_class(monkeypatch, shared, together):
    """Blocks of several shapes and shifts, out of order: one K×K solve for each."""
    monkeypatch.setattr(free_systems, "TOGETHER", together)
    rng, layout = np.random.default_rng(0), AtomLayout(shared, (2, 2, 4, 2))
    D, Y = rng.normal(size=(layout.n_atoms, 12)), rng.normal(size=(9, 12))
    G, tau = D @ D.T, 7.0
    H = np.linalg.inv(G + tau * np.eye(len(G)))
    of_class = [
        Block(1, slice(4, 6), 0.5), Block(0, slice(0, 2), 0.5), Block(2, slice(2, 4), 0.5),
        Block(3, slice(6, 7), 0.1), Block(0, slice(7, 8), 0.1), Block(2, slice(8, 9), tau),
    ]  # fmt: skip
    found = FreeSystems(tau, G @ H, of_class, layout, np.dtype("f8")).solve(Y @ D.T @ H)
    for label, rows, rho in of_class:
        penalties = np.full(len(G), tau)
        penalties[layout.free(label)] = rho
        expected = np.linalg.solve(G + np.diag(penalties), D @ Y[rows].T).T
        assert_allclose(found[rows], expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_a_system_is_undetermined_by_its_least_pivot_relative_to_its_diagonal(scale):
    """Refused where a pivot is at most n·eps of the largest diagonal value."""
    of_class, largest = [Block(c, slice(c, c + 1), 0.25) for c in (3, 7)], np.full(2, scale)
    sound, lost = np.diag([1.0, 1.0, 3.5 * EPS]), np.diag([1.0, 1.0, 2.5 * EPS])
    check_determined(scale * np.array([np.eye(3), sound]), largest, 3, of_class)
    with pytest.raises(UndeterminedCodesError, match=r"class 7 .* its 3 own .* ridge is 0.25"):
        check_determined(scale * np.array([sound, lost]), largest, 3, of_class)
    indefinite = np.diag([1.0, -1.0, 1.0])
    with pytest.raises(UndeterminedCodesError, match="class 3"):
        check_determined(scale * np.array([indefinite, sound]), largest, 3, of_class)


def test_a_pivot_at_the_rounding_level_itself_is_undetermined():
    system = np.diag([1.0, 1.0, 1.0, 4 * EPS])
    with pytest.raises(UndeterminedCodesError, match="class 5"):
        check_determined(system[None], np.ones(1), 4, [Block(5, slice(0, 1), 0.0)])


def with_twins(twins):
    """Systems of classes 1, 2 and 0 without a ridge, where two of the atoms are one."""
    layout = AtomLayout(3, (2, 2, 2))
    D = np.random.default_rng(1).normal(size=(9, 20))
    D[twins[0]] = D[twins[1]]
    G = D @ D.T
    N = G @ np.linalg.inv(G + 5.0 * np.eye(9))
    of_class = [Block(c, slice(c, c + 1), 0.0) for c in (1, 2, 0)]
    return FreeSystems(5.0, N, of_class, layout, np.dtype("f8"))


@pytest.mark.parametrize(("twins", "label"), [((0, 1), 1), ((3, 4), 0), ((2, 7), 2)])
def test_the_first_class_that_may_use_dependent_atoms_is_refused(twins, label):
    """Whether both are shared, both its own, or one of each."""
    with pytest.raises(UndeterminedCodesError) as refused:
        with_twins(twins)
    assert refused.value.label == label
    assert refused.value.n_free == 5


def test_atoms_of_different_classes_may_be_dependent():
    with_twins((6, 7))
