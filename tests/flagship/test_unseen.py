import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from crosslabel import CrossLabelClassifier
from crosslabel.core.calibration import evidence
from crosslabel.flagship import unseen
from crosslabel.flagship.choose import Distinct
from crosslabel.flagship.unseen import FEW, by_fold_scores, by_models, whole_classes
from crosslabel.intake.checking import Training


def distinct(X, y):
    return Distinct.of(Training(np.asarray(X, float), np.unique(y), y, np.ones(len(y))))


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return distinct(X[:700], y[:700])


def test_many_long_samples_are_scored_by_the_local_rule_without_their_fold(digits, monkeypatch):
    """log p up to a constant is a multiple of the evidence of a classifier that lacks the fold."""
    monkeypatch.setattr(unseen, "SHORT", 10)
    found = by_fold_scores(digits, 0)
    fold = digits.folds(0)
    out, rest = fold == 2, fold != 2
    sharpness, ridges = [], (0.1, 0.5, 2.0)
    for ridge in ridges:
        model = CrossLabelClassifier(rule="local", ridge=ridge, scale="unit")
        model.fit(digits.X[rest], digits.labels[rest])
        expected = evidence(model.decision_function(digits.X[out]))
        logits = np.log(found.chances[out])
        expected -= expected.mean(axis=1, keepdims=True)
        logits -= logits.mean(axis=1, keepdims=True)
        sharpness.append((logits / expected)[np.abs(expected) > 0.1])
    spread = [float(one.std() / one.mean()) for one in sharpness]
    assert min(spread) < 1e-3
    assert sorted(spread)[1] > 1e-2


def test_few_samples_get_a_probability_each(digits):
    some = np.arange(0, 700, 7)
    few = distinct(digits.X[some], digits.labels[some])
    chances = by_fold_scores(few, 0).chances
    assert_allclose(chances.sum(axis=1), 1)
    assert (chances.argmax(axis=1) == few.labels).mean() > 0.9


def test_the_only_sample_of_a_class_is_not_judged():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(21, 6)) + np.repeat([[0], [4], [-4]], 7, axis=0)])
    y = np.repeat([0, 1, 2], 7)
    y[0] = 3
    few = distinct(X, y)
    chances = by_fold_scores(few, 0).chances
    lonely = few.labels == 3
    assert np.isnan(chances[lonely]).all()
    assert np.isfinite(chances[~lonely]).all()


def test_models_of_folds_say_nearly_the_same(digits):
    by_scores, trained = by_fold_scores(digits, 0).chances, by_models(digits, 0)
    assert_allclose(trained.sum(axis=1), 1, rtol=1e-6)
    assert (by_scores.argmax(axis=1) == trained.argmax(axis=1)).mean() > 0.95


def test_whole_classes_choose():
    labels = np.repeat([3, 0, 4, 1, 2], [FEW, 10, 10, 10, 10])
    assert whole_classes(labels) == FEW + 10
    labels = np.repeat([3, 0, 4, 1, 2], [FEW - 30, 10, 10, 20, 10])
    assert whole_classes(labels) == FEW - 10
    labels = np.repeat(np.arange(5), FEW // 5)
    assert whole_classes(labels) == len(labels)
