import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso

from crosslabel.core import lasso as module
from crosslabel.core.active_set import active_set_lasso, coordinate_steps, newton_step, violation
from crosslabel.core.lasso import coupled_lasso, lasso, soft_threshold
from crosslabel.core.scaling import unit_rows


def faces(n_signals=30, n_atoms=120, n_features=40, seed=0):
    """Coherent atoms: a large common part, as in faces."""
    rng = np.random.default_rng(seed)
    D = unit_rows(3 * rng.normal(size=n_features) + rng.normal(size=(n_atoms, n_features)))
    return D, unit_rows(3 * D[:n_signals] + 0.3 * rng.normal(size=(n_signals, n_features)))


def value(D, Y, X, penalty):
    return ((Y - X @ D) ** 2).sum(axis=1) + (penalty * np.abs(X)).sum(axis=1)


@pytest.mark.parametrize("penalty", [1.0, 0.1, 1e-2, 1e-3])
def test_optimality_conditions_hold(penalty):
    D, Y = faces()
    G, b = D @ D.T, Y @ D.T
    X = lasso(G, b, penalty, tol=1e-6)
    assert violation(X, X @ G - b, penalty).max() <= 1e-6 * penalty / 2 + 1e-12


def test_codes_are_those_of_scikit_learn():
    D, Y = faces(n_signals=4)
    X = lasso(D @ D.T, Y @ D.T, 0.05, tol=1e-8)
    for x, y in zip(X, Y):
        rival = Lasso(0.05 / 2 / len(y), fit_intercept=False, tol=1e-12, max_iter=100_000)
        assert_allclose(x, rival.fit(D.T, y).coef_, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), penalty=st.sampled_from([3e-3, 3e-2, 0.3]))
def test_the_start_does_not_matter(seed, penalty):
    D, Y = faces(n_signals=6, seed=seed)
    start = np.random.default_rng(seed).normal(size=(6, len(D)))
    from_zero = lasso(D @ D.T, Y @ D.T, penalty, tol=1e-7)
    from_start = lasso(D @ D.T, Y @ D.T, penalty, tol=1e-7, start=start)
    assert_allclose(value(D, Y, from_start, penalty), value(D, Y, from_zero, penalty), rtol=1e-7)


def test_a_penalty_above_the_correlations_gives_zero():
    D, Y = faces()
    assert not lasso(D @ D.T, Y @ D.T, 2.1 * np.abs(Y @ D.T).max()).any()


def test_an_orthonormal_dictionary_gives_soft_thresholds():
    rng = np.random.default_rng(0)
    b = rng.normal(size=(7, 90))
    assert_allclose(lasso(np.eye(90), b, 0.8), soft_threshold(b, 0.4), atol=1e-10)


def test_each_atom_may_have_its_own_penalty_and_zero_means_least_squares():
    D, Y = faces(n_signals=9, n_atoms=20)
    penalties = np.where(np.arange(20) < 5, 0.0, 1e6)
    X = lasso(D @ D.T, Y @ D.T, penalties, tol=1e-12)
    assert not X[:, 5:].any()
    assert_allclose(X[:, :5], np.linalg.lstsq(D[:5].T, Y.T, rcond=None)[0].T, atol=1e-6)


def test_copies_of_atoms_and_more_atoms_than_features_do_no_harm():
    D, Y = faces(n_atoms=60, n_features=10, n_signals=10)
    D[1] = D[0]
    G, b = D @ D.T, Y @ D.T
    X = lasso(G, b, 1e-3)
    assert violation(X, X @ G - b, 1e-3).max() <= 1e-3 * 1e-3 / 2 + 1e-12


def test_neither_step_of_the_active_set_raises_the_objective():
    D, Y = faces(n_atoms=30)
    H = np.broadcast_to(D @ D.T, (len(Y), 30, 30))
    b, t = Y @ D.T, np.full((len(Y), 30), 0.01)
    X = np.random.default_rng(0).normal(size=b.shape)
    for _ in range(5):
        stepped, _ = newton_step(H, b, t, X)
        assert (value(D, Y, stepped, 0.02) <= value(D, Y, X, 0.02) + 1e-9).all()
        slope = stepped @ D @ D.T - b
        faults = violation(stepped, slope, 0.02)
        X = coordinate_steps(H, slope, t, stepped, faults)
        assert (value(D, Y, X, 0.02) <= value(D, Y, stepped, 0.02) + 1e-9).all()


def test_small_problems_of_different_matrices_are_solved_together():
    rng = np.random.default_rng(0)
    H = np.stack([np.diag(rng.uniform(1, 2, 5)) for _ in range(3)])
    b, t = rng.normal(size=(3, 5)), np.full((3, 5), 0.3)
    X = active_set_lasso(H, b, t, np.zeros((3, 5)), 1e-12)
    assert_allclose(X, soft_threshold(b, 0.3) / np.einsum("nkk->nk", H), atol=1e-10)


def test_coupled_codes_satisfy_the_optimality_conditions():
    D, Y = faces()
    H, b = D @ D.T + 0.2 * np.eye(len(D)), Y @ D.T
    weights = np.linspace(-0.2 / len(Y), 0.1, len(D))
    X = coupled_lasso(H, b, 0.05, weights, start=np.zeros_like(b), tol=1e-5, max_iter=20_000)
    slope = X @ H + weights * X.sum(axis=0) - b
    assert violation(X, slope, 0.05).max() <= 1e-5 * 0.05 / 2


def test_coupled_codes_without_coupling_are_those_of_the_lasso():
    D, Y = faces()
    H, b = D @ D.T + 0.1 * np.eye(len(D)), Y @ D.T
    zero = np.zeros(len(D))
    X = coupled_lasso(H, b, 0.05, zero, start=np.zeros_like(b), tol=1e-6, max_iter=20_000)
    assert_allclose(X, lasso(H, b, 0.05, tol=1e-8), atol=1e-5)


def test_few_steps_never_end_above_the_start():
    D, Y = faces()
    H, b = D @ D.T + 0.1 * np.eye(len(D)), Y @ D.T
    q = np.full(len(D), -0.1 / len(Y))

    def objective(X):
        smooth = np.vdot(X, X @ H - 2 * b) + (q * X.sum(axis=0) ** 2).sum()
        return smooth + 0.01 * np.abs(X).sum()

    X = np.zeros_like(b)
    for _ in range(10):
        fresh = coupled_lasso(H, b, 0.01, q, start=X, max_iter=3)
        assert objective(fresh) <= objective(X) + 1e-12
        X = fresh


def test_the_first_guess_changes_nothing_but_the_time(monkeypatch):
    D, Y = faces()
    guessed = lasso(D @ D.T, Y @ D.T, 1e-3, tol=1e-7)
    monkeypatch.setattr(module, "DENSE", 0.0)
    plain = lasso(D @ D.T, Y @ D.T, 1e-3, tol=1e-7)
    assert_allclose(value(D, Y, guessed, 1e-3), value(D, Y, plain, 1e-3), rtol=1e-7)
