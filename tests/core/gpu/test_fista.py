"""Batched FISTA meets the optimality conditions of the lasso and agrees with the host's solver."""

import numpy as np
import pytest
import torch

from crosslabel.core import lasso as plain
from crosslabel.core.gpu.fista import _violation, lasso


def problem():
    rng = np.random.default_rng(0)
    D, Y = rng.standard_normal((20, 40)), rng.standard_normal((15, 40))
    return D @ D.T, Y @ D.T


def test_agrees_with_the_lasso_of_numpy():
    gram, correlations = problem()
    found = lasso(torch.as_tensor(gram), torch.as_tensor(correlations), 4.0, tol=1e-10)
    expected = plain.lasso(gram, correlations, 4.0)  # to its own tolerance
    np.testing.assert_allclose(found.numpy(), expected, atol=2e-4)


def test_optimality_conditions():
    gram, correlations = problem()
    x = lasso(torch.as_tensor(gram), torch.as_tensor(correlations), 4.0, tol=1e-10).numpy()
    slope = 2 * (x @ gram - correlations)
    used = x != 0
    np.testing.assert_allclose(slope[used], -4.0 * np.sign(x[used]), atol=1e-5)
    assert np.all(np.abs(slope[~used]) <= 4.0 + 1e-5)


def test_a_large_penalty_gives_zeros():
    gram, correlations = (torch.as_tensor(part) for part in problem())
    assert not lasso(gram, correlations, 1e6).any()


def naive_steps(gram, c, penalty, n_steps):
    """FISTA with restarts for one query, coordinate by coordinate."""
    step = 1 / np.linalg.eigvalsh(gram)[-1]
    x = point = np.zeros(len(c))
    t = 1.0
    for _ in range(n_steps):
        slope = [sum(g * p for g, p in zip(row, point)) - b for row, b in zip(gram, c)]
        raw = point - step * np.array(slope)
        new = np.array([np.sign(r) * max(abs(r) - step * penalty / 2, 0.0) for r in raw])
        if sum((p - n) * (n - o) for p, n, o in zip(point, new, x)) > 0:
            t = 1.0
        t_new = 0.5 + np.sqrt(0.25 + t * t)
        point = new + (t - 1) / t_new * (new - x)
        x, t = new, t_new
    return x


@pytest.mark.parametrize("n_steps", [1, 2, 3, 10, 45])
def test_the_steps_are_those_of_fista_with_restarts(n_steps):
    gram, correlations = problem()
    found = lasso(*map(torch.as_tensor, (gram, correlations)), 4.0, tol=0.0, max_iter=n_steps)
    expected = [naive_steps(gram, c, 4.0, n_steps) for c in correlations]
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("tol", [1e-4, 3e-2, 0.1])
def test_stops_at_the_first_look_where_every_query_is_within_its_own_tolerance(scale, tol):
    gram, correlations = problem()
    correlations = scale * np.linspace(0.5, 2, 15)[:, None] * correlations
    found = lasso(*map(torch.as_tensor, (gram, correlations)), 4.0 * scale, tol=tol).numpy()

    def within(x):
        slope = x @ gram - correlations
        away = np.where(
            x != 0, abs(slope + 2 * scale * np.sign(x)), np.maximum(abs(slope) - 2 * scale, 0)
        )
        largest = np.maximum(abs(correlations).max(axis=1), 4 * scale)
        return (away.max(axis=1) <= tol * largest).all()

    looks = (20 * n for n in range(1, 50))
    steps = (np.array([naive_steps(gram, c, 4.0 * scale, n) for c in correlations]) for n in looks)
    np.testing.assert_allclose(found, next(filter(within, steps)), atol=1e-10 * scale)


def test_the_violation_is_the_distance_from_the_subdifferential():
    x = torch.tensor([[1.0, -2.0, 0.0], [0.0, 0.5, 0.0]])
    gradient = torch.tensor([[-3.0, 2.5, -2.0], [4.0, -3.25, -3.5]])
    found = _violation(x, gradient, 3.0)
    # |−3+3|, |2.5−3|, |−2| within 3; then 4−3, |−3.25+3|, 3.5−3
    np.testing.assert_allclose(found.numpy(), [0.5, 1.0])
