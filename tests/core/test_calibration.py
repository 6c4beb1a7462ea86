import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax

from crosslabel.core.calibration import fit_temperature
from crosslabel.core.rules.rule import evidence


def probabilities(scores, temperature):
    return softmax(temperature * evidence(scores), axis=1)


def test_the_temperature_of_generated_labels_is_recovered():
    rng = np.random.default_rng(0)
    scores = -rng.uniform(0.1, 1, size=(4000, 4))
    truth = softmax(3.0 * evidence(scores), axis=1)
    labels = np.array([rng.choice(4, p=p) for p in truth])
    assert_allclose(fit_temperature(scores, labels, np.ones(4000)), 3.0, rtol=0.1)


def test_scores_without_information_give_flat_probabilities():
    rng = np.random.default_rng(0)
    scores = -rng.uniform(0.1, 1, size=(4000, 4))
    t = fit_temperature(scores, rng.integers(0, 4, 4000), np.ones(4000))
    assert probabilities(scores, t).max() < 0.35


def test_residuals_of_zero_stay_finite():
    assert_allclose(probabilities(np.array([[0.0, 0.0], [-0.0, -1.0]]), 2.0)[0], [0.5, 0.5])


def test_no_held_out_sample_gives_temperature_one():
    assert fit_temperature(np.empty((0, 3)), np.empty(0, int), np.empty(0)) == 1.0


def naive_loss(scores, labels, weights, t):
    """Mean negative log-likelihood, and that of two samples that are of no class more than any."""
    total = 0.0
    for row, label, weight in zip(t * evidence(scores), labels, weights):
        log_p = row - np.log(np.exp(row).sum())
        total -= weight * (log_p[label] + 2 / sum(weights) * log_p.mean())
    return total / sum(weights)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(2, 4))
def test_the_temperature_is_the_minimum_of_a_naive_loss(seed, n_samples, n_classes):
    rng = np.random.default_rng(seed)
    scores = -rng.uniform(0.1, 2, size=(n_samples, n_classes))
    labels, weights = rng.integers(0, n_classes, n_samples), rng.uniform(0.2, 3, n_samples)
    t = fit_temperature(scores, labels, weights)
    least = naive_loss(scores, labels, weights, t)
    grid = np.exp(np.linspace(-5, 8, 100))
    assert all(least <= naive_loss(scores, labels, weights, s) + 1e-6 for s in grid)


def test_the_temperature_stays_between_its_bounds():
    """Evidence that is always wrong asks for 0; a trace of it that is always right for infinity."""
    scores, weights = np.array([[-1.0, -2.0]] * 200), np.ones(200)
    assert_allclose(fit_temperature(scores, np.ones(200, int), weights), np.exp(-5), rtol=1e-3)
    faint = np.array([[-1.0, -1.0 - 1e-6]] * 200)
    assert_allclose(fit_temperature(faint, np.zeros(200, int), weights), np.exp(8), rtol=1e-3)


def test_probabilities_are_powers_of_residuals():
    """softmax(t log(best/r)) ∝ r⁻ᵗ."""
    residuals = np.array([[2.0, 1.0, 8.0], [0.5, 3.0, 0.75]])
    expected = residuals**-1.7 / (residuals**-1.7).sum(axis=1, keepdims=True)
    assert_allclose(probabilities(-residuals, 1.7), expected)


def test_tensors_are_calibrated_as_arrays_are():
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    rng = np.random.default_rng(0)
    scores, labels = -rng.uniform(0.1, 2, size=(20, 3)), rng.integers(0, 3, 20)
    weights = rng.uniform(0.2, 3, 20)
    expected = fit_temperature(scores, labels, weights)
    found = fit_temperature(torch.as_tensor(scores), labels, weights)
    assert_allclose(found, expected, rtol=1e-6)
