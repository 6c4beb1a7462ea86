import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import coding
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import Block
from crosslabel.core.coding import RidgeFactor, ridge_codes, suppressed_codes
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import unit_rows
from tests.core.problems import penalties, problem, problems


def naive(Y, class_blocks, D, layout, suppression):
    """One K×K solve per block."""
    codes, G = np.empty((len(Y), len(D))), D @ D.T
    for block in class_blocks:
        other = np.ones(len(D))
        other[layout.free(block.label)] = 0
        system = G + np.diag(suppression * other + block.shift)
        codes[block.rows] = np.linalg.solve(system, D @ Y[block.rows].T).T
    return codes


def relative(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def coded(data, weights, dtype=np.float64):
    X, labels, layout, D = data
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    targets = statistics.targets()
    of_class = blocks(targets.starts, statistics.counts, weights)
    Y, atoms = targets.rows.astype(dtype), D.astype(dtype)
    fast = suppressed_codes(Y, of_class, atoms, layout, weights.suppression)
    return fast, naive(targets.rows, of_class, D, layout, weights.suppression)


@given(problems(), penalties())
def test_codes_equal_a_naive_solve(data, weights):
    fast, slow = coded(data, weights)
    assert relative(fast, slow) < 1e-8


@given(problems(), penalties(min_ridge=1e-2))
def test_float32_codes_are_close_and_stay_float32(data, weights):
    fast, slow = coded(data, weights, np.float32)
    assert fast.dtype == np.float32
    assert relative(fast, slow) < 1e-3


@pytest.mark.parametrize("suppression", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("n_features", [5, 40])
def test_codes_stay_exact_at_very_large_suppression(suppression, n_features):
    fast, slow = coded(problem(n_features=n_features), Penalties(1e-2, suppression, 1e-2))
    assert relative(fast, slow) < 1e-8


@given(problems(), penalties())
def test_codes_satisfy_the_normal_equations(data, weights):
    """The gradient xG + ρx + λx_R − yDᵀ vanishes."""
    X, labels, layout, D = data
    codes = suppressed_codes(
        X, [Block(c, slice(i, i + 1), 0.3) for i, c in enumerate(labels)], D, layout, weights[1]
    )
    other = (layout.labels >= 0) & (layout.labels != labels[:, None])
    gradient = codes @ (D @ D.T) + 0.3 * codes + weights[1] * codes * other - X @ D.T
    assert_allclose(gradient, 0, atol=1e-9 * max(1, weights[1]))


def test_without_suppression_codes_are_ridge_codes():
    X, labels, layout, D = problem()
    rows = [Block(0, slice(0, len(X)), 0.1)]
    assert_allclose(suppressed_codes(X, rows, D, layout, 0.0), ridge_codes(X, D, 0.1), rtol=1e-10)


def test_suppressed_coefficients_vanish_as_suppression_grows():
    X, labels, layout, D = problem()
    other = (layout.labels >= 0) & (layout.labels != 0)
    energy = [
        np.abs(
            suppressed_codes(X, [Block(0, slice(0, len(X)), 0.1)], D, layout, lam)[:, other]
        ).max()
        for lam in (1, 1e3, 1e6)
    ]
    assert energy[0] > 100 * energy[1] > 1e4 * energy[2]


def test_ridge_zero_works_where_atoms_are_independent():
    X, labels, layout, D = problem(n_features=20)
    fast, slow = coded((X, labels, layout, D), Penalties(0.0, 10.0, 0.1))
    assert relative(fast, slow) < 1e-8
    assert_allclose(ridge_codes(X, D, 0.0), X @ np.linalg.pinv(D), atol=1e-10)


def test_a_singular_system_is_reported_with_its_class():
    X, labels, layout, D = problem(shared=0, n_features=20)
    D[layout.own(1)] = D[layout.own(1)][0]
    of_class = [Block(c, slice(6 * c, 6 * c + 6), 0.0) for c in range(3)]
    with pytest.raises(
        np.linalg.LinAlgError, match=r"class 1 .* linearly dependent .* larger ridge"
    ):
        suppressed_codes(X, of_class, D, layout, 5.0)
    with pytest.raises(np.linalg.LinAlgError, match="ridge > 0"):
        ridge_codes(X, D, 0.0)


@given(st.integers(0, 1000), st.floats(-6, 6).map(lambda e: 10.0**e))
def test_ridge_factor_is_the_same_through_either_gram_matrix(seed, shift):
    rng = np.random.default_rng(seed)
    tall = unit_rows(rng.normal(size=(9, 6)))
    for D in (tall, unit_rows(rng.normal(size=(5, 6)))):
        factor, G = RidgeFactor(D, shift), D @ D.T
        H = np.linalg.inv(G + shift * np.eye(len(D)))
        scale = np.linalg.norm(G) / shift if shift < 1 else 1
        assert_allclose(factor.smoother, G @ H, rtol=1e-6, atol=1e-14 * scale)
        assert_allclose(factor.coder, H @ D, rtol=1e-6, atol=1e-13 * scale)


def test_blocks_may_lie_in_any_order():
    X, labels, layout, D = problem()
    of_class = [Block(c, slice(6 * c, 6 * c + 6), 0.1 + c) for c in (2, 0, 1)]
    assert (
        relative(suppressed_codes(X, of_class, D, layout, 3.0), naive(X, of_class, D, layout, 3.0))
        < 1e-12
    )


def test_a_class_with_more_atoms_than_features():
    X, labels, _, _ = problem(n_features=4)
    layout = AtomLayout(1, (6, 7, 2))
    D = unit_rows(np.random.default_rng(3).normal(size=(16, 4)))
    fast, slow = coded((X, labels, layout, D), Penalties(1e-2, 1e3, 0.1))
    assert relative(fast, slow) < 1e-8


@pytest.mark.parametrize("n_atoms", [3, 6, 9])
@pytest.mark.parametrize("ridge", [0.05, 20.0])
def test_ridge_codes_equal_a_naive_solve(n_atoms, ridge):
    rng = np.random.default_rng(n_atoms)
    D, Y = rng.normal(size=(n_atoms, 6)), rng.normal(size=(4, 6))
    expected = np.linalg.solve(D @ D.T + ridge * np.eye(n_atoms), D @ Y.T).T
    assert_allclose(ridge_codes(Y, D, ridge), expected, rtol=1e-9)
    assert_allclose(ridge_codes(np.tile(Y, (3, 1)), D, ridge), np.tile(expected, (3, 1)), rtol=1e-9)
    single = ridge_codes(Y.astype(np.float32), D.astype(np.float32), ridge)
    assert single.dtype == np.float32
    assert_allclose(single, expected, atol=1e-4)
    assert_allclose(RidgeFactor(D, ridge).codes(Y), expected, rtol=1e-9)


def test_more_atoms_than_features_need_a_ridge():
    D = np.random.default_rng(0).normal(size=(9, 6))
    with pytest.raises(np.linalg.LinAlgError, match=r"9 atoms is singular\. Use ridge > 0"):
        ridge_codes(D, D, 0.0)
    with pytest.raises(np.linalg.LinAlgError, match=r"9 atoms is singular\. Use ridge > 0"):
        RidgeFactor(D, 0.0)


@pytest.mark.parametrize("gap", [1e-3, 0.5, -0.8])  # of the shifts, beside τ = 4
def test_a_few_rows_of_another_shift_are_coded_from_the_same_factor(monkeypatch, gap):
    """The factor is made once; what it is off by on the atoms of others is made good."""
    X, labels, layout, D = problem(sizes=(40, 40, 40), n_features=30)
    made = []
    monkeypatch.setattr(
        coding, "RidgeFactor", lambda D, shift: made.append(shift) or RidgeFactor(D, shift)
    )
    of_class = [Block(c, slice(40 * c + (c == 1), 40 * c + 40), 2.0) for c in range(3)]
    of_class.append(Block(1, slice(40, 41), 2.0 + gap))
    found = suppressed_codes(X, of_class, D, layout, 2.0)
    assert made == [4.0]
    assert relative(found, naive(X, of_class, D, layout, 2.0)) < 1e-13


def test_of_a_single_class_no_atom_is_suppressed():
    """Its mean has another shift than its deviations, and nothing is left to make good."""
    X, _, _, D = problem()
    layout = AtomLayout(2, (9,))
    of_class = [Block(0, slice(0, 17), 0.3), Block(0, slice(17, 18), 0.1)]
    found = suppressed_codes(X, of_class, D, layout, 50.0)
    assert relative(found, naive(X, of_class, D, layout, 50.0)) < 1e-12
