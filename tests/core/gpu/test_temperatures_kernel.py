import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from crosslabel.core.gpu import temperatures
from tests.core.gpu.test_temperatures import STEPS_AND_LIMITS, check_bracket, check_steps
from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def kernel(monkeypatch):
    with stand_in(monkeypatch, "temperatures_kernel") as [module]:
        yield module


@pytest.mark.parametrize("n_classes", [2, 5, 300])
@pytest.mark.parametrize("start", [0.01, 1.0, 100.0])
def test_the_steps_are_those_of_the_plain_ones(kernel, n_classes, start):
    rng = np.random.default_rng(0)
    truth = np.eye(n_classes)[rng.integers(n_classes, size=21)]
    scores = np.stack([size * truth + rng.standard_normal(truth.shape) for size in (0.5, 1, 4)])
    below = torch.as_tensor(scores - scores.max(axis=2, keepdims=True))
    weights = rng.uniform(1, 3, 21)
    mass = torch.as_tensor(1.05 * weights)  # with some doubt: no weight is infinite
    own, peak = (scores * truth).sum(axis=2), scores.max(axis=2)
    centre = scores.mean(axis=2)
    target = torch.as_tensor((own - centre) @ weights - (peak - centre) @ mass.numpy())
    starts = torch.full((3,), start, dtype=torch.float64)
    found = kernel.descended(below, mass, target, starts, temperatures.LIMITS)
    plain = temperatures.descended(below, mass, target, starts, temperatures.LIMITS)
    assert_allclose(found, plain, rtol=1e-5, atol=1e-5)
    assert (starts == start).all()
    # At the root, expected scores come to their target; no weight is below zero.
    chances = np.exp(found.numpy()[:, None, None] * below.numpy())
    expected = (chances * below.numpy()).sum(axis=2) / chances.sum(axis=2) @ mass.numpy()
    assert_allclose(expected[found > 1e-3], target[found > 1e-3], rtol=1e-3)
    assert (found > 1e-3).sum() >= 2


@pytest.mark.parametrize("n_classes", [3, 300])
@pytest.mark.parametrize("limits", STEPS_AND_LIMITS)
def test_each_step_is_that_of_newton_or_halves_or_doubles(kernel, n_classes, limits):
    check_steps(kernel.descended, n_classes, limits)


@pytest.mark.parametrize("most", range(6))
def test_steps_that_leave_the_bracket_at_either_end_are_halved(kernel, most):
    check_bracket(kernel.descended, most)
