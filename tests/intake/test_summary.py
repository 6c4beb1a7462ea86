import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.ordering import canonical
from crosslabel.intake.checking import Training
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary, merge_all

NAMES = np.array(["kiwi", "fig", "apple", "pear"])


def empty(n_features, size=4, seed=0):
    return Summary.empty(n_features, np.dtype(float), Lift(), size=size, seed=seed)


def absorb(summary, X, y, w=None):
    return summary.absorb(X, y, w)


def assert_same(a, b, atol=1e-12):
    assert_array_equal(a.classes, b.classes)
    assert_array_equal(a.keys, b.keys)
    assert_allclose(a.statistics.counts, b.statistics.counts)
    assert_allclose(a.statistics.means, b.statistics.means, atol=atol)
    for one, other in zip(a.statistics.scatters, b.statistics.scatters):
        assert_allclose(one.matrix(), other.matrix(), atol=atol)
    for name in ("labels", "hashes", "limits"):
        assert_array_equal(getattr(a.sample, name), getattr(b.sample, name))
    assert_allclose(a.sample.X, b.sample.X, atol=1e-15)
    assert_allclose(a.sample.weights, b.sample.weights)


@st.composite
def labelled(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_samples, n_features = draw(st.integers(1, 30)), draw(st.integers(1, 6))
    X = rng.normal(size=(n_samples, n_features))
    X = X[rng.integers(0, n_samples, n_samples)]  # some samples come more than once
    return X, NAMES[rng.integers(0, 4, n_samples)], rng


@given(labelled())
def test_any_order_batching_and_merging_gives_the_same_summary(data):
    X, y, rng = data
    whole = absorb(empty(X.shape[1]), X, y)
    batches = np.split(rng.permutation(len(X)), np.sort(rng.integers(0, len(X) + 1, 4)))
    one_by_one = empty(X.shape[1])
    for batch in batches:
        one_by_one = absorb(one_by_one, X[batch], y[batch])
    apart = merge_all([absorb(empty(X.shape[1]), X[batch], y[batch]) for batch in batches])
    assert_same(whole, one_by_one)
    assert_same(whole, apart)


@pytest.mark.parametrize("lift", [Lift(), Lift(np.full(5, 0.3), np.full(5, 2.0), 1.5)])
def test_samples_at_hand_give_the_summary_of_one_batch_that_keeps_all(lift):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5))[rng.integers(0, 30, 40)], rng.integers(0, 4, 40)
    classes, weights = np.sort(NAMES), rng.uniform(0.5, 2, 40)
    one = Summary.of(Training(X, classes, y, weights), lift, 7)
    batch = Summary.empty(5, X.dtype, lift, size=40, seed=7).absorb(X, classes[y], weights)
    assert_same(one, batch)
    assert one.sample.is_complete.all()
    assert (one.lift, one.sample.size, one.sample.seed) == (lift, 40, 7)
    assert one.statistics.normalized == lift.unit
    mean = np.average(lift(X[y == 2]), axis=0, weights=weights[y == 2])
    assert_allclose(one.statistics.means[2], mean)


@given(labelled())
def test_weights_count_samples(data):
    X, y, rng = data
    weights = rng.integers(0, 3, len(X)).astype(float)
    weighted = absorb(empty(X.shape[1]), X, y, weights)
    times = weights.astype(int)
    assert_same(weighted, absorb(empty(X.shape[1]), np.repeat(X, times, 0), np.repeat(y, times)))


@given(labelled())
def test_what_is_removed_leaves_no_trace(data):
    X, y, rng = data
    gone = rng.random(len(X)) < 0.4
    whole = absorb(empty(X.shape[1], size=100), X, y)
    rest = whole.remove(X[gone], y[gone])
    never = absorb(empty(X.shape[1], size=100), X[~gone], y[~gone])
    assert_same(rest, never, atol=1e-9)


def test_a_class_can_leave():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), NAMES[rng.integers(0, 4, 40)]
    rest = absorb(empty(5), X, y).without("fig")
    assert_same(rest, absorb(empty(5), X[y != "fig"], y[y != "fig"]))
    with pytest.raises(ImpossibleRemovalError, match=r"no samples of class 'fig'; .* 'apple'"):
        rest.without("fig")


def test_the_sample_is_bounded_seeded_and_uniform():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 2)), np.zeros(4000, int)
    X[:2000] += 10
    summary = absorb(empty(2, size=400), X, y)
    assert len(summary.sample.X) == 400
    assert not summary.sample.is_complete.all()
    first_half = (summary.sample.X @ [1, 1] > 1.3).mean()
    assert 0.4 < first_half < 0.75
    other = absorb(empty(2, size=400, seed=1), X, y)
    assert len(np.intersect1d(summary.sample.hashes, other.sample.hashes)) < 80


def test_removing_what_was_never_added_is_detected():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 4)), np.repeat([0, 1], 10)
    summary = absorb(empty(4, size=100), X, y)
    for bad, label in ((X[:1] + 1e-9, y[:1]), (X[:1], y[-1:]), (X[[0, 0]], y[:2])):
        with pytest.raises(ImpossibleRemovalError):
            summary.remove(bad, label)
    with pytest.raises(ImpossibleRemovalError, match=r"Class 0: 11 samples .* has 10"):
        summary.remove(X[[*range(10), 0]], np.zeros(11, int))


def test_numbers_and_text_do_not_mix():
    summary = absorb(empty(2), np.eye(2), np.array([1, 2]))
    with pytest.raises(ValueError, match=r"so far are numbers, such as 1, .* text, such as 'a'"):
        absorb(summary, np.eye(2), np.array(["a", "b"]))


@settings(max_examples=20)
@given(labelled())
def test_classes_come_in_the_order_that_fit_gives_them(data):
    X, y, _ = data
    summary = absorb(empty(X.shape[1], size=100), X, y)
    classes, labels = np.unique(y, return_inverse=True)
    order = canonical(X, labels, len(classes))
    assert_array_equal(np.argsort(summary.keys, kind="stable"), order.classes)
    assert_array_equal(np.sort(summary.sample.hashes), np.sort(order.hashes))


def test_arrays_hold_all_of_a_summary():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), NAMES[rng.integers(0, 4, 60)].astype(object)
    summary = absorb(empty(5), X, y)
    again = Summary.from_arrays(summary.to_arrays())
    assert_same(summary, again)
    assert_same(absorb(summary, X[:3] + 1, y[:3]), absorb(again, X[:3] + 1, y[:3].astype(str)))


def test_declared_classes_have_a_place_before_they_have_samples():
    summary = absorb(empty(2), np.eye(2), np.array(["b", "c"]))
    told = summary.declaring(np.array(["a", "b"]))
    assert told.all_classes.tolist() == ["a", "b", "c"]
    assert told.classes.tolist() == ["b", "c"]
    assert told.without("b").all_classes.tolist() == ["a", "c"]
    assert absorb(told, np.eye(2), np.array(["a", "d"])).all_classes.tolist() == list("abcd")
    assert Summary.from_arrays(told.to_arrays()).all_classes.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="Use one type of label"):
        summary.declaring(np.array([1]))


def test_a_summary_can_be_bounded_afterwards():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), NAMES[rng.integers(0, 4, 60)]
    assert_same(absorb(empty(5, size=60), X, y).bounded(4), absorb(empty(5, size=4), X, y))


def test_statistics_alone_keep_no_sample():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), NAMES[rng.integers(0, 4, 30)]
    whole = absorb(empty(5), X, y)
    alone = empty(5).of_statistics(whole.statistics)
    assert not len(alone.sample.X)
    assert not alone.sample.is_complete.any()
    assert_array_equal(alone.classes, whole.classes)
    assert not len(absorb(alone, X[:3], y[:3]).sample.X)
