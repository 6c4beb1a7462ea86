import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from crosslabel.core.gpu import temperatures as device
from crosslabel.core.joint import DOUBT, temperature


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
