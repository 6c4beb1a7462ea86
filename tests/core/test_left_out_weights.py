import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import left_out_weights as module
from crosslabel.core.joint import fit_weights
from crosslabel.core.left_out_weights import left_out_weights


def problem(seed, n_kinds, n_classes, strength):
    """Scores that favour the own class by so much, labels, weights, and three folds."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, 60)
    scores = rng.normal(size=(n_kinds, 60, n_classes))
    scores[:, np.arange(60), labels] += strength
    fold = rng.permutation(np.arange(60) % 3)
    return scores, labels, rng.uniform(0.5, 2, 60), fold == np.arange(3)[:, None]


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(2, 5), st.sampled_from([0.3, 1, 6]))
@settings(max_examples=25, deadline=None)
def test_each_subset_gets_the_weights_of_its_own_samples(seed, n_kinds, n_classes, strength):
    scores, labels, weights, left_out = problem(seed, n_kinds, n_classes, strength)
    found = left_out_weights(scores, labels, weights, left_out)
    assert found.shape == (3, n_kinds)
    for a, out in zip(found, left_out):
        expected = fit_weights(scores[:, ~out], labels[~out], weights[~out])
        assert_allclose(a, expected, rtol=1e-3, atol=1e-3)


def test_scores_that_mislead_get_no_weight():
    scores, labels, weights, left_out = problem(0, 2, 3, 1)
    scores[1] = -scores[0]
    scores[1] += 0.01 * np.random.default_rng(1).normal(size=scores[1].shape)
    found = left_out_weights(scores, labels, weights, left_out)
    assert (found >= 0).all()
    assert_allclose(found[:, 1], 0)
    assert (found[:, 0] > 0.1).all()


def test_overlapping_subsets_and_none_left_out():
    scores, labels, weights, left_out = problem(0, 2, 3, 1)
    subsets = np.array([np.zeros(60, bool), left_out[0] | left_out[1], left_out[1]])
    found = left_out_weights(scores, labels, weights, subsets)
    for a, out in zip(found, subsets):
        expected = fit_weights(scores[:, ~out], labels[~out], weights[~out])
        assert_allclose(a, expected, rtol=1e-3, atol=1e-4)


def test_scores_that_say_nothing():
    scores, labels, weights, left_out = problem(0, 1, 3, 1)
    found = left_out_weights(np.zeros_like(scores), labels, weights, left_out)
    assert np.isfinite(found).all()


def test_a_few_steps_lead_to_the_weights(monkeypatch):
    """With the true second derivatives; without them it would take many, or the other solver."""
    scores, labels, weights, left_out = problem(0, 2, 3, 1)
    monkeypatch.setattr(module, "fit_weights", None)
    monkeypatch.setattr(module, "_STEPS", 8)
    assert (left_out_weights(scores, labels, weights, left_out) > 0).all()
