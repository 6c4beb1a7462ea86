"""What is chosen, for problems whose answer is known."""

import numpy as np
import pytest

from crosslabel.core.joint import log_losses
from crosslabel.flagship.choose import choose
from crosslabel.flagship.lift import lifts


def blobs(n=60, m=6, n_classes=3, seed=0, distance=3.0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    X = rng.normal(size=(n, m)) + distance * rng.normal(size=(n_classes, m))[labels]
    return X, labels, np.arange(n) // n_classes % 5


def rings(n, seed=0):
    """Two classes by the distance from a centre: no linear score tells them apart."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 2 * labels + 0.3 * rng.normal(size=n)
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=n)]
    return X, labels, np.arange(n) // 2 % 5


def test_the_order_of_the_samples_does_not_matter():
    X, labels, fold = blobs()
    order = np.random.default_rng(1).permutation(len(X))
    one, other = choose(X, labels, fold), choose(X[order], labels[order], fold[order])
    assert [s.lift for s in one.settings] == [s.lift for s in other.settings]
    for a, b in zip(one.settings, other.settings):
        assert (a.rule, a.ridge, a.shrinkage) == (b.rule, b.ridge, b.shrinkage)
        assert a.dictionary_weight == pytest.approx(b.dictionary_weight, rel=1e-3, abs=1e-6)
    assert np.allclose(one.logits[order], other.logits, atol=1e-2)


def test_the_loss_is_of_the_logits_and_below_chance():
    X, labels, fold = blobs()
    choice = choose(X, labels, fold)
    assert choice.loss == pytest.approx(log_losses(choice.logits, labels).mean())
    assert choice.loss < np.log(3) / 2
    assert np.array_equal(choice.held_out, np.arange(len(X)))


def test_kernels_are_taken_where_only_they_can_tell():
    X, labels, fold = rings(120)
    choice = choose(X, labels, fold)
    assert any(s.lift.startswith("rbf") for s in choice.settings)
    assert np.mean(choice.logits.argmax(axis=1) == labels[choice.held_out]) > 0.9
    X, labels, fold = blobs(n=150, distance=1.0)
    assert not any(s.lift.startswith("rbf") for s in choose(X, labels, fold).settings)


def test_candidates_limit_the_choice():
    X, labels, fold = blobs()
    only = {"unit": lifts(X)["unit"]}
    (setting,) = choose(X, labels, fold, candidates=only, ridges=(0.3,)).settings
    assert setting.lift == "unit"
    assert setting.rule == "global" or setting.ridge == 0.3


def test_many_samples_run_few_folds():
    X, labels, fold = blobs(n=1500, distance=1.0)
    choice = choose(X, labels, fold)
    assert np.array_equal(np.unique(fold[choice.held_out]), [0, 1])
    assert len(choice.logits) == len(choice.held_out) == 600


def test_samples_without_weight_choose_nothing():
    X, labels, fold = blobs(n=90)
    wrong = np.concatenate([labels, (labels[:30] + 1) % 3])
    weights = np.r_[np.ones(90), np.full(30, 1e-9)]
    doubled, folds = np.concatenate([X, X[:30]]), np.concatenate([fold, fold[:30]])
    weighted = choose(doubled, wrong, folds, weights=weights)
    assert weighted.loss == pytest.approx(choose(X, labels, fold).loss, rel=0.1)


def test_two_samples_per_class_choose_by_two_folds():
    X, labels, _ = blobs(n=6)
    choice = choose(X, labels, np.arange(6) // 3)
    assert np.isfinite(choice.logits).all()
    assert choice.settings
