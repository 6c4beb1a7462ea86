import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import unit_ball as module
from crosslabel.core.unit_ball import spectral_bound, update_atoms
from tests import naive


def problem(n_atoms=6, n_features=9, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(40, n_atoms)), rng.normal(size=(40, n_features))
    C = rng.normal(size=(4, n_features))
    D = rng.normal(size=(n_atoms, n_features))
    D /= 1.1 * np.linalg.norm(D, axis=1, keepdims=True)
    return D, X.T @ X, 5 * X.T @ Y, 3 * C.T @ C


def value(D, A, B, F):
    return np.vdot(D, A @ D - 2 * B) + np.vdot(D, D @ F)


@pytest.mark.parametrize("repelled", [False, True])
def test_many_sweeps_reach_the_minimum_over_the_ball(repelled):
    D, A, B, F = problem()
    F = F if repelled else 0 * F
    D = update_atoms(D, A, B, form=F if repelled else None, sweeps=3000)
    norms = np.linalg.norm(D, axis=1)
    assert (norms <= 1 + 1e-12).all()
    # At the minimum the slope is −μd with μ ≥ 0, and μ = 0 inside the ball.
    slope = A @ D - B + D @ F
    mu = -(slope * D).sum(axis=1) / norms**2
    assert_allclose(slope, -mu[:, None] * D, atol=1e-6 * np.abs(B).max())
    assert (mu >= -1e-6).all()
    assert_allclose(mu[norms < 1 - 1e-6], 0, atol=1e-5)


@pytest.mark.parametrize("repelled", [False, True])
def test_no_sweep_raises_the_objective(repelled):
    D, A, B, F = problem(seed=1)
    for _ in range(20):
        fresh = update_atoms(D, A, B, form=F if repelled else None)
        zero = F if repelled else 0 * F
        assert value(fresh, A, B, zero) <= value(D, A, B, zero) + 1e-9
        D = fresh


def test_an_atom_that_is_not_used_keeps_its_value():
    D, A, B, _ = problem()
    A[2], A[:, 2], B[2] = 0, 0, 0
    assert_array_equal(update_atoms(D, A, B)[2], D[2])


def test_the_bound_holds_and_is_close_where_one_eigenvalue_dominates():
    for seed in range(20):
        C = np.random.default_rng(seed).normal(size=(5, 30))
        largest = np.linalg.eigvalsh(C.T @ C)[-1]
        assert largest <= spectral_bound(C.T @ C) * (1 + 1e-12)
        alike = C + 5
        largest = np.linalg.eigvalsh(alike.T @ alike)[-1]
        assert largest <= spectral_bound(alike.T @ alike) * (1 + 1e-12)
        assert spectral_bound(alike.T @ alike) <= 1.01 * largest
    assert spectral_bound(np.zeros((4, 4))) == 0


@pytest.mark.parametrize("repelled", [False, True])
@pytest.mark.parametrize("sweeps", [1, 2])
@pytest.mark.parametrize("pull", [0.1, 1.0])
def test_an_atom_steps_by_its_slope_over_its_curvature_and_back_into_the_ball(
    repelled, sweeps, pull
):
    D, A, B, F = problem(n_atoms=3, n_features=4)
    B, form = pull * B, F if repelled else np.zeros_like(F)
    by_hand = naive.blocks_in_turn(
        lambda Z: value(Z, A, B, form),
        D,
        [range(3)],
        lambda _, k: A[k, k] + naive.eigenvalue_bound(form),
        sweeps,
    )
    found = update_atoms(D, A, B, form=F if repelled else None, sweeps=sweeps)
    assert_allclose(found, by_hand, atol=1e-10)


@pytest.mark.parametrize("repelled", [False, True])
@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_atoms_in_blocks_see_what_changed_before_them(monkeypatch, repelled, size):
    D, A, B, F = problem()
    A[3], A[:, 3], B[3] = 0, 0, 0
    form = F if repelled else None
    whole = update_atoms(D, A, B, form=form, sweeps=2)
    monkeypatch.setattr(module, "BLOCK", size)
    assert_allclose(update_atoms(D, A, B, form=form, sweeps=2), whole, atol=1e-12)


def test_the_bound_is_the_least_of_three():
    rng = np.random.default_rng(0)
    for F in (np.ones((3, 3)), np.eye(4), np.diag([1.0, 0.0]), np.diag([3.0, 3.0, 1.0]) - 1):
        assert_allclose(spectral_bound(F), naive.eigenvalue_bound(F))
    for _ in range(10):
        C = rng.normal(size=(3, 4)) * rng.uniform(0, 2, 4)
        assert_allclose(spectral_bound(C.T @ C), naive.eigenvalue_bound(C.T @ C))
