from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import quasi_newton as module
from crosslabel.core.quasi_newton import minimise


def bowls(seed, n, size):
    """½xᵀAx − bᵀx + 1 for well and badly conditioned A, and their minimisers."""
    rng = np.random.default_rng(seed)
    frames = np.linalg.qr(rng.normal(size=(n, size, size)))[0]
    curvatures = 10 ** rng.uniform(-2, 2, size=(n, size))
    A = (frames * curvatures[:, None, :]) @ frames.transpose(0, 2, 1)
    b = rng.normal(size=(n, size))

    def evaluate(x, which):
        Ax = np.einsum("nij,nj->ni", A[which], x)
        value = 0.5 * np.einsum("ni,ni->n", x, Ax) - np.einsum("ni,ni->n", b[which], x)
        return value + 1000, Ax - b[which]

    return evaluate, np.linalg.solve(A, b[..., None])[..., 0]


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 6))
def test_each_bowl_is_followed_to_its_bottom(seed, n, size):
    evaluate, bottom = bowls(seed, n, size)
    start = np.random.default_rng(seed).normal(size=(n, size))
    points, values = minimise(evaluate, start, tol=1e-16, max_iter=500)
    assert_allclose(values, evaluate(bottom, np.arange(n))[0], rtol=1e-12)
    assert_allclose(evaluate(points, np.arange(n))[0], values, rtol=1e-14)


def test_a_curved_valley():
    def evaluate(x, which):
        a, b = x.T
        bend = b - a**2
        slope = np.stack([-2 * (1 - a) - 400 * a * bend, 200 * bend], axis=1)
        return (1 - a) ** 2 + 100 * bend**2 + 1e-3, slope

    starts = np.array([[-1.2, 1.0], [2.0, -3.0], [1.0, 1.0]])
    points, values = minimise(evaluate, starts, tol=1e-14, max_iter=300)
    assert_allclose(points, np.ones((3, 2)), atol=1e-5)
    assert_allclose(values, 1e-3, rtol=1e-9)


def test_what_is_solved_is_not_asked_again():
    evaluate, bottom = bowls(0, 3, 4)
    asked = []

    def counted(x, which):
        asked.append(which.tolist())
        return evaluate(x, which)

    start = bottom.copy()
    start[1] += 1.0
    points, _ = minimise(counted, start, tol=1e-16, max_iter=100)
    assert_allclose(points, bottom, atol=1e-5)
    assert asked[0] == [0, 1, 2]
    assert all(which == [1] for which in asked[-3:])


def test_the_start_stays_as_it_is():
    evaluate, _ = bowls(0, 2, 3)
    start = np.ones((2, 3))
    _, values = minimise(evaluate, start, tol=1e-9, max_iter=1)
    assert (start == 1).all()
    assert (values < evaluate(start, np.arange(2))[0]).all()


def steps(evaluate, start, tol=1e-16, max_iter=100):
    """How often the functions were asked for, until all were solved."""
    asked = []

    def counted(x, which):
        asked.append(len(which))
        return evaluate(x, which)

    minimise(counted, start, tol=tol, max_iter=max_iter)
    return len(asked)


def test_a_loose_tolerance_ends_sooner():
    evaluate, bottom = bowls(1, 3, 6)
    assert steps(evaluate, bottom + 1, tol=1e-3) < steps(evaluate, bottom + 1, tol=1e-15) < 100


@pytest.mark.parametrize("factor", [2.0**-20, 2.0**20])
def test_the_unit_of_the_values_does_not_change_the_way(factor):
    evaluate, bottom = bowls(2, 3, 5)

    def scaled(x, which):
        value, slope = evaluate(x, which)
        return factor * value, factor * slope

    for n in range(1, 8):
        plain = minimise(evaluate, bottom + 1, tol=0, max_iter=n)[0]
        assert_allclose(minimise(scaled, bottom + 1, tol=0, max_iter=n)[0], plain, rtol=1e-9)


def test_no_step_leads_up():
    """Beyond a step's bottom the walls are steep: the slope at its end may be small, and f high."""

    def evaluate(x, which):
        return 1 + np.sin(3 * x[:, 0]) ** 2 + 0.05 * x[:, 0] ** 2, (3 * np.sin(6 * x) + 0.1 * x)

    start = np.linspace(-6, 6, 121)[:, None]
    before = evaluate(start, None)[0]
    for n in range(1, 6):
        after = minimise(evaluate, start, tol=0, max_iter=n)[1]
        assert (after <= before + 1e-12).all()
        before = after


def naive_direction(g, history):
    """−Hg with H by the BFGS formula, from (s·y/y·y)·I, for one function."""
    s, y = history[-1]
    H = (s @ y) / (y @ y) * np.eye(len(g))
    for s, y in history:
        rho, identity = 1 / (s @ y), np.eye(len(g))
        V = identity - rho * np.outer(s, y)
        H = V @ H @ V.T + rho * np.outer(s, s)
    return -H @ g


def test_the_direction_is_that_of_bfgs():
    rng = np.random.default_rng(0)
    frames = rng.normal(size=(2, 5, 5))
    A = frames @ frames.transpose(0, 2, 1) + np.eye(5)
    steps = rng.normal(size=(3, 2, 5))
    changes = np.einsum("nij,knj->kni", A, steps)
    history = deque(module._pair(s, y) for s, y in zip(steps, changes))
    g = rng.normal(size=(2, 5))
    found = module._direction(g, history, rng.normal(size=(2, 5)))
    for k in range(2):
        pairs = list(zip(steps[:, k], changes[:, k]))
        assert_allclose(found[k], naive_direction(g[k], pairs), rtol=1e-9)


def test_the_first_direction_is_a_tenth_of_the_point():
    x, g = np.array([[3.0, 4.0], [0.6, 0.8]]), np.array([[0.0, 2.0], [-8.0, 6.0]])
    expected = [[0.0, -0.5], [0.08, -0.06]]
    assert_allclose(module._direction(g, deque(), x), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("reach", "taken"),
    [
        # To the far side of x², nearly as high as the start: a step must gain 1e-4 of the slope.
        (2 - 1e-3, 1.0),
        (2 - 1e-4, 0.5),
        # The same for half a step, of which half as much is asked.
        (4 - 6e-4, 0.5),
        (4 - 2e-4, 0.25),
    ],
)
def test_a_step_is_halved_until_it_gains_enough(reach, taken):
    def square(x, which):
        return x[:, 0] ** 2, 2 * x

    x, d = np.array([[1.0]]), np.array([[-reach]])
    f, g = square(x, None)
    moved, after, slope = module._line_search(square, np.arange(1), x, f, g, d, (g * d).sum(axis=1))
    assert_allclose(moved, 1 - taken * reach, atol=1e-15)
    assert_allclose([after[0], slope[0, 0]], [moved[0, 0] ** 2, 2 * moved[0, 0]])


@pytest.mark.parametrize("level", [1000.0, -1000.0])
@pytest.mark.parametrize(
    ("rise", "end", "is_taken"),
    [(1e-12, -0.8, True), (1e-12, 0.8, True), (1e-12, 0.95, False), (1e-9, 0.1, False)],
)
def test_within_rounding_a_step_is_judged_by_the_slope_at_its_end(level, rise, end, is_taken):
    def flat(x, which):
        at_start = x[:, 0] == 1
        return np.where(at_start, level, level + rise), np.where(at_start, 1.0, -end)[:, None]

    x, d = np.ones((1, 1)), -np.ones((1, 1))
    f, g = flat(x, None)
    moved, _, _ = module._line_search(flat, np.arange(1), x, f, g, d, (g * d).sum(axis=1))
    assert (moved[0, 0] == 0) == is_taken


def test_the_end_does_not_hang_on_the_unit_or_the_sign_of_the_values():
    evaluate, bottom = bowls(3, 1, 5)

    def changed(factor, shift):
        def other(x, which):
            value, slope = evaluate(x, which)
            return factor * (value + shift), factor * slope

        return steps(other, bottom + 1, tol=1e-6)

    level = 2 * evaluate(bottom, np.arange(1))[0][0]
    usual = changed(1, 0)
    assert changed(2.0**30, 0) == changed(2.0**-30, 0) == usual
    assert abs(changed(1, -level) - usual) <= 2


def test_where_no_step_gains_the_search_ends():
    def rising(x, which):
        return np.zeros(len(x)), np.ones_like(x)

    assert steps(rising, np.ones((1, 1)), tol=0, max_iter=50) == 2 + module._HALVINGS
