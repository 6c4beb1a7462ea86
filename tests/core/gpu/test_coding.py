"""Codes on a device against one naive solve per block, under one dictionary after another."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import Block, UndeterminedCodesError
from crosslabel.core.gpu import coding
from crosslabel.core.gpu.coding import SuppressedCoder, factorise
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import unit_rows
from tests.core.problems import penalties, problem, problems
from tests.core.test_coding import naive, relative

EPS = np.finfo(float).eps


def coded(rows, of_class, D, layout, suppression):
    coder = SuppressedCoder(torch.as_tensor(rows), of_class, layout, suppression)
    return coder.codes(torch.as_tensor(D)).numpy()


@given(problems(), penalties())
def test_codes_equal_a_naive_solve(data, weights):
    X, labels, layout, D = data
    moments = Moments.from_samples(X, labels, layout.n_classes)
    targets = moments.targets()
    of_class = blocks(targets.starts, moments.counts, weights)
    found = coded(targets.rows, of_class, D, layout, weights.suppression)
    assert relative(found, naive(targets.rows, of_class, D, layout, weights.suppression)) < 1e-8


@pytest.mark.parametrize("suppression", [0.0, 0.7, 1e9])
@pytest.mark.parametrize("n_features", [5, 11, 40])
def test_blocks_of_near_and_far_shifts_in_any_order(n_features, suppression):
    X, _, layout, D = problem(sizes=(6, 3, 6), per_class=(3, 2, 3), n_features=n_features)
    shifts = {2: 0.3, 0: 0.31, 1: 9.0}
    rows = {0: slice(0, 6), 1: slice(6, 9), 2: slice(9, 15)}
    of_class = [Block(c, rows[c], shift) for c, shift in shifts.items()]
    found = coded(X, of_class, D, layout, suppression)
    assert relative(found, naive(X, of_class, D, layout, suppression)) < 1e-9


def test_a_second_dictionary_takes_the_same_indices():
    X, labels, layout, D = problem()
    of_class = [Block(c, slice(6 * c, 6 * c + 6), 0.1 + c / 100) for c in range(3)]
    coder = SuppressedCoder(torch.as_tensor(X), of_class, layout, 2.0)
    for atoms in (D, unit_rows(D[::-1] + 0.1)):
        found = coder.codes(torch.as_tensor(np.ascontiguousarray(atoms))).numpy()
        assert relative(found, naive(X, of_class, atoms, layout, 2.0)) < 1e-10


def test_float32_rows_give_float32_codes():
    X, _, layout, D = problem()
    of_class = [Block(c, slice(6 * c, 6 * c + 6), 0.1 + c / 100) for c in range(3)]
    found = coded(X.astype(np.float32), of_class, D, layout, 2.0)
    assert found.dtype == np.float32
    assert relative(found, naive(X, of_class, D, layout, 2.0)) < 1e-5


@given(st.integers(0, 1000), st.floats(-6, 6).map(lambda e: 10.0**e))
def test_the_factor_is_the_same_through_either_gram_matrix(seed, shift):
    rng = np.random.default_rng(seed)
    for D in (unit_rows(rng.normal(size=(9, 6))), unit_rows(rng.normal(size=(5, 6)))):
        G = D @ D.T
        H = np.linalg.inv(G + shift * np.eye(len(D)))
        found = factorise(torch.as_tensor(D), shift)
        scale = np.linalg.norm(G) / shift if shift < 1 else 1
        assert found.shift == shift
        assert_allclose(found.smoother.numpy(), G @ H, rtol=1e-6, atol=1e-14 * scale)
        assert_allclose(found.coder.numpy(), H @ D, rtol=1e-6, atol=1e-13 * scale)


def test_more_atoms_than_features_need_a_shift():
    D = torch.as_tensor(unit_rows(np.random.default_rng(0).normal(size=(9, 6))))
    with pytest.raises(np.linalg.LinAlgError, match=r"9 atoms is singular\. Use ridge > 0"):
        factorise(D, 0.0)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_gram_matrix_is_singular_by_its_least_pivot_relative_to_its_diagonal(scale):
    sound, lost = (torch.diag(torch.tensor([1.0, 1.0, p * EPS]).double()) for p in (3.5, 2.5))
    L = coding._cholesky(scale * sound, 0.0, 3)
    assert_allclose((L @ L.T).numpy(), scale * sound.numpy())
    with pytest.raises(np.linalg.LinAlgError, match="shift of 0"):
        coding._cholesky(scale * lost, 0.0, 3)
    edge = torch.diag(torch.tensor([1.0, 1.0, 1.0, 4 * EPS]).double())
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        coding._cholesky(scale * edge, 0.0, 4)


def test_a_shift_above_rounding_is_not_looked_at():
    """Every pivot of a Gram matrix is at least the shift: no look at the device is needed."""
    floor = 3 * EPS * (5 + 3 * EPS * 5)

    def shifted(shift):
        """A matrix that is none: with the shift, its last pivot is zero."""
        return coding._cholesky(torch.diag(torch.tensor([1.0, 1.0, -shift]).double()), shift, 5)

    assert shifted(1.01 * floor).shape == (3, 3)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        shifted(0.99 * floor)


def batch(shifts, tau=1.0, n_own=3):
    layout = AtomLayout(0, (n_own,) * len(shifts))
    of_class = [Block(c, slice(c, c + 1), shift) for c, shift in enumerate(shifts)]
    return coding._DeviceBatch(of_class, layout, tau, torch.device("cpu"))


def test_systems_are_safe_where_every_shift_is_above_rounding():
    """The eigenvalues of a system lie between ρ and τ."""
    assert batch([0.1, 3.1 * EPS * 7], tau=7.0).is_safe
    assert not batch([0.1, 2.9 * EPS * 7], tau=7.0).is_safe
    assert not batch([0.0, 0.1]).is_safe


def test_a_coder_is_safe_where_its_factor_and_all_its_systems_are():
    X, _, layout, _ = problem()
    rows = torch.as_tensor(X)

    def safe(shifts, suppression):
        of_class = [Block(c, slice(6 * c, 6 * c + 6), shift) for c, shift in enumerate(shifts)]
        return SuppressedCoder(rows, of_class, layout, suppression).is_safe

    assert safe([0.1, 0.2, 0.3], 1.0)
    assert not safe([0.1, 0.0, 0.3], 1.0)
    assert not safe([0.0] * 3, 0.0)
    floor = layout.n_atoms**2 * EPS  # with λ = 0 there are no systems, only the factor
    assert safe([1.01 * floor] * 3, 0.0)
    assert not safe([0.99 * floor] * 3, 0.0)
    assert not safe([1.0, 1.0, 0.5 * floor], 0.0)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_an_undetermined_system_is_named(scale):
    """Refused where a pivot is at most n·eps of the largest diagonal value."""
    of_three = batch([0.25, 0.5, 0.75]).blocks
    sound, lost = np.diag([1.0, 1.0, 3.5 * EPS]), np.diag([1.0, 1.0, 2.5 * EPS])

    def check(*systems):
        coding.inverses(torch.as_tensor(scale * np.array(systems)), of_three)

    check(np.eye(3), sound, sound)
    with pytest.raises(UndeterminedCodesError, match=r"class 1 .* its 3 own .* ridge is 0.5"):
        check(sound, lost, lost)
    with pytest.raises(UndeterminedCodesError, match=r"class 2"):
        check(sound, sound, lost)


def test_a_pivot_at_the_rounding_level_itself_is_undetermined():
    system = torch.diag(torch.tensor([1.0, 1.0, 1.0, 4 * EPS]).double())[None]
    with pytest.raises(UndeterminedCodesError, match="class 0"):
        coding.inverses(system, batch([0.25], n_own=4).blocks)


def test_inverses_of_a_stack():
    half = np.random.default_rng(0).normal(size=(3, 4, 6))
    systems = half @ half.swapaxes(1, 2)
    found = coding.inverses(torch.as_tensor(systems)).numpy()
    assert_allclose(found, np.linalg.inv(systems), rtol=1e-9, atol=1e-9)


def test_dependent_atoms_of_a_class_are_reported_with_its_name():
    X, _, layout, D = problem(shared=0, n_features=20)
    D[layout.own(1)] = D[layout.own(1)][0]
    of_class = [Block(c, slice(6 * c, 6 * c + 6), 0.0) for c in range(3)]
    with pytest.raises(UndeterminedCodesError, match=r"class 1 .* linearly dependent"):
        coded(X, of_class, D, layout, 5.0)


def test_penalties_of_the_paper():
    X, labels, layout, D = problem(sizes=(5, 9, 7), per_class=(3, 4, 3))
    weights = Penalties(8e-3, 2e3, 2e-2)
    moments = Moments.from_samples(X, labels, 3)
    targets = moments.targets()
    of_class = blocks(targets.starts, moments.counts, weights)
    found = coded(targets.rows, of_class, D, layout, weights.suppression)
    assert relative(found, naive(targets.rows, of_class, D, layout, weights.suppression)) < 1e-9
