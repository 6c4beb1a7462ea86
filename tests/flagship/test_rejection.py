"""What is of no known class must be refused, at the rate that was asked for."""

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel import CRC, CrossLabelClassifier, CrossLabelClassifierCV, RejectingClassifier
from crosslabel.features import Eigenfaces
from crosslabel.flagship.rejection import _common_type, threshold_for

FLAGSHIP = CrossLabelClassifier(atoms_per_class=6, rule="global", max_iter=3, random_state=0)


# With a threshold that rejects nothing: the checks have problems of two classes, of which none can
# be left out as unknown, and expect every sample to get a label.
@parametrize_with_checks(
    [RejectingClassifier(CrossLabelClassifier(max_iter=3, random_state=0), threshold=2.0)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    """Digits 0 to 7 as known classes, the others as unknown."""
    X, y = load_digits(return_X_y=True)
    known = y < 8
    return X[known], y[known], X[~known]


@pytest.mark.parametrize("rule", ["global", "local"])
def test_novelty_tells_unknown_digits_from_known_ones(digits, rule):
    X, y, new = digits
    model = CrossLabelClassifier(rule=rule, random_state=0).fit(X[::2], y[::2])
    scores = np.concatenate([model.novelty_score(X[1::2]), model.novelty_score(new)])
    is_new = np.arange(len(scores)) >= len(X[1::2])
    assert roc_auc_score(is_new, scores) > 0.95
    assert scores.min() >= 0
    assert scores.max() <= 1


def test_novelty_does_not_depend_on_the_scale_and_is_one_for_black_images(digits):
    X, y, _ = digits
    model = CrossLabelClassifier(random_state=0, rule="global", max_iter=3).fit(X, y)
    assert_allclose(model.novelty_score(1e100 * X[:20]), model.novelty_score(X[:20]), rtol=1e-9)
    assert_array_equal(model.novelty_score(np.zeros((1, 64))), [1.0])


def test_the_cross_validated_classifier_has_it_too(digits):
    X, y, _ = digits
    model = CrossLabelClassifierCV(
        atoms_per_class=(3,), ridges=(8e-3,), suppressions=(2.0,), groupings=(2e-2,), random_state=0
    ).fit(X[:200], y[:200])
    expected = model.best_estimator_.novelty_score(X)
    assert_array_equal(model.novelty_score(X), expected)


@given(
    arrays.arrays(float, st.integers(1, 40), elements=st.floats(0, 1)),
    st.floats(0, 1),
)
def test_the_threshold_accepts_as_many_unknowns_as_allowed_and_no_more(scores, rate):
    threshold = threshold_for(scores, rate)
    accepted = np.sum(scores < threshold)
    assert accepted <= rate * len(scores) + 1e-6
    higher = np.append(scores[scores > threshold], np.inf).min()
    assert np.sum(scores < higher) > rate * len(scores) - 1 or threshold == np.inf


@pytest.mark.parametrize("rate", [0.05, 0.2])
def test_unknown_classes_are_accepted_at_about_the_wanted_rate(digits, rate):
    X, y, new = digits
    model = RejectingClassifier(FLAGSHIP, false_accept_rate=rate, random_state=0)
    model.fit(X[::2], y[::2])
    assert np.mean(model.predict(new) != -1) < 2 * rate
    kept = model.predict(X[1::2]) != -1
    # The share of known queries that are lost was foretold from the training samples.
    assert abs(np.mean(~kept) - model.false_reject_rate_) < 0.1
    assert np.mean(model.predict(X[1::2])[kept] == y[1::2][kept]) > 0.97


class Remembers(ClassifierMixin, BaseEstimator):
    """Novelty is how many samples the model was taught; queries are their own places."""

    taught: ClassVar[list] = []

    def fit(self, X, y):
        self.classes_, self.n_ = np.unique(y), len(X)
        self.taught.append(set(X[:, 0].astype(int)))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def novelty_score(self, X):
        assert not set(X[:, 0].astype(int)) & self.taught[-1]
        return np.full(len(X), float(self.n_))


def test_strangers_are_scored_by_all_samples_of_the_other_classes():
    y = np.repeat(np.arange(5), 10)
    X = np.arange(50.0)[:, None]
    Remembers.taught.clear()
    model = RejectingClassifier(Remembers(), random_state=0).fit(X, y)
    assert_array_equal(model.unknown_scores_, np.full(50, 40.0))  # four of five classes, whole
    assert_array_equal(model.known_scores_, np.full(50, 40.0))  # four in five of every class
    assert [len(rows) for rows in Remembers.taught] == [50] + 10 * [40]
    for rows in Remembers.taught[1:6]:
        assert len({y[row] for row in rows}) == 4
    for rows in Remembers.taught[6:]:
        assert np.bincount([y[row] for row in rows]).tolist() == [8] * 5


def test_labels_of_rejected_queries(digits):
    X, y, new = digits
    names = np.array([f"digit {label}" for label in y])
    model = RejectingClassifier(FLAGSHIP, random_state=0).fit(X, names)
    assert "unknown" in model.predict(new)
    assert "unknown" not in model.classes_
    given = RejectingClassifier(FLAGSHIP, random_state=0, reject_label=99).fit(X, y)
    assert 99 in given.predict(new)
    for label in (3, "nobody"):
        with pytest.raises(ValueError, match="reject_label"):
            RejectingClassifier(FLAGSHIP, threshold=0.5, reject_label=label).fit(X, y)


def test_a_given_threshold_needs_no_cross_validation_and_two_classes_need_a_threshold(digits):
    X, y, _ = digits
    two = y < 2
    with pytest.raises(ValueError, match="needs three classes, but y holds 2"):
        RejectingClassifier(FLAGSHIP).fit(X[two], y[two])
    model = RejectingClassifier(FLAGSHIP, threshold=0.0).fit(X[two], y[two])
    assert_array_equal(np.unique(model.predict(X)), [-1])
    assert np.isnan(model.false_reject_rate_)


def test_three_classes_single_samples_and_pipelines(digits):
    X, y, _ = digits
    three = np.flatnonzero(y < 3)
    three = three[(y[three] != 2) | (three == np.flatnonzero(y == 2)[0])]  # one sample of class 2
    model = make_pipeline(Eigenfaces(20), RejectingClassifier(FLAGSHIP, random_state=0))
    assert model.fit(X[three], y[three])[-1].threshold_ > 0
    assert set(model.predict(X)) <= {-1, 0, 1, 2}


def test_an_estimator_without_novelty_is_refused(digits):
    X, y, _ = digits
    with pytest.raises(ValueError, match="novelty_score"):
        RejectingClassifier(CRC()).fit(X, y)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "?", "f4", "U5", "O"])
def test_strangers_get_their_label_whatever_the_type_of_the_others(dtype):
    X, y = load_digits(return_X_y=True)
    X, y = X[y < 4], y[y < 4]
    labels = (y % 2 if dtype == "?" else y).astype(str if dtype == "O" else dtype).astype(dtype)
    model = RejectingClassifier(FLAGSHIP, threshold=1e-9).fit(X[::4], labels[::4])
    found = model.predict(X[:5])
    expected = "unknown" if labels.dtype.kind in "UO" else -1
    assert found.tolist() == [expected] * 5
    model.threshold_ = np.inf
    assert model.predict(X[:5]).dtype == found.dtype
    assert set(model.predict(X).tolist()) <= set(labels.tolist())


def test_labels_that_no_type_holds_beside_a_negative_one():
    X, y = load_digits(return_X_y=True)
    y = np.where(y == 9, 2**63 + 1, y.astype(np.uint64))
    model = RejectingClassifier(FLAGSHIP, threshold=1e-9)
    with pytest.raises(ValueError, match="Give a reject_label that is not negative"):
        model.fit(X[::9], y[::9])
    found = model.set_params(reject_label=77).fit(X[::9], y[::9]).predict(X[:3])
    assert found.tolist() == [77] * 3


def test_a_rate_times_a_number_is_rounded_only_where_it_is_whole():
    scores = np.arange(100.0)
    assert threshold_for(scores, 0.29) == 29  # 0.29 · 100 is just below 29
    assert threshold_for(scores, 0.289999995) == 28
    assert threshold_for(scores, 1.0) == np.inf


def taught(sizes, cv):
    y = np.repeat(np.arange(5, 5 + len(sizes)), sizes)
    Remembers.taught.clear()
    model = RejectingClassifier(Remembers(), cv=cv, random_state=0)
    return model.fit(np.arange(float(len(y)))[:, None], y), y


@pytest.mark.parametrize(
    ("n_classes", "cv", "n_folds"), [(3, 2, 3), (4, 2, 2), (4, 3, 3), (6, 4, 4), (4, 9, 4)]
)
def test_groups_of_classes_are_left_out_in_turn(n_classes, cv, n_folds):
    model, y = taught((6,) * n_classes, cv)
    strange = [set(range(len(y))) - rows for rows in Remembers.taught[1 : 1 + n_folds]]
    assert sorted(row for rows in strange for row in rows) == list(range(len(y)))
    left_out = [{y[row] for row in rows} for rows in strange]
    assert sum(len(classes) for classes in left_out) == n_classes
    assert len(Remembers.taught) == 1 + 2 * n_folds
    assert model.reject_label_ == -1


def test_the_only_sample_of_a_class_stays_and_one_of_two_does_not():
    model, y = taught((10, 10, 10, 1, 2), 5)
    assert len(model.unknown_scores_) == len(y)
    assert len(model.known_scores_) == len(y) - 1


def test_a_score_at_the_threshold_is_refused():
    model, y = taught((10,) * 5, 5)
    assert model.threshold_ == 40
    assert model.false_reject_rate_ == 1
    model = RejectingClassifier(Remembers(), threshold=50.0).fit(np.arange(50.0)[:, None], y)
    assert model.predict(np.array([[99.0]])).tolist() == [-1]


def test_the_label_of_strangers_is_below_all_classes():
    y = np.repeat([-0.5, 1.0, 2.5], 4)
    model = RejectingClassifier(Remembers(), threshold=0.5).fit(np.arange(12.0)[:, None], y)
    assert model.reject_label_ == -2


def test_a_label_that_only_some_classes_can_be_held_with_is_refused():
    """float64 holds 0.5 and 1, but not 2⁵³ + 1."""
    with pytest.raises(ValueError, match="No type of NumPy holds both the classes"):
        _common_type(np.array([1, 2**53 + 1]), 0.5)
    assert _common_type(np.array([1, 2**53]), 0.5) == np.float64
