import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from crosslabel import CrossLabelClassifier
from crosslabel.core.rules.rule import evidence
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


def watched(monkeypatch, samples):
    """What every runner is given: how many samples, their folds, the rules, the ridges."""
    told = []

    class Watched(unseen.Runner):
        def __init__(self, name, samples, grid, kinds):
            told.append((len(samples.scaled), set(samples.fold), set(kinds), grid.ridges))
            super().__init__(name, samples, grid, kinds)

    monkeypatch.setattr(unseen, "Runner", Watched)
    by_fold_scores(samples, 0)
    return told


@pytest.mark.parametrize(("short", "rules"), [(63, {"local"}), (64, {"local", "discriminant"})])
def test_some_classes_choose_by_two_folds_and_all_are_scored_by_five(
    digits, monkeypatch, short, rules
):
    monkeypatch.setattr(unseen, "SHORT", short)
    told = watched(monkeypatch, digits)
    n_some = whole_classes(digits.labels)
    assert n_some < 300
    assert len(told) == 5
    for n, folds, kinds, ridges in told[:-1]:
        assert (n, folds, kinds, ridges) == (n_some, {-1, 0, 1}, rules, (0.1, 0.5, 2.0))
    assert told[-1] == (700, set(range(5)), rules, (0.1, 0.5, 2.0))


def test_few_samples_choose_by_all_folds_whatever_their_length(digits, monkeypatch):
    monkeypatch.setattr(unseen, "SHORT", 10)
    some = np.arange(0, 700, 7)
    told = watched(monkeypatch, distinct(digits.X[some], digits.labels[some]))
    assert len(told) == 4
    assert all(one[:2] == (100, set(range(5))) for one in told)
    assert all(one[2] == {"local", "discriminant"} for one in told)


def test_a_model_judges_what_it_has_not_seen(digits, monkeypatch):
    class Remembers:
        def __init__(self, **settings):
            pass

        def fit(self, X, y, weights):
            assert len(X) == len(y) == len(weights) > 500
            self.known = {row.tobytes() for row in X}

        def predict_proba(self, X):
            assert not self.known & {row.tobytes() for row in X}
            assert len(self.known) + len(X) == 700
            return np.full((len(X), 10), 0.1)

    monkeypatch.setattr(unseen, "CrossLabelClassifier", Remembers)
    assert_allclose(by_models(digits, 0), np.full((700, 10), 0.1))


def test_so_many_samples_choose():
    assert whole_classes(np.repeat([3, 0, 4, 1], [100, 100, 100, 10])) == 300
    assert whole_classes(np.repeat([3, 0, 4, 1], [100, 100, 101, 10])) == 200
    assert whole_classes(np.repeat([3, 0, 1], [10, 10, 10])) == 30
