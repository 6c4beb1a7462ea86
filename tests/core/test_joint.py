"""Weights of scores against a general minimiser, and the small formulas against loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize

from crosslabel.core import joint
from crosslabel.core.joint import (
    DOUBT,
    _descend,
    evidence,
    fit_weights,
    log_losses,
    mixed,
    shares,
    spread,
    temperature,
)
from tests import naive


def problem(seed: int, n_kinds: int = 2, n: int = 40, n_classes: int = 4):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    signal = np.eye(n_classes)[labels]
    scores = rng.normal(size=(n_kinds, n, n_classes)) + rng.uniform(0, 2, (n_kinds, 1, 1)) * signal
    return scores, labels, rng.uniform(0.2, 2, n)


def naive_value(a, scores, labels, weights, start, pull):
    total = 0.5 * pull * sum((x - y) ** 2 for x, y in zip(a, start))
    for n, label in enumerate(labels):
        logits = sum(x * s[n] for x, s in zip(a, scores))
        logp = logits - np.log(np.exp(logits).sum())
        total -= weights[n] * logp[label] + DOUBT * weights[n] / weights.sum() * logp.mean()
    return total


@given(seed=st.integers(0, 50), n_kinds=st.integers(1, 3), pull=st.sampled_from([0.0, 1.0, 10.0]))
def test_weights_are_the_constrained_minimum(seed, n_kinds, pull):
    scores, labels, weights = problem(seed, n_kinds)
    start = np.random.default_rng(seed).uniform(0, 1, n_kinds)
    found = fit_weights(scores, labels, weights, start=start, pull=pull)
    arguments = (scores, labels, weights, start, pull)
    other = minimize(naive_value, start, arguments, method="L-BFGS-B", bounds=[(0, None)] * n_kinds)
    assert (found >= 0).all()
    assert naive_value(found, *arguments) <= other.fun + 1e-6
    assert np.allclose(found, other.x, atol=5e-3)


def test_a_misleading_score_gets_no_weight():
    scores, labels, weights = problem(3)
    scores[1] -= 4 * np.eye(4)[labels]
    a = fit_weights(scores, labels, weights)
    assert a[0] > 0
    assert a[1] == 0


def test_doubt_keeps_the_weight_of_faultless_scores_finite():
    labels = np.arange(4) % 2
    (a,) = fit_weights(np.eye(2)[labels][None], labels, np.ones(4))
    # Three wrong for one right in odds of a half more than all: log((n + d/2)/(d/2)).
    assert a == pytest.approx(np.log((4 + DOUBT / 2) / (DOUBT / 2)), rel=1e-3)


def test_a_strong_pull_leaves_the_start():
    scores, labels, weights = problem(5)
    start = np.array([0.3, 0.7])
    assert np.allclose(
        fit_weights(scores, labels, weights, start=start, pull=1e9), start, atol=1e-6
    )


def test_the_scale_of_a_score_does_not_matter():
    scores, labels, weights = problem(7, n_kinds=1)
    t, loss = temperature(scores[0], labels, weights)
    u, same = temperature(1e3 * scores[0] + 5, labels, weights)
    assert u == pytest.approx(t / 1e3, rel=1e-4)
    assert same == pytest.approx(loss, rel=1e-6)
    expected = np.average(log_losses(t * scores[0], labels), weights=weights)
    assert loss == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("value", [1.29495845e-05, 0.0, -7.3, 1e200])
def test_scores_that_differ_by_rounding_alone_say_nothing(value):
    scores, labels = np.full((5, 3), value), np.array([0, 1, 2, 2, 1])
    scores[2] *= 1 + np.finfo(float).eps
    assert temperature(scores, labels, np.ones(5)) == (1.0, pytest.approx(np.log(3)))
    assert spread(scores) == 1


def test_scores_that_are_all_but_certain_have_a_finite_weight():
    """One sample of a large margin: the curvature of its loss underflows on the way."""
    labels = np.array([1, 0])
    for margin in (1e-3, 1.0, 1e9):
        scores = np.array([[0.0, margin], [1e-12 * margin, 0.0]])
        weight, loss = temperature(scores, labels, np.array([1.0, 1e-9]))
        assert 0 < weight * margin < 1e3
        assert 0 < loss < np.log(2)


def test_a_weight_of_two_is_two_samples():
    scores, labels, _ = problem(11)
    weights = np.ones(len(labels))
    weights[:10] = 2
    twice = np.r_[np.arange(len(labels)), np.arange(10)]
    found = fit_weights(scores, labels, weights)
    repeated = fit_weights(scores[:, twice], labels[twice], np.ones(len(twice)))
    assert np.allclose(found, repeated, atol=1e-4)


def test_log_losses_against_a_loop():
    scores, labels, _ = problem(13, n_kinds=1)
    expected = [-np.log(np.exp(s)[c] / np.exp(s).sum()) for s, c in zip(scores[0], labels)]
    assert np.allclose(log_losses(scores[0], labels), expected)
    assert np.isfinite(log_losses(np.array([[1e4, -1e4]]), np.array([1]))).all()


def test_evidence_is_the_log_of_the_share_that_is_explained():
    residuals, energy = np.array([[0.5, 2.0], [0.0, 3.0]]), np.array([2.0, 3.0])
    found = evidence(residuals, energy)
    assert np.allclose(found[0], [np.log(4), 0])
    assert found[1, 0] == pytest.approx(np.log(1e9))
    assert found[1, 1] == pytest.approx(0)
    assert np.isfinite(evidence(np.zeros((1, 2)), np.zeros(1))).all()


def test_spread_sees_differences_between_classes_alone():
    scores = np.array([[1.0, 3.0], [11.0, 13.0]])
    assert spread(scores) == pytest.approx(1)
    assert spread(np.ones((3, 2))) == 1


def test_shares_fall_with_the_loss():
    found = shares(np.array([10.0, 20.0, 1e6]), 0.1)
    assert found.sum() == pytest.approx(1)
    assert found[0] / found[1] == pytest.approx(np.e)
    assert found[2] == 0


@pytest.mark.parametrize("signal", [-3.0, 0.0, 0.3, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("size", [1e-3, 1.0, 50.0])
def test_a_temperature_is_where_the_slope_of_the_loss_vanishes(signal, size):
    """By bisection of the loss with one sample of doubt, spread over all classes."""
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(3, size=20), rng.uniform(0.2, 1.0, 20)
    scores = size * (rng.normal(size=(20, 3)) + signal * np.eye(3)[labels])

    def slope(a):
        found = 0.0
        for row, label, weight in zip(scores, labels, weights):
            chances = np.exp(a * (row - row.max()))
            expected = row @ chances / chances.sum()
            found += weight * (expected - row[label])
            found += weight / weights.sum() * (expected - row.mean())
        return found

    expected = brentq(slope, 0, 1e3 / size, xtol=1e-9 / size) if slope(0.0) < 0 else 0.0
    found, loss = temperature(scores, labels, weights)
    assert found * size == pytest.approx(expected * size, rel=1e-4, abs=1e-4)
    assert loss == pytest.approx(np.average(log_losses(found * scores, labels), weights=weights))


def test_the_spread_is_the_root_of_the_mean_square():
    scores = np.array([[0.0, 3.0, 6.0], [1.0, 1.0, 1.0]])
    assert spread(scores) == pytest.approx(np.sqrt((9 + 0 + 9) / 6))


def test_scores_on_a_device_say_the_same():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    scores, labels, weights = problem(3)
    there = torch.as_tensor(scores)
    expected = fit_weights(scores, labels, weights, pull=2.0)
    assert_allclose(fit_weights(there, labels, weights, pull=2.0), expected, rtol=1e-12)
    found = temperature(there[0].clone(), labels, weights)
    assert_allclose(found, temperature(scores[0], labels, weights), rtol=1e-12)
    assert_allclose(log_losses(there[0], labels), log_losses(scores[0], labels))
    assert_allclose(spread(there[1]), spread(scores[1]))


def test_rounding_of_negative_scores_says_nothing():
    for value in (1.29495845e-05, -1.29495845e-05):
        assert spread(np.full((5, 3), value)) == 1


def test_weights_are_pulled_to_ones_over_their_number():
    scores, labels, weights = problem(5)
    found = fit_weights(scores, labels, weights, pull=1e9)
    assert np.allclose(found, [0.5, 0.5], atol=1e-6)


def test_a_step_is_halved_until_the_value_falls():
    def at(a):
        return ((a - 0.3) ** 2).sum(axis=1), 2 * (a - 0.3), np.full((len(a), 1, 1), 2.0)

    far, there = np.zeros((2, 1)), np.full((2, 1), 0.3)
    none, last = np.zeros(2, bool), np.array([False, True])
    moved, (height, slope, _) = _descend(far, np.ones((2, 1)), at(far)[0], at, none)
    assert moved.tolist() == [[0.5], [0.5]]
    assert_allclose(height, [0.04, 0.04])
    assert_allclose(slope, [[0.4], [0.4]])
    moved, (height, _, _) = _descend(there, np.ones((2, 1)), at(there)[0], at, last)
    assert_allclose(moved, [[0.3], [1.3]])  # it stays where nothing falls, but for a last step
    assert_allclose(height, [0.0, 1.0], atol=1e-15)


@pytest.mark.parametrize("n_kinds", [1, 2, 3])
def test_several_problems_have_the_weights_of_each_alone(n_kinds):
    labels, weights = problem(0)[1:]
    scores = np.stack([problem(seed, n_kinds)[0] + np.eye(4)[labels] for seed in range(4)])
    scores[2] *= 1e3
    start = np.random.default_rng(0).uniform(0, 1, (4, n_kinds))
    found = fit_weights(scores, labels, weights, start=start, pull=2.0)
    alone = [fit_weights(s, labels, weights, start=a, pull=2.0) for s, a in zip(scores, start)]
    assert_allclose(found, alone, rtol=1e-9, atol=1e-12)
    assert_allclose(spread(scores)[1], [spread(one) for one in scores[1]])
    assert_allclose(mixed(start, scores), np.einsum("pk,pknc->pnc", start, scores))


@pytest.mark.parametrize("scale", [2.0**-90, 1.0, 2.0**90])
def test_scores_say_nothing_up_to_eight_roundings_of_the_largest(scale):
    eps = np.finfo(float).eps
    assert spread(scale * np.array([[1, 1 + 16 * eps]])) == 1
    assert spread(scale * np.array([[1, 1 + 18 * eps]])) == pytest.approx(9 * eps * scale)
    assert spread(scale * np.array([[1, 1 + 16 * eps], [0, 0]])) == 1


def test_the_spread_of_no_scores_and_of_a_stack_of_them():
    assert spread(np.zeros((0, 3))) == 1
    stack = np.random.default_rng(0).normal(size=(2, 3, 4))
    about = [row - row.mean() for scores in stack for row in scores]
    about = np.square(about).reshape(2, 12)
    assert_allclose(spread(stack), np.sqrt(about.mean(axis=1)))


def test_evidence_of_queries_of_any_energy():
    residuals = np.array([[0.1, 0.2], [10.0, 20.0]])
    assert np.allclose(evidence(residuals, np.array([0.4, 40.0])), np.log([[4, 2], [4, 2]]))


def newton_step(a, scores, labels, weights, start, pull):
    """One step of `fit_weights` on the weights that are free, with sums over samples."""
    slope, curvature = pull * (a - start), np.eye(len(a)) * pull
    for n, label in enumerate(labels):
        s = scores[:, n]
        chances = np.exp(a @ s) / np.exp(a @ s).sum()
        mean, doubt = s @ chances, DOUBT * weights[n] / weights.sum()
        slope += weights[n] * (mean - s[:, label]) + doubt * (mean - s.mean(axis=1))
        curvature += (weights[n] + doubt) * ((s * chances) @ s.T - np.outer(mean, mean))
    free = (a > 0) | (slope < 0)
    step = np.zeros(len(a))
    step[free] = -np.linalg.solve(curvature[free][:, free], slope[free])
    while True:
        moved = np.maximum(a + step, 0)
        arguments = scores, labels, weights, start, pull
        if naive_value(moved, *arguments) < naive_value(a, *arguments):
            return moved
        step /= 2


@pytest.mark.parametrize("pull", [0.0, 2.0])
@pytest.mark.parametrize("start", [(0.3, 0.5, 0.2), (0.0, 0.0, 1.0), (1.0, 2.0, 0.0)])
def test_each_step_is_that_of_newton_on_the_free_weights(pull, start, monkeypatch):
    scores, labels, weights = problem(3, n_kinds=3)
    scores[1] -= 4 * np.eye(4)[labels]
    start = np.array(start)
    expected = start
    for n_steps in range(4):
        monkeypatch.setattr(joint, "STEPS", n_steps)
        found = fit_weights(scores, labels, weights, start=start, pull=pull)
        assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
        expected = newton_step(expected, scores, labels, weights, start, pull)


@pytest.mark.parametrize(("largest", "small"), [(0.5, 1e-5), (3.0, 3e-5), (40.0, 4e-4)])
@pytest.mark.parametrize(("size", "taken"), [(0.99, 1), (1.01, joint.STEPS)])
def test_steps_end_when_they_are_small_beside_the_largest_weight(
    largest, small, size, taken, monkeypatch
):
    """Of a largest weight below one, beside one."""
    scores, labels, weights = problem(3)
    start, moves = np.array([largest, 0.1]), []

    def descend(a, step, height, at, is_last):
        """To and fro by about what ends the steps."""
        moves.append(a)
        moved = start + (len(moves) % 2) * np.array([[0.0, size * small]])
        return moved, at(moved)

    monkeypatch.setattr(joint, "_descend", descend)
    fit_weights(scores, labels, weights, start=start)
    assert len(moves) == taken


def test_two_scores_that_say_the_same_share_the_weight_of_one():
    scores, labels, weights = problem(5, n_kinds=1)
    (alone,) = fit_weights(scores, labels, weights)
    found = fit_weights(np.concatenate([scores, scores]), labels, weights)
    assert_allclose(found, [alone / 2, alone / 2], rtol=1e-6)


def normalised(scores):
    """About their mean over the classes, with a root mean square of one; and what that was."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    scale = np.sqrt(np.mean(centred**2))
    return centred / scale, scale


@pytest.mark.parametrize("start", [None, 0.02, 0.8, 5.0, 60.0])
@pytest.mark.parametrize("signal", [0.1, 1.0, 6.0])
@pytest.mark.parametrize("far", [0.5, 1e6])
@pytest.mark.parametrize("tolerance", [1e-6, 0.01, 0.05])
def test_each_step_to_a_temperature_is_newtons_or_halved_or_doubled(
    start, signal, far, tolerance, monkeypatch
):
    scores, labels, weights = problem(1, n_kinds=1)
    values, scale = normalised(0.1 * scores[0] + signal * np.eye(4)[labels])
    mass, peak = weights * (1 + DOUBT / weights.sum()), values.max(axis=1)
    target = weights @ values[np.arange(40), labels] - mass @ peak
    monkeypatch.setattr(joint, "FAR", far)
    monkeypatch.setattr(joint, "TOLERANCE", tolerance)
    for most in range(9):
        monkeypatch.setattr(joint, "STEPS", most)
        begin = None if start is None else start / scale
        found, loss = temperature(scale * values, labels, weights, begin)
        limits, below = (most, far, tolerance), values - peak[:, None]
        expected, _ = naive.newton_of_temperature(below, mass, target, start or 1.0, limits)
        assert found * scale == pytest.approx(expected, rel=1e-6)
        own = log_losses(expected * values, labels)
        assert loss == pytest.approx(np.average(own, weights=weights), rel=1e-6)


def test_the_first_weight_lies_within_a_hundred_of_the_usual(monkeypatch):
    monkeypatch.setattr(joint, "STEPS", 0)
    scores, labels, weights = problem(1, n_kinds=1)
    scale = normalised(scores[0])[1]
    for start, first in [(None, 1), (1e-9, 0.01), (0.02, 0.02), (7.0, 7), (99, 99), (1e9, 100)]:
        begin = None if start is None else start / scale
        found, _ = temperature(scores[0], labels, weights, begin)
        assert found * scale == pytest.approx(first)


def test_a_sample_far_from_all_others_overflows_nothing():
    scores, labels, weights = problem(1, n_kinds=1, n=300)
    scores[0, 0, labels[0]] = -1e6
    found, loss = temperature(scores[0], labels, weights, 1e3)
    expected = np.average(log_losses(found * scores[0], labels), weights=weights)
    assert 0 < found < 1
    assert loss == pytest.approx(expected)
