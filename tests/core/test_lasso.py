import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Lasso

from crosslabel.core import lasso as module
from crosslabel.core.active_set import violation
from crosslabel.core.lasso import coupled_lasso, lasso, soft_threshold
from crosslabel.core.scaling import unit_rows
from tests import naive


def faces(n_signals=30, n_atoms=120, n_features=40, seed=0):
    """Coherent atoms: a large common part, as in faces."""
    rng = np.random.default_rng(seed)
    D = unit_rows(3 * rng.normal(size=n_features) + rng.normal(size=(n_atoms, n_features)))
    return D, unit_rows(3 * D[:n_signals] + 0.3 * rng.normal(size=(n_signals, n_features)))


def value(D, Y, X, penalty):
    return ((Y - X @ D) ** 2).sum(axis=1) + (penalty * np.abs(X)).sum(axis=1)


@pytest.mark.parametrize("penalty", [1.0, 0.1, 1e-2, 1e-3])
def test_optimality_conditions_hold(penalty):
    D, Y = faces(n_signals=8)
    G, b = D @ D.T, Y @ D.T
    X = lasso(G, b, penalty, tol=1e-6)
    assert violation(X, X @ G - b, penalty).max() <= 1e-6 * penalty / 2 + 1e-12


def test_codes_are_those_of_scikit_learn():
    D, Y = faces(n_signals=4)
    X = lasso(D @ D.T, Y @ D.T, 0.05, tol=1e-8)
    for x, y in zip(X, Y):
        rival = Lasso(0.05 / 2 / len(y), fit_intercept=False, tol=1e-12, max_iter=100_000)
        assert_allclose(x, rival.fit(D.T, y).coef_, atol=1e-6)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000), penalty=st.sampled_from([3e-3, 3e-2, 0.3]))
def test_the_start_does_not_matter(seed, penalty):
    D, Y = faces(n_signals=3, n_atoms=70, seed=seed)
    start = np.random.default_rng(seed).normal(size=(3, len(D)))
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


def test_codes_over_few_atoms_solve_the_equations_of_their_signs_however_loose_the_tolerance():
    D, Y = faces(n_signals=12, n_atoms=12, n_features=30)
    G, b = D @ D.T, Y @ D.T
    for x, target in zip(lasso(G, b, 0.02, tol=0.5), b):
        used = np.flatnonzero(x)
        expected = np.linalg.solve(G[np.ix_(used, used)], target[used] - 0.01 * np.sign(x[used]))
        assert_allclose(x[used], expected, atol=1e-9)


def test_soft_thresholds_draw_to_zero():
    X = np.array([-3.0, -0.5, 0.0, 0.5, 3.0])
    assert_allclose(soft_threshold(X, 1.0), [-2, 0, 0, 0, 2])
    assert_allclose(soft_threshold(X, np.array([3.0, 0.1, 1, 0.2, 0])), [0, -0.4, 0, 0.3, 3])


def test_codes_are_those_of_coordinate_descent():
    D, Y = faces(n_signals=5, n_atoms=9, n_features=12)
    for penalty in (0.02, 0.3):
        expected = [naive.lasso(D @ D.T, D @ y, penalty) for y in Y]
        assert_allclose(lasso(D @ D.T, Y @ D.T, penalty, tol=1e-9), expected, atol=1e-7)


@pytest.mark.parametrize(
    ("n_atoms", "chunk", "solver"),
    [(10, 5 * 3**2, "_few_atoms"), (30, 5, "_few_atoms"), (40, 5, "_many_atoms")],
)
def test_signals_are_solved_in_chunks_to_the_tolerance_of_the_largest_penalty(
    monkeypatch, n_atoms, chunk, solver
):
    monkeypatch.setattr(module, "CHUNK", 5)
    monkeypatch.setattr(module, "WORKING_SET", 30)
    monkeypatch.setattr(module, "FEW_ATOMS", 30)
    calls = naive.captured(monkeypatch, module, solver)
    D, _ = faces(n_signals=5, n_atoms=n_atoms)
    b = 0.3 * np.random.default_rng(0).normal(size=(47, n_atoms))
    penalties = np.linspace(0.1, 0.6, n_atoms)
    codes = lasso(D @ D.T, b, penalties, tol=1e-4)
    sizes = [len(b) for (_, b, *_), _, _ in calls]
    assert sizes == [chunk] * (47 // chunk) + [47 % chunk]
    for (_, _, thresholds, _, allowed), _, _ in calls:
        assert_allclose(thresholds, penalties / 2)
        assert_allclose(allowed, 1e-4 * 0.6 / 2)
    assert violation(codes, codes @ D @ D.T - b, penalties).max() <= 1e-4 * 0.3


def test_a_working_set_holds_what_is_used_and_what_is_most_at_fault(monkeypatch):
    monkeypatch.setattr(module, "WORKING_SET", 4)
    calls = naive.captured(monkeypatch, module, "one_signal_lasso")
    D, Y = faces(n_signals=6, n_atoms=40, n_features=30)
    G, b = D @ D.T, Y @ D.T
    penalty = 0.01
    X = np.zeros_like(b)
    module._many_atoms(G, b, np.full(40, penalty / 2), X, 1e-7)
    assert violation(X, X @ G - b, penalty).max() <= 1e-7
    for n, ((h, targets, thresholds, start, allowed), _, _) in enumerate(calls[:6]):
        best = np.argsort(-np.abs(b[n]))[:4]
        assert_allclose(np.sort(targets), np.sort(b[n, best]))
        order = [int(np.abs(b[n] - value).argmin()) for value in targets]
        assert_allclose(h, G[np.ix_(order, order)])
        assert_array_equal(thresholds, np.full(4, penalty / 2))
        assert not start.any()
        assert allowed == 1e-7
    assert len(calls) > 6
    for (h, _, _, start, _), _, _ in calls:
        assert len(h) == min(40, max(4, 2 * np.count_nonzero(start)))


def test_signals_that_are_solved_are_left_alone(monkeypatch):
    D, Y = faces(n_signals=6, n_atoms=10)
    G, b = D @ D.T, Y @ D.T
    X = lasso(G, b, 0.05, tol=1e-9)
    X[4:] = 0
    kept = X.copy()
    calls = naive.captured(monkeypatch, module, "one_signal_lasso")
    module._many_atoms(G, b, np.full(10, 0.025), X, 1e-6)
    assert len(calls) == 2
    assert_array_equal(X[:4], kept[:4])
    calls.clear()
    module._many_atoms(G, np.full((1, 10), 0.1), np.ones(10), np.zeros((1, 10)), 0.0)
    assert not calls  # zero is the solution, without any fault


def test_the_columns_of_the_largest_entries():
    values = np.random.default_rng(0).normal(size=(20, 9))
    for size in (1, 4, 8):
        for row, found in zip(values, module._largest(values, size)):
            assert set(found) == set(np.argsort(row)[-size:])
    assert_array_equal(module._largest(values, 9), np.tile(np.arange(9), (20, 1)))
    wide = np.random.default_rng(1).normal(size=(3, 900))
    for row, found in zip(wide, module._largest(wide, 20)):
        assert set(found) == set(np.argsort(row)[-20:])


def fista_by_hand(slope, X, bound, threshold, steps):
    """FISTA with the restart where a step turns against the last one."""
    point, t = X, 1.0
    for _ in range(steps):
        new = soft_threshold(point - slope(point) / bound, threshold / bound)
        if ((point - new) * (new - X)).sum() > 0:
            t = 1.0
        following = (1 + np.sqrt(1 + 4 * t * t)) / 2
        point, X, t = new + (t - 1) / following * (new - X), new, following
    return X


def coupled_problem(seed=0):
    rng = np.random.default_rng(seed)
    D = rng.normal(size=(7, 5))
    H, b = D @ D.T + 0.4 * np.eye(7), rng.normal(size=(4, 7))
    return H, b, np.linspace(-0.1, 0.3, 7), rng.normal(size=(4, 7))


def coupled_cost(X, H, b, q, penalty):
    smooth = np.trace(X @ H @ X.T) - 2 * np.trace(X @ b.T) + (q * X.sum(axis=0) ** 2).sum()
    return smooth + penalty * np.abs(X).sum()


@pytest.mark.parametrize("steps", [1, 2, 3, 25])
@pytest.mark.parametrize("sign", [1, -1])
def test_coupled_codes_take_the_steps_of_fista(steps, sign):
    H, b, q, start = coupled_problem()
    q = q if sign > 0 else -np.abs(q)
    found = coupled_lasso(H, b, 0.2, q, start=start, tol=0.0, max_iter=steps)
    bound = max(sum(abs(row)) for row in H) + 4 * max(0, q.max())
    expected = fista_by_hand(lambda X: X @ H + q * X.sum(axis=0) - b, start, bound, 0.1, steps)
    assert_allclose(found, expected, atol=1e-9)


def test_the_steps_end_at_the_first_look_that_finds_the_conditions_met(monkeypatch):
    H, b, q, start = coupled_problem()
    q, penalty = np.abs(q), 0.2

    def slope(X):
        return X @ H + q * X.sum(axis=0) - b

    bound = np.abs(H).sum(axis=1).max() + 4 * q.max()
    for every in (1, 10):
        monkeypatch.setattr(module, "CHECK_EVERY", every)
        steps = 1  # the first look is after the first step
        while (
            violation(
                fista_by_hand(slope, start, bound, 0.1, steps),
                slope(fista_by_hand(slope, start, bound, 0.1, steps)),
                penalty,
            ).max()
            > 0.01 * penalty / 2
        ):
            steps += every
        found = coupled_lasso(H, b, penalty, q, start=start, tol=0.01, max_iter=500)
        assert_allclose(found, fista_by_hand(slope, start, bound, 0.1, steps), atol=1e-10)


def test_a_start_that_the_steps_do_not_better_is_kept(monkeypatch):
    H, b, q, start = coupled_problem()
    best = coupled_lasso(H, b, 0.2, q, start=start, tol=1e-12, max_iter=5000)
    calls = naive.captured(monkeypatch, module, "_on_shared_set")
    assert_array_equal(coupled_lasso(H, b, 0.2, q, start=best, tol=1e-3), best)
    assert not calls
    monkeypatch.setattr(module, "_accelerate", lambda slope, X, *_: X + 1.0)
    worse = module._on_shared_set(H, b, q, best, 0.1, 0.0, 5)
    assert_array_equal(worse, best)
    far = best - 1.0
    assert_allclose(module._on_shared_set(H, b, q, far, 0.1, 0.0, 5), best)
    assert coupled_cost(best, H, b, q, 0.2) < coupled_cost(far, H, b, q, 0.2)


@pytest.mark.parametrize("penalty", [0.2, 20.0])
def test_the_better_one_is_found_by_the_objective(monkeypatch, penalty):
    H, b, q, start = coupled_problem()
    rng, kept = np.random.default_rng(3), 0
    for _ in range(60):
        other = start + 0.03 * rng.normal(size=start.shape)
        monkeypatch.setattr(module, "_accelerate", lambda *_, other=other: other)
        found = module._on_shared_set(H, b, q, start, penalty / 2, 0.0, 5)
        better = min((other, start), key=lambda X: coupled_cost(X, H, b, q, penalty))
        assert_array_equal(found, better)
        kept += better is start
    assert 0 < kept < 60


def test_coupled_codes_without_any_fault_take_no_step(monkeypatch):
    calls = naive.captured(monkeypatch, module, "_on_shared_set")
    zero = np.zeros((2, 3))
    coupled_lasso(np.eye(3), zero + 0.1, 1.0, np.zeros(3), start=zero, tol=0.0)
    assert not calls


def test_coupled_codes_share_a_working_set_of_what_is_used_and_most_at_fault(monkeypatch):
    monkeypatch.setattr(module, "WORKING_SET", 3)
    calls = naive.captured(monkeypatch, module, "_on_shared_set")
    D, Y = faces(n_signals=5, n_atoms=20, n_features=15)
    H, b = D @ D.T + 0.5 * np.eye(20), Y @ D.T
    q = np.full(20, 0.05)
    X = coupled_lasso(H, b, 0.05, q, start=np.zeros_like(b), tol=1e-4, max_iter=2000)
    assert violation(X, X @ H + q * X.sum(axis=0) - b, 0.05).max() <= 1e-4 * 0.05 / 2
    sizes = [args[0].shape[0] for args, _, _ in calls]
    used = [(args[3] != 0).any(axis=0).sum() for args, _, _ in calls]
    assert sizes == [min(20, max(3, 2 * u)) for u in used]
    args = calls[0][0]
    best = np.sort(np.argsort(-np.abs(b).max(axis=0))[:3])
    assert_allclose(args[0], H[np.ix_(best, best)])
    assert_allclose(args[1], b[:, best])
    assert_allclose(args[2], q[best])
    assert_allclose(args[4:6], [0.025, 1e-4 * 0.025])


def test_a_working_set_that_grows_no_more_is_given_more_steps(monkeypatch):
    monkeypatch.setattr(module, "WORKING_SET", 16)
    calls = naive.captured(monkeypatch, module, "_on_shared_set")
    D, Y = faces(n_signals=5, n_atoms=60, n_features=15)
    H, b = D @ D.T + 0.1 * np.eye(60), Y @ D.T
    coupled_lasso(H, b, 1.0, np.full(60, 0.05), start=np.zeros_like(b), tol=1e-6, max_iter=15)
    sizes, steps = zip(*[(len(args[0]), args[6]) for args, _, _ in calls])
    grown = [size > last for size, last in zip(sizes, (0, *sizes))]
    assert steps == tuple(15 if larger else 120 for larger in grown)
    assert any(grown[1:])
    assert not all(grown)


def test_coupled_codes_without_curvature_take_plain_steps():
    X = module._accelerate(lambda Z: Z - 2.0, np.zeros((1, 1)), 0.0, 0.5, 1e-12, 1)
    assert_allclose(X, [[1.5]])
    X = module._accelerate(lambda Z: 0.5 * Z - 2.0, np.zeros((1, 1)), 0.5, 0.25, 1e-12, 1)
    assert_allclose(X, [[3.5]])  # a step of two


def test_the_rounds_have_an_end(monkeypatch):
    monkeypatch.setattr(module, "WORKING_SET", 2)
    G, b = np.eye(5), np.ones((1, 5))
    monkeypatch.setattr(module, "one_signal_lasso", lambda H, b, t, x, allowed: 0 * x)
    calls = naive.captured(monkeypatch, module, "one_signal_lasso")
    module._many_atoms(G, b, np.full(5, 0.1), np.zeros((1, 5)), 1e-3)
    assert len(calls) == 2  # nothing came lower, twice
    restless = iter(np.arange(1.0, 100.0))

    def never_settles(hessian, targets, sum_weights, start, *_):
        fresh = np.zeros_like(start)
        fresh[0, 0] = next(restless)
        return fresh

    monkeypatch.setattr(module, "_on_shared_set", never_settles)
    calls = naive.captured(monkeypatch, module, "_on_shared_set")
    coupled_lasso(G, b, 0.1, np.zeros(5), start=np.zeros((1, 5)))
    assert len(calls) == 20


def test_signals_come_lower_by_their_objectives(monkeypatch):
    """‖y − xD‖² − ‖y‖² + λ‖x‖₁ of each, where a round begins."""
    D, Y = faces(n_signals=3, n_atoms=12, n_features=15)
    told = naive.captured(monkeypatch, module.Descent, "goes_on")
    start = np.random.default_rng(0).normal(size=(3, 12))
    expected = value(D, Y, start, 0.1) - (Y**2).sum(axis=1)
    module._many_atoms(D @ D.T, Y @ D.T, np.full(12, 0.05), start, 1e-9)
    (_, found), *_ = told[0]
    assert_allclose(found, expected)
