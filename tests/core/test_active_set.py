from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import active_set as module
from crosslabel.core.active_set import active_set_lasso, coordinate_steps, newton_step, violation
from tests import naive


def problem(n_problems=4, size=6, rank=8, seed=0):
    """Different matrices, targets and thresholds."""
    rng = np.random.default_rng(seed)
    D = rng.normal(size=(n_problems, size, rank))
    H = D @ D.transpose(0, 2, 1)
    return H, 3 * rng.normal(size=(n_problems, size)), rng.uniform(0.3, 2, (n_problems, size))


def cost(H, b, t, x):
    return x @ H @ x - 2 * b @ x + 2 * (t * np.abs(x)).sum()


def test_violation_is_the_distance_to_the_subdifferential():
    X = np.array([[0.0, 0.0, 0.0, 2.0, -3.0, 1.0]])
    gradient = np.array([[0.4, -0.9, 0.5, -0.5, 0.5, 0.3]])
    assert_allclose(violation(X, gradient, 1.0), [[0, 0.4, 0, 0, 0, 0.8]])
    penalties = np.array([0.2, 0.2, 2.0, 2.0, 2.0, 2.0])
    assert_allclose(violation(X, gradient, penalties), [[0.3, 0.8, 0, 0.5, 0.5, 1.3]])


@pytest.mark.parametrize("batch", [1, 3, 8])
def test_coordinate_steps_minimise_over_the_entries_of_the_largest_faults(monkeypatch, batch):
    monkeypatch.setattr(module, "BATCH", batch)
    H, b, t = problem()
    X = np.random.default_rng(1).normal(size=b.shape) * ([[1, 0, 1, 0, 1, 1]] * 4)
    slope = np.einsum("nij,nj->ni", H, X) - b
    faults = np.random.default_rng(2).uniform(0.1, 1, b.shape)
    faults[:, 1:3] = 0  # these must not move
    kept = X.copy(), slope.copy()
    found = coordinate_steps(H, slope, t, X, faults)
    assert_array_equal(X, kept[0])
    assert_array_equal(slope, kept[1])
    order = np.argpartition(-faults, min(batch, 6) - 1, axis=1)[:, : min(batch, 6)]
    for n in range(4):
        x = X[n].copy()
        assert set(order[n]) == set(np.argsort(-faults[n])[:batch]) or batch > 4
        for k in order[n]:
            if faults[n, k] > 0:
                free = b[n, k] - H[n, k] @ x + H[n, k, k] * x[k]
                x[k] = np.sign(free) * max(abs(free) - t[n, k], 0) / H[n, k, k]
        assert_allclose(found[n], x, atol=1e-12)


def test_a_coordinate_without_curvature_goes_to_zero():
    H = np.zeros((1, 2, 2))
    H[0, 0, 0] = 1.0
    found = coordinate_steps(
        H, np.array([[-2.0, 0.0]]), np.ones((1, 2)), np.array([[0.0, 3.0]]), np.ones((1, 2))
    )
    assert_allclose(found, [[1, 0]])


def newton_by_hand(H, b, t, x):
    """The better one of: the step cut at its first change of sign, and the clipped full step."""
    on = x != 0
    if not on.any():
        return x, False
    target = np.zeros_like(x)
    target[on] = np.linalg.solve(H[np.ix_(on, on)], (b - t * np.sign(x))[on])
    flips = on & (target * np.sign(x) <= 0) & (t > 0)
    if not flips.any():
        return target, False
    shares = [x[k] / (x[k] - target[k]) if flips[k] else 1.0 for k in range(len(x))]
    cut = x + min(shares) * (target - x)
    cut[int(np.argmin(shares))] = 0
    clipped = np.where(flips, 0, target)
    return (clipped if cost(H, b, t, clipped) < cost(H, b, t, cut) else cut), True


@settings(max_examples=40)
@given(seed=st.integers(0, 500), scale=st.sampled_from([0.01, 0.3, 1.0, 5.0]))
def test_a_newton_step_is_that_of_each_problem_on_its_own(seed, scale):
    H, b, t = problem(seed=seed)
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=b.shape) * (rng.random(b.shape) < 0.6)
    X[1] = 0
    t[2, :3] = 0  # without a threshold a sign may change
    found, cut = newton_step(H, b, t, X)
    for n in range(4):
        expected, was_cut = newton_by_hand(H[n], b[n], t[n], X[n])
        assert_allclose(found[n], expected, atol=1e-6 * np.abs(expected).max(initial=1))
        assert cut[n] == was_cut
        assert cost(H[n], b[n], t[n], found[n]) <= cost(H[n], b[n], t[n], X[n]) + 1e-9


def test_a_newton_step_on_copies_and_on_small_and_large_matrices():
    for scale in (1e-8, 1.0, 1e8):
        H, b = scale * np.ones((1, 2, 2)), scale * np.array([[3.0, 3.0]])
        found, cut = newton_step(H, b, scale * np.ones((1, 2)), np.array([[1.0, 0.5]]))
        assert_allclose(found.sum(), 2, rtol=1e-6)  # the copies share the value of one
        assert not cut.any()


@settings(max_examples=20)
@given(seed=st.integers(0, 500))
def test_problems_of_different_matrices_are_solved_together(seed):
    H, b, t = problem(n_problems=5, seed=seed)
    b[0] = 0.1 * t[0]  # its solution is zero
    start = np.random.default_rng(seed).normal(size=b.shape)
    kept = start.copy()
    for X in (np.zeros_like(b), start):
        found = active_set_lasso(H, b, t, X, 1e-10)
        slope = np.einsum("nij,nj->ni", H, found) - b
        assert violation(found, slope, 2 * t).max() <= 1e-9
        assert not found[0].any()
    assert_array_equal(start, kept)


def test_a_solution_is_that_of_coordinate_descent():
    H, b, t = problem()
    found = active_set_lasso(H, b, np.full_like(t, 0.5), np.zeros_like(b), 1e-10)
    for n in range(4):
        assert_allclose(found[n], naive.lasso(H[n], b[n], 1.0), atol=1e-8)


def test_the_faults_that_count_are_the_largest_of_many():
    H, b, t = problem(n_problems=3, size=900)
    faults = np.random.default_rng(0).uniform(0.1, 1, b.shape)
    found = coordinate_steps(H, -b, 0 * t, np.zeros_like(b), faults)
    for moved, fault in zip(found != 0, faults):
        assert set(np.flatnonzero(moved)) == set(np.argsort(-fault)[:8])


def test_an_entry_whose_target_is_zero_counts_as_a_change_of_sign():
    found, cut = newton_step(
        np.eye(1)[None], np.array([[2.0]]), np.array([[2.0]]), np.array([[1.0]])
    )
    assert_array_equal(found, [[0.0]])
    assert cut.all()


def test_small_and_large_problems_of_copies_do_not_disturb_each_other():
    scale = np.array([1e8, 1e-8])
    H = scale[:, None, None] * np.ones((2, 3, 3))
    H[0, 2, :2] = H[0, :2, 2] = 0
    b, t = scale[:, None] * np.full((2, 3), 3.0), scale[:, None] * np.ones((2, 3))
    found, _ = newton_step(H, b, t, np.array([[1.0, 0.5, 1.0], [1.0, 0.5, 0.0]]))
    assert_allclose(found[:, :2].sum(axis=1), 2, rtol=1e-6)
    assert_allclose(found[:, 2], [2, 0], rtol=1e-6)


def test_after_a_cut_step_no_entry_enters_and_solved_problems_leave_by_halves(monkeypatch):
    H, b, t = problem(n_problems=30, size=12, rank=15, seed=5)
    newton = naive.captured(monkeypatch, module, "newton_step")
    steps = naive.captured(monkeypatch, module, "coordinate_steps")
    X = active_set_lasso(H, b, t, np.random.default_rng(1).normal(size=b.shape), 1e-9)
    slope = np.einsum("nij,nj->ni", H, X) - b
    assert violation(X, slope, 2 * t).max() <= 1e-9
    sizes, left = [len(args[3]) for args, _, _ in newton] + [0], 30
    for k, ((H_k, b_k, t_k, _), _, (x, cut)) in enumerate(newton):
        faults = violation(x, np.einsum("nij,nj->ni", H_k, x) - b_k, 2 * t_k)
        unsolved = faults.max(axis=1) > 1e-9
        left = unsolved.sum() if 2 * unsolved.sum() <= left else left
        assert sizes[k + 1] == left
        if left:
            kept = unsolved if left == unsolved.sum() else slice(None)
            expected = np.where((x == 0) & cut[:, None], 0, faults)[kept]
            assert_allclose(steps[k][0][4], expected, atol=1e-12)
            assert cut.any() or k


def test_a_solution_without_any_fault_takes_one_look(monkeypatch):
    calls = naive.captured(monkeypatch, module, "newton_step")
    active_set_lasso(np.eye(2)[None], np.ones((1, 2)), np.full((1, 2), 2.0), np.zeros((1, 2)), 0.0)
    assert len(calls) == 1


def test_a_problem_is_left_as_soon_as_its_violation_is_allowed(monkeypatch):
    H, b, t = problem(n_problems=8)
    exact = active_set_lasso(H, b, t, np.zeros_like(b), 1e-10)
    calls = naive.captured(monkeypatch, module, "newton_step")
    again = active_set_lasso(H, b, t, exact, 1e-6)
    assert len(calls) == 1
    assert_allclose(again, exact, atol=1e-8)
    calls.clear()
    mixed = np.where((np.arange(8) % 2 == 0)[:, None], exact, 0)
    assert_allclose(active_set_lasso(H, b, t, mixed, 1e-8), exact, atol=1e-6)
    sizes = [len(X) for (_, _, _, X), _, _ in calls]
    assert sizes[0] == 8
    # Those solved by the first step leave as soon as they are half of all.
    assert sizes[1] <= 4
    assert all(a >= b for a, b in pairwise(sizes))


def test_more_active_entries_than_the_rank_settle():
    rng = np.random.default_rng(0)
    D = rng.normal(size=(12, 3))
    H, b = (D @ D.T)[None], (D @ rng.normal(size=3))[None]
    t = np.full((1, 12), 1e-3)
    found = active_set_lasso(H, b, t, np.ones((1, 12)), 1e-7)
    assert violation(found, found @ H[0] - b, 2e-3).max() <= 1e-7


def test_the_rounds_have_an_end(monkeypatch):
    H, b, t = problem(n_problems=1, size=3)
    calls = naive.captured(monkeypatch, module, "newton_step")
    monkeypatch.setattr(module, "reachable", lambda allowed, b: np.full(len(b), allowed))
    active_set_lasso(H, b, t, np.zeros_like(b), -1.0)  # no violation is ever small enough
    solved = len(calls)
    assert solved <= 4 * 3 + module.PATIENCE
    monkeypatch.setattr(module, "PATIENCE", 10**9)
    monkeypatch.setattr(module.Descent.__init__, "__defaults__", (10**9,))
    active_set_lasso(H, b, t, np.zeros_like(b), -1.0)
    assert len(calls) - solved == 4 * 3 + 50


def test_a_tolerance_that_rounding_does_not_reach_ends_all_the_same(monkeypatch):
    """Copies of atoms and a penalty of almost nothing: rounds end where nothing comes lower."""
    rng = np.random.default_rng(0)
    D = rng.normal(size=(10, 2))[rng.integers(0, 10, 60)] * 1e120
    y = rng.normal(size=(1, 2))
    H, b, t = (D @ D.T)[None], y @ D.T, np.full((1, 60), 1e-13)
    calls = naive.captured(monkeypatch, module, "newton_step")
    X = module.active_set_lasso(H, b, t, np.zeros((1, 60)), 1e-30)
    assert len(calls) < 60  # 290 without an end
    assert_allclose(X @ D, y, rtol=1e-6)  # the penalty is nothing: least squares


def test_progress_is_a_lower_objective_of_late():
    progress = module.Descent(3, patience=2)
    rounds = [[5.0, 1.0, np.nan], [4.0, 1.0, np.nan], [3.0, 1.0 - 1e-17, np.nan]]
    found = [progress.goes_on(np.array(values)).tolist() for values in rounds]
    assert found == [[True, True, True], [True, True, False], [True, False, False]]
    progress.keep(np.array([True, False, False]))
    assert progress.goes_on(np.array([2.0])).tolist() == [True]


def test_no_violation_below_the_rounding_of_the_gradient_is_asked_for():
    b = np.array([[1e6, -4e6], [1e-6, 0.0]])
    eps = np.finfo(float).eps
    assert_allclose(module.reachable(1e-12, b), [16 * eps * 4e6, 1e-12])


def test_no_fault_of_small_targets_is_below_their_own_rounding():
    eps = np.finfo(float).eps
    assert_allclose(module.reachable(1e-30, np.array([[1e-6, -3e-6]])), [16 * eps * 3e-6])


def test_a_start_that_is_optimal_to_the_last_bit_takes_one_look(monkeypatch):
    calls = naive.captured(monkeypatch, module, "newton_step")
    zeros = np.zeros((1, 2))
    assert not active_set_lasso(np.eye(2)[None], zeros, np.ones((1, 2)), zeros, 0.0).any()
    assert len(calls) == 1


def test_progress_is_measured_by_the_objective(monkeypatch):
    H, b, t = problem(n_problems=5)
    newton = naive.captured(monkeypatch, module, "newton_step")
    judged = naive.captured(monkeypatch, module.Descent, "goes_on")
    active_set_lasso(H, b, t, np.random.default_rng(1).normal(size=b.shape), 1e-10)
    assert len(judged) > 2
    for ((H_k, b_k, t_k, _), _, (X, _)), ((_, values), _, _) in zip(newton, judged):
        assert_allclose(values, [cost(*one) for one in zip(H_k, b_k, t_k, X)])


def test_a_drop_within_the_rounding_of_a_large_objective_is_none():
    """Near 1e8 numbers lie 1.5e-8 apart, and sixteen roundings are 3.6e-7."""
    for drop, is_lower in ((1e-7, False), (1e-6, True)):
        progress = module.Descent(1, patience=1)
        assert progress.goes_on(np.array([1e8])).all()
        assert progress.goes_on(np.array([1e8 - drop])).tolist() == [is_lower]
    progress = module.Descent(1, patience=1)
    progress.goes_on(np.zeros(1))
    assert not progress.goes_on(np.zeros(1)).any()  # as low as before is not lower
