import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from crosslabel import CrossLabelClassifier
from crosslabel.flagship import rule_choice
from crosslabel.flagship.rule_choice import is_clear
from tests.core.problems import samples


def folds_told(model, X, y, capsys):
    """The fitted model, and how many folds its fit told of."""
    capsys.readouterr()
    fitted = clone(model).set_params(verbose=1).fit(X, y)
    return fitted, capsys.readouterr().out.count("fold ")


@pytest.fixture
def even():
    """Classes in random directions: both rules are about as good."""
    return samples(np.random.default_rng(0), (12, 12, 12), 8)


def cones(n_classes=4, n_samples=20):
    """Classes that share directions: to code over all atoms at once tells them apart worse."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=(6, 10))
    y = np.repeat(np.arange(n_classes), n_samples)
    own = rng.normal(size=(n_classes, 10))[y]
    X = own + rng.normal(size=(len(y), 6)) @ common
    return X, y


def test_rules_that_are_not_told_apart_are_compared_at_the_end(even, capsys, monkeypatch):
    model = CrossLabelClassifier(atoms_per_class=3, random_state=0, tol=0)
    found, n_folds = folds_told(model, *even, capsys)
    assert n_folds == 10
    monkeypatch.setattr(rule_choice, "FIRST_LOOK", 100)
    straight, n_folds = folds_told(model, *even, capsys)
    assert n_folds == 5
    assert found.rule_scores_ == pytest.approx(straight.rule_scores_, abs=1e-12)
    assert found.rule_ == straight.rule_


def test_a_rule_that_is_clearly_better_needs_no_more_folds(capsys, monkeypatch):
    X, y = cones()
    model = CrossLabelClassifier(atoms_per_class=4, random_state=0)
    monkeypatch.setattr(rule_choice, "CLEAR", 0.5)
    found, n_folds = folds_told(model, X, y, capsys)
    assert n_folds < 5
    assert len(set(found.rule_scores_.values())) == 2


def test_rules_that_agree_everywhere_are_not_looked_at_again(capsys):
    y = np.repeat([0, 1], 10)
    X = np.eye(2)[y] + 0.01 * np.random.default_rng(0).normal(size=(20, 2))
    found, n_folds = folds_told(CrossLabelClassifier(random_state=0), X, y, capsys)
    assert n_folds == 5
    assert found.rule_ == "global"


def test_probabilities_are_calibrated_on_all_folds_of_finished_models(even, capsys, monkeypatch):
    monkeypatch.setattr(rule_choice, "CLEAR", 0.0)
    model = CrossLabelClassifier(atoms_per_class=3, probability=True, random_state=0)
    assert folds_told(model, *even, capsys)[1] == 5


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=60), st.integers(-9, 9))
def test_what_is_clear_depends_neither_on_sign_nor_scale_nor_on_agreement(values, power):
    gains = np.array(values)
    expected = is_clear(gains)
    assert is_clear(-(2.0**power) * gains) == expected
    assert is_clear(np.append(gains, np.zeros(30))) == expected


def test_thirteen_samples_that_only_one_rule_has_right_are_clear_and_twelve_are_not():
    assert is_clear(np.ones(13))
    assert not is_clear(np.ones(12))
    assert not is_clear(np.zeros(5))
