import numpy as np
from numpy.testing import assert_allclose
from scipy.special import softmax

from crosslabel.core.calibration import evidence, fit_temperature, probabilities


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


def test_evidence_does_not_depend_on_the_scale_of_a_query():
    scores = -np.random.default_rng(0).uniform(0.1, 1, size=(5, 3))
    assert_allclose(evidence(scores), evidence(scores * 1e8), rtol=1e-10)


def test_residuals_of_zero_stay_finite():
    assert_allclose(probabilities(np.array([[0.0, 0.0], [-0.0, -1.0]]), 2.0)[0], [0.5, 0.5])
    assert np.isfinite(evidence(np.array([[0.0, -1.0]]))).all()


def test_no_held_out_sample_gives_temperature_one():
    assert fit_temperature(np.empty((0, 3)), np.empty(0, int), np.empty(0)) == 1.0
