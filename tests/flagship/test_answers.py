import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import get_scorer

from crosslabel.core.joint import fit_weights
from crosslabel.core.rules.rule import evidence
from crosslabel.flagship.answers import Answers, HeldOut
from crosslabel.flagship.fold_scores import FoldScores
from crosslabel.flagship.grid import Setting
from crosslabel.flagship.splits import Split
from crosslabel.intake.checking import Training

LOCAL = Setting(3, math.inf, 0.0, 0.1, "local")
JOINT = LOCAL._replace(rule="joint", shrinkage=0.5)
CLASSES = np.array(["a", "b", "c"])


def held_out(tests, labels, seed=0):
    """Scores of some tests that say something of the labels as they were drawn."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 3, len(labels))
    right = np.eye(3)[drawn]
    folds = []
    for test in tests:
        scores = -rng.uniform(0.5, 1.5, (len(test), 3)) + 0.4 * right[test]
        linear = rng.normal(size=(len(test), 3)) + right[test]
        folds.append(FoldScores({LOCAL: scores}, {0.5: linear}))
    numbers = np.arange(len(labels))
    splits = [Split(np.setdiff1d(numbers, test), test) for test in tests]
    given = drawn if labels.min() < 0 else labels
    training = Training(
        np.zeros((len(labels), 2)), CLASSES, given, rng.uniform(0.5, 2, len(labels))
    )
    return HeldOut(training, splits, folds)


TESTS = [np.arange(0, 20), np.arange(20, 45), np.arange(45, 60)]
REPEATED = [*TESTS, np.arange(0, 60, 2), np.arange(1, 60, 2)]
DRAWN = np.full(60, -1)


@pytest.mark.parametrize("tests", [TESTS, REPEATED], ids=["once", "repeated"])
@pytest.mark.parametrize("setting", [LOCAL, JOINT], ids=["local", "joint"])
def test_no_label_of_a_fold_has_a_say_in_its_own_logits(tests, setting):
    found = held_out(tests, DRAWN)
    labels = found.training.labels
    for k, test in enumerate(tests):
        other = labels.copy()
        other[test] = (other[test] + 1) % 3
        changed = held_out(tests, other)
        assert_allclose(changed.logits(setting)[k], found.logits(setting)[k], rtol=1e-3, atol=1e-3)
        with pytest.raises(AssertionError):
            assert_allclose(changed.weights(setting), found.weights(setting), rtol=0.05)


def test_logits_are_evidence_and_discriminant_with_the_weights_of_the_others():
    found = held_out(TESTS, DRAWN)
    labels, weights = found.training.labels, found.training.weights
    kinds = [np.stack([evidence(fold.by_rule[LOCAL]), fold.linear[0.5]]) for fold in found.folds]
    others = np.concatenate([TESTS[0], TESTS[2]])
    scores = np.concatenate([kinds[0], kinds[2]], axis=1)
    a = fit_weights(scores, labels[others], weights[others])
    logits = np.tensordot(a, kinds[1], 1)
    logits -= logits.mean(axis=1, keepdims=True)
    assert_allclose(found.logits(JOINT)[1], logits, rtol=1e-3, atol=1e-3)
    rows = np.concatenate(TESTS)
    whole = fit_weights(np.concatenate(kinds, axis=1), labels[rows], weights[rows])
    assert_allclose(found.weights(JOINT), whole, rtol=1e-3)


def test_a_rule_answers_with_its_own_scores_and_the_joint_rule_with_logits():
    found = held_out(TESTS, DRAWN)
    for k, one in enumerate(found.answers(LOCAL)):
        assert one.scores is found.folds[k].by_rule[LOCAL]
    for logits, one in zip(found.logits(JOINT), found.answers(JOINT)):
        assert_allclose(one.scores, logits)
        assert_array_equal(one.predict(logits), CLASSES[logits.argmax(axis=1)])


def test_scorers_of_scikit_learn_take_the_answers():
    one = held_out(TESTS, DRAWN).answers(JOINT)[0]
    X, y = np.zeros((20, 2)), one.predict(np.zeros((20, 2)))
    assert get_scorer("accuracy")(one, X, y) == 1
    p = one.predict_proba(X)
    assert_allclose(get_scorer("neg_log_loss")(one, X, y), np.log(p.max(axis=1)).mean())


def test_of_two_classes_the_decision_is_for_the_second():
    logits = np.array([[0.0, 1.0], [3.0, 1.0]])
    one = Answers(CLASSES[:2], -np.abs(logits), lambda: logits)
    assert_allclose(one.decision_function(logits), [1, -2])
    three = Answers(CLASSES, np.eye(3), lambda: 2 * np.eye(3))
    assert_allclose(three.decision_function(np.eye(3)), np.eye(3))


def test_samples_that_were_not_scored_have_no_answer():
    with pytest.raises(ValueError, match="asks about 2 samples, but a fold of 3 was scored"):
        Answers(CLASSES, np.eye(3), lambda: np.eye(3)).predict(np.zeros((2, 3)))


def test_without_other_folds_each_kind_has_one_scale():
    found = held_out(TESTS[:1], DRAWN)
    (logits,) = found.logits(JOINT)
    kinds = [part - part.mean(axis=1, keepdims=True) for part in (
        evidence(found.folds[0].by_rule[LOCAL]), found.folds[0].linear[0.5]
    )]  # fmt: skip
    expected = sum(part / np.sqrt(np.mean(part**2)) for part in kinds)
    assert_allclose(logits, expected)


def test_what_errors_cost_is_added_to_the_logits_and_then_they_are_the_scores():
    plain = held_out(TESTS, DRAWN)
    offsets = np.array([0.0, 2.0, -1.0])
    costly = replace(plain, offsets=offsets)
    for before, after in zip(plain.logits(LOCAL), costly.logits(LOCAL)):
        assert_allclose(after, before + offsets)
    for logits, one in zip(costly.logits(LOCAL), costly.answers(LOCAL)):
        assert_allclose(one.scores, logits)
    free = replace(plain, offsets=np.zeros(3))
    for k, one in enumerate(free.answers(LOCAL)):
        assert one.scores is plain.folds[k].by_rule[LOCAL]


def test_only_a_fold_that_is_all_there_is_has_a_common_scale():
    """The first of two folds tests every sample, the second some of them."""
    tests = [np.arange(60), np.arange(20)]
    found = held_out(tests, DRAWN)
    first, second = (found.logits(LOCAL)[k] for k in (0, 1))
    kinds = found.kinds(LOCAL)[0]
    scale = np.sqrt(np.mean(kinds**2))
    assert_allclose(first, kinds[:60] / scale)
    rows, labels, weights = found.tested, found.training.labels, found.training.weights
    others = np.arange(20, 60)  # of the first fold alone
    a = fit_weights(kinds[None, others], labels[rows[others]], weights[rows[others]])
    assert_allclose(second, a[0] * kinds[60:], rtol=1e-3, atol=1e-3)
