import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from crosslabel.core.gpu import temperatures as device
from crosslabel.core.joint import DOUBT, temperature
from tests import naive


def problem(n_samples=40, n_classes=5):
    """Scores that say much, little, nothing, the contrary, and of very different sizes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=n_samples)
    truth, noise = np.eye(n_classes)[labels], rng.standard_normal((n_samples, n_classes))
    scores = [truth + noise, 1e6 * truth + 1e5 * noise, noise, -truth + noise, 1e-4 * truth]
    weights = rng.integers(1, 4, n_samples).astype(float)
    return [torch.as_tensor(s) for s in [*scores, 3 + 0 * noise]], labels, weights


@pytest.mark.parametrize("together", [1, 500, 2**27])
@pytest.mark.parametrize("start", [None, 0.3, 1e9])
def test_each_is_the_temperature_of_its_score_alone(together, start, monkeypatch):
    monkeypatch.setattr(device, "TOGETHER", together)
    scores, labels, weights = problem()
    found = list(device.temperatures(scores, labels, weights, [start] * len(scores)))
    alone = [temperature(one.numpy(), labels, weights, start) for one in scores]
    for (sharpness, loss), (expected, least) in zip(found, alone):
        assert_allclose(sharpness, expected, rtol=1e-4, atol=1e-9)
        assert_allclose(loss, least, rtol=1e-6)
    assert found[-1] == (1.0, np.log(5))


def test_the_loss_is_the_least_of_its_formula():
    scores, labels, weights = problem()
    [(sharpness, loss)] = device.temperatures(scores[:1], labels, weights, [None])
    logits, rows = scores[0].numpy(), np.arange(len(labels))

    def losses(a):
        scaled = a * (logits - logits.mean(axis=1, keepdims=True))
        return np.log(np.exp(scaled).sum(axis=1)) - scaled[rows, labels], scaled

    def doubted(a):
        own, scaled = losses(a)
        chance = np.log(np.exp(scaled).sum(axis=1))  # of scores with mean zero, up to log C
        return weights @ own + DOUBT * weights @ chance / weights.sum()

    best = minimize_scalar(doubted, bounds=(0, 20), method="bounded", options={"xatol": 1e-9}).x
    assert_allclose(sharpness, best, rtol=1e-4)
    assert_allclose(loss, weights @ losses(best)[0] / weights.sum(), rtol=1e-6)


STEPS_AND_LIMITS = [*((most, 3.0, 1e-6) for most in range(12)), (60, 3.0, 1e-3)]


def check_steps(descended, n_classes, limits):
    """Six scores whose roots are known, from starts near and far, against one at a time."""
    rng = np.random.default_rng(0)
    scores = np.array([0.2, 0.2, 1, 4, 9, 9])[:, None, None] * rng.normal(size=(6, 21, n_classes))
    below, mass = scores - scores.max(axis=2, keepdims=True), rng.uniform(1, 3, 21)
    roots, starts = np.array([0.1, 30, 2, 0.7, 0.5, 0.02]), np.array([7.0, 0.01, 1, 0.02, 40, 0.1])
    chances = np.exp(roots[:, None, None] * below)
    target = (chances * below).sum(axis=2) / chances.sum(axis=2) @ mass
    found = descended(*map(torch.as_tensor, (below, mass, target, starts)), limits)
    one_by_one = [
        naive.newton_of_temperature(b, mass, t, a, limits) for b, t, a in zip(below, target, starts)
    ]
    assert_allclose(found, [a for a, _ in one_by_one], rtol=1e-7)
    if limits[0] == 60:
        assert_allclose(found, roots, rtol=0.01)
        assert {way for _, ways in one_by_one for way in ways} == {"Newton", "doubled", "halved"}


def check_bracket(descended, most):
    """Many classes as far behind the best: chances leap at log 5000, and are flat elsewhere."""
    below, limits = np.full((1, 5001), -1.0), (most, 20.0, 1e-9)
    below[0, 0] = 0
    arrays = below[None], np.ones(1), np.array([-0.38]), np.array([12.0])
    found = descended(*map(torch.as_tensor, arrays), limits)
    a, ways = naive.newton_of_temperature(below, np.ones(1), -0.38, 12.0, limits)
    assert_allclose(found, [a], rtol=1e-9)
    assert ways == ["halved", "halved", "Newton", "Newton", "Newton"][:most]


@pytest.mark.parametrize("n_classes", [3, 30])
@pytest.mark.parametrize("limits", STEPS_AND_LIMITS)
def test_each_step_is_that_of_newton_or_halves_or_doubles(n_classes, limits):
    check_steps(device.descended, n_classes, limits)


@pytest.mark.parametrize("most", range(6))
def test_steps_that_leave_the_bracket_at_either_end_are_halved(most):
    check_bracket(device.descended, most)


def test_the_first_weight_lies_within_a_hundred_of_the_usual(monkeypatch):
    monkeypatch.setattr(device, "LIMITS", (0, *device.LIMITS[1:]))
    scores, labels, weights = problem()
    centred = scores[0] - scores[0].mean(dim=1, keepdim=True)
    scale = float(centred.square().mean().sqrt())
    for start, first in [(None, 1), (1e-9, 0.01), (0.02, 0.02), (7.0, 7), (99, 99), (1e9, 100)]:
        begin = None if start is None else start / scale
        [(found, _)] = device.temperatures(scores[:1], labels, weights, [begin])
        assert found * scale == pytest.approx(first)


@pytest.mark.parametrize("scale", [2.0**-90, 1.0, 2.0**90])
def test_scores_say_nothing_up_to_eight_roundings_of_the_largest(scale):
    eps = np.finfo(float).eps
    rows = [[[1, 1 + 16 * eps], [1, 1]], [[1, 1 + 26 * eps], [1, 1]], [[1, 1 + 16 * eps], [0, 0]]]
    scores, labels = [scale * torch.as_tensor(row).double() for row in rows], np.array([1, 0])
    found = list(device.temperatures(scores, labels, np.array([2.0, 1.0]), [None] * 3))
    assert [one == (1.0, np.log(2)) for one in found] == [True, False, True]


def test_a_sample_far_from_all_others_overflows_nothing():
    scores, labels, weights = problem(300)
    scores[0][0, labels[0]] = -1e6
    [(found, loss)] = device.temperatures(scores[:1], labels, weights, [1e3])
    expected = temperature(scores[0].numpy(), labels, weights, 1e3)
    assert_allclose((found, loss), expected, rtol=1e-4)
