import numpy as np
import pytest

from crosslabel.studio.lesson import strangeness
from crosslabel.studio.study import KNOWN_REFUSED, Exercises, Interrupted, curve, folds, held_out


def pictures(counts=(6, 6, 6), spread=0.5, seed=0):
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(counts)), counts)
    rows = np.eye(len(counts), 10)[labels] + spread * random.standard_normal((len(labels), 10))
    keys = [f"{n:032x}" for n in random.permutation(len(labels))]
    return Exercises(keys, rows, labels, [f"c{n}" for n in range(len(counts))])


def never():
    return False


def test_folds_are_stratified_and_follow_from_the_content():
    labels = np.array([0] * 7 + [1] * 5 + [2])
    keys = [f"k{n:02d}" for n in range(13)]
    fold = folds(labels, keys)
    assert fold[-1] == -1
    for c in (0, 1):
        counts = np.bincount(fold[labels == c], minlength=5)
        assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(0).permutation(13)
    assert np.array_equal(folds(labels[order], [keys[i] for i in order]), fold[order])


def test_every_picture_is_judged_by_a_model_without_it():
    given = pictures()
    study = held_out(given, 3, never)
    assert sorted(study.tested.tolist()) == list(range(18))
    assert study.version == 3
    fold = folds(given.labels, given.keys)
    strange = []
    lessons = [given.lesson(fold != k) for k in range(fold.max() + 1)]
    for place, found in zip(study.tested, study.probabilities):
        lesson = lessons[fold[place]]
        row = given.rows[place][None]
        np.testing.assert_allclose(found, lesson.fitted.probabilities(row)[0])
        strange.append(strangeness(lesson.fitted, row)[0])
    assert np.mean(np.array(strange) > study.threshold) <= KNOWN_REFUSED + 1 / 18
    taken_for = np.argmax(study.probabilities, axis=1)
    for c in range(3):
        for d in range(3):
            own = given.labels[study.tested] == c
            assert study.confusion[c, d] == np.sum(own & (taken_for == d))


def test_the_audit_is_of_the_same_pictures():
    given = pictures(spread=0.2)
    labels = given.labels.copy()
    labels[0] = 2  # a picture of the first class
    study = held_out(Exercises(given.keys, given.rows, labels, given.names), 0, never)
    assert study.audit.suspects.tolist() == [0]
    assert study.audit.looks_like[0] == 0


def test_a_class_of_one_picture_is_known_but_not_tested():
    study = held_out(pictures((4, 4, 1)), 0, never)
    assert sorted(study.tested.tolist()) == list(range(8))
    assert study.confusion[2].sum() == 0


def test_the_curve_climbs_with_more_pictures():
    points = list(curve(pictures((21, 21, 21), spread=0.6), never))
    sizes, shares, errors = zip(*points)
    assert sizes == (1, 2, 3, 5, 8, 12, 20)
    assert shares[-1] > shares[0]
    assert min(errors) >= 0


def test_a_study_of_what_has_changed_is_given_up():
    with pytest.raises(Interrupted):
        held_out(pictures(), 0, lambda: True)
    with pytest.raises(Interrupted):
        list(curve(pictures(), lambda: True))
