import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import one_signal as module
from crosslabel.core.active_set import violation
from crosslabel.core.one_signal import enter, newton_step, one_signal_lasso, settle
from tests import naive


def problem(seed=0, size=12, rank=15):
    """Coherent atoms, as faces are."""
    rng = np.random.default_rng(seed)
    D = rng.normal(size=rank) + rng.normal(size=(size, rank))
    return D @ D.T, D @ rng.normal(size=rank), rng.uniform(0.2, 1.0, size)


def cost(H, b, t, x):
    return x @ H @ x - 2 * b @ x + 2 * t @ np.abs(x)


@settings(max_examples=20)
@given(seed=st.integers(0, 500), size=st.integers(1, 30))
def test_the_conditions_hold_from_any_start(seed, size):
    H, b, t = problem(seed, size)
    for start in (np.zeros(size), np.random.default_rng(seed).normal(size=size)):
        kept = start.copy()
        x = one_signal_lasso(H, b, t, start, 1e-9)
        assert violation(x, H @ x - b, 2 * t).max() <= 1e-8
        assert_array_equal(start, kept)


def test_a_solution_is_that_of_coordinate_descent():
    H, b, _ = problem()
    x = one_signal_lasso(H, b, np.full(12, 0.5), np.zeros(12), 1e-10)
    assert_allclose(x, naive.lasso(H, b, 1.0), atol=1e-8)


def test_an_optimal_start_takes_one_look(monkeypatch):
    H, b, t = problem()
    best = one_signal_lasso(H, b, t, np.zeros(12), 1e-10)
    calls = naive.captured(monkeypatch, module, "settle")
    assert_allclose(one_signal_lasso(H, b, t, best, 1e-6), best, atol=1e-9)
    assert not one_signal_lasso(H, 0 * b, t, 0 * b, 0.0).any()
    assert len(calls) == 2


def test_a_tolerance_that_rounding_does_not_reach_ends_all_the_same(monkeypatch):
    H, b, t = problem()
    calls = naive.captured(monkeypatch, module, "settle")
    x = one_signal_lasso(H, b, t, np.zeros(12), -1.0)
    assert len(calls) < 4 * 12 + 50
    assert_allclose(x, naive.lasso(H / t / t[:, None], b / t, 2.0) / t, atol=1e-8)
    calls.clear()
    monkeypatch.setattr(module, "PATIENCE", 10**9)
    one_signal_lasso(H, b, t, np.zeros(12), -1.0)
    assert len(calls) == 4 * 12 + 50


def test_copies_of_atoms_and_more_atoms_than_the_rank_settle():
    rng = np.random.default_rng(0)
    D = rng.normal(size=(12, 3))[rng.integers(0, 12, 20)]
    H, b, t = D @ D.T, D @ rng.normal(size=3), np.full(20, 1e-3)
    x = one_signal_lasso(H, b, t, np.ones(20), 1e-7)
    assert violation(x, H @ x - b, 2e-3).max() <= 1e-7


@given(seed=st.integers(0, 300))
def test_entries_settle_at_the_equations_of_their_signs_and_none_enters(seed):
    H, b, t = problem(seed)
    start = np.where(np.arange(12) % 3 > 0, np.random.default_rng(seed).normal(size=12), 0)
    x = settle(H, b, t, start)
    assert not x[start == 0].any()
    assert cost(H, b, t, x) <= cost(H, b, t, start) + 1e-9
    used = np.flatnonzero(x)
    equations = H[np.ix_(used, used)] @ x[used] - b[used] + t[used] * np.sign(x[used])
    assert_allclose(equations, 0, atol=1e-7)


def test_nothing_settles_at_nothing():
    H, b, t = problem()
    assert_array_equal(settle(H, b, t, np.zeros(12)), np.zeros(12))


@given(seed=st.integers(0, 300))
def test_a_newton_step_is_the_best_of_the_line_or_better(seed):
    H, b, t = problem(seed)
    start = np.random.default_rng(seed).normal(size=12)
    x, reached = newton_step(H, b, t, start)
    target = np.linalg.solve(H, b - t * np.sign(start))
    same_signs = bool((target * start > 0).all())
    assert reached == same_signs
    line = [cost(H, b, t, start + step * (target - start)) for step in np.linspace(0, 1, 2001)]
    zeroed = np.where(target * start > 0, target, 0)
    assert cost(H, b, t, x) <= min(*line, cost(H, b, t, zeroed)) + 1e-9
    if same_signs:
        assert_allclose(x, target, atol=1e-7)


@given(seed=st.integers(0, 300))
def test_the_lowest_point_of_a_line_is_found_exactly(seed):
    H, b, t = problem(seed)
    start = np.random.default_rng(seed).normal(size=12)
    target = np.linalg.solve(H, b - t * np.sign(start))
    move, flips = target - start, target * start <= 0
    if not flips.any():
        return
    slope = H @ start - b + t * np.sign(start)
    found = module._on_the_line(start, move, slope, H @ move, t, flips)
    kinks = start[flips] / -move[flips]
    steps = [*kinks, *np.linspace(0, 1, 5001)]
    line = [cost(H, b, t, start + step * move) for step in steps]
    assert cost(H, b, t, found) <= min(line) + 1e-9
    # It lies on the line, and an entry whose kink is the lowest point is zero, not nearly so.
    step = np.vdot(found - start, move) / np.vdot(move, move)
    assert_allclose(found, start + step * move, atol=1e-9)
    assert not (np.abs(found[np.abs(found) < 1e-12]) > 0).any()


def test_without_a_threshold_a_sign_is_free_to_change():
    x, reached = newton_step(np.eye(2), np.array([-1.0, 2.0]), np.zeros(2), np.ones(2))
    assert_allclose(x, [-1, 2])
    assert reached


def test_many_entries_are_dropped_at_once_where_that_is_lower():
    b, t = np.array([3.0, 0.1, -0.1, 0.2]), np.ones(4)
    x, reached = newton_step(np.eye(4), b, t, np.array([1.0, 1.0, -2.0, 3.0]))
    assert_allclose(x, [2, 0, 0, 0])
    assert not reached


def test_entries_enter_one_after_another_and_the_largest_faults_do():
    H, b, t = problem(size=20)
    start = np.zeros(20)
    faults = np.random.default_rng(1).uniform(0.1, 1, 20)
    found = enter(H, -b, t, start, faults)
    assert not start.any()
    best = np.argsort(-faults)[:8]
    assert not np.delete(found, best).any()
    assert cost(H, b, t, found) < 0
    one = np.zeros(20)
    one[7] = 1.0
    moved = enter(H, -b, t, start, one)
    free = b[7] / H[7, 7]
    shift = t[7] / H[7, 7]
    assert_allclose(moved[7], np.sign(free) * max(abs(free) - shift, 0))
    assert not np.delete(moved, 7).any()


def test_an_entry_without_curvature_does_not_enter():
    assert not enter(np.zeros((1, 1)), np.ones(1), np.zeros(1), np.zeros(1), np.ones(1)).any()


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_copies_share_the_value_of_one(scale):
    x = settle(scale * np.ones((2, 2)), scale * np.full(2, 3.0), scale * np.ones(2), np.ones(2))
    assert_allclose(x.sum(), 2, rtol=1e-6)


def test_a_factor_that_rounding_spoils_is_done_without():
    h = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert_allclose(module._solve(h, np.array([1.0, 0.0])), np.linalg.solve(h, [1.0, 0.0]))
