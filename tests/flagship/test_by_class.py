import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import CrossLabelClassifier
from crosslabel.core.code_blocks import UndeterminedCodesError
from crosslabel.flagship import by_class, crosslabel
from crosslabel.flagship.problem import Settings
from tests import naive
from tests.core.problems import samples

SMALL = 64 * 9 * 20
"""A memory limit that gives groups of at most twenty samples of nine features."""


@pytest.fixture
def data():
    X, y = samples(np.random.default_rng(0), (3, 12, 7, 30, 5, 9, 16), 9)
    X[4] = X[3]  # a class with fewer distinct samples than atoms
    shuffle = np.random.default_rng(1).permutation(len(X))
    return X[shuffle], np.array(["c", "a", "g", "b", "f", "e", "d"])[y[shuffle]]


def model(**settings):
    named = {"atoms_per_class": 4, "ridge": 0.05, "rule": "local", "random_state": 0}
    return CrossLabelClassifier(**{**named, **settings})


def assert_same(parted, whole, X):
    assert_array_equal(parted.classes_, whole.classes_)
    assert_array_equal(parted.atom_labels_, whole.atom_labels_)
    assert_allclose(parted.dictionary_, whole.dictionary_, atol=1e-10)
    assert_allclose(parted.objective_trace_, whole.objective_trace_)
    assert_allclose(parted.temperature_, whole.temperature_, rtol=1e-6)
    assert_array_equal(parted.unused_atoms_, whole.unused_atoms_)
    assert_allclose(parted.predict_proba(X), whole.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rule": "global"},
        {"rule": "global-length", "scale": "standard"},
        {"atoms_per_class": [1, 2, 3, 4, 5, 6, 7]},
        {"class_weight": {"a": 3.0}},
        {"kernel": "rbf"},
        {"atoms_per_class": "auto"},
    ],
    ids=str,
)
def test_classes_that_are_learnt_some_at_a_time_are_those_of_all_at_once(
    data, settings, monkeypatch
):
    X, y = data
    groups = []
    problem = by_class.ClassSource.problem
    monkeypatch.setattr(
        by_class.ClassSource,
        "problem",
        lambda self, classes, given: groups.append(classes) or problem(self, classes, given),
    )
    whole = model(**settings).fit(X, y)
    assert not groups
    parted = model(memory_limit=SMALL, **settings).fit(X, y)
    learnt, calibrating = groups[:-1], groups[-1]
    assert_array_equal(np.concatenate(learnt), np.arange(7))
    assert len(learnt) >= 5
    assert len(calibrating) >= 5
    assert_same(parted, whole, X)


def test_groups_hold_as_many_samples_as_fit_and_at_least_one_class():
    counts = np.array([3, 4, 50, 2, 2])
    found = [group.tolist() for group in by_class.groups(counts, 9, 64 * 9 * 7)]
    assert found == [[0, 1], [2], [3, 4]]
    found = [group.tolist() for group in by_class.groups(counts, 9, 64 * 9 * 6)]
    assert found == [[0], [1], [2], [3, 4]]


def test_weights_count_as_ever_and_none_at_all_takes_a_class_away(data):
    X, y = data
    weights = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    weights[y == "g"] = 0
    parted = model(memory_limit=SMALL).fit(X, y, weights)
    assert "g" not in parted.classes_
    assert_same(parted, model().fit(X, y, weights), X)


def test_a_single_class_that_can_spare_samples_calibrates(data):
    X, y = samples(np.random.default_rng(3), (3, 3, 30, 2), 9)
    parted, whole = model(memory_limit=SMALL).fit(X, y), model().fit(X, y)
    assert whole.temperature_ != 1
    assert_same(parted, whole, X)
    none = np.isin(y, [0, 1, 3])
    assert model(memory_limit=1).fit(X[none], y[none]).temperature_ == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"keep_summary": True},
        {"ridge": "auto"},
        {"rule": "joint"},
        {"shared_atoms": 2},
        {"suppression": 20.0},
        {"init": "kmeans"},
    ],
    ids=str,
)
def test_what_needs_all_classes_at_once_gets_them(data, settings, monkeypatch):
    monkeypatch.setattr(by_class.ClassSource, "problem", None)
    model(memory_limit=SMALL, **settings).fit(*data)


def test_an_error_names_the_class(data, monkeypatch):
    X, y = data

    def failing(statistics, *_):
        raise UndeterminedCodesError(0, 2, 0.0)

    monkeypatch.setattr("crosslabel.flagship.problem.closed_form", failing)
    with pytest.raises(np.linalg.LinAlgError, match="'a'"):
        model(memory_limit=SMALL).fit(X, y)


def test_what_is_told_and_noted_on_the_way(data, monkeypatch):
    X, y = data
    calls = naive.captured(monkeypatch, crosslabel, "train_by_class")
    weights = np.random.default_rng(2).uniform(0.5, 2, len(X))
    model(memory_limit=SMALL).fit(X, y, weights)
    (((source, choice, *_), _, _),) = calls
    learnt, said = [], []
    fitted = by_class.train_by_class(
        source, choice, SMALL, lambda *told: said.append(told), learnt.append
    )
    sizes = [np.sum(source.labels == c) for c in range(7)]
    found = by_class.groups(sizes, source.n_features, SMALL)
    assert learnt == [sum(sizes[c] for c in group) for group in found]
    ((iteration, objective),) = said
    assert iteration == 0
    assert_allclose(objective, sum(values[-1] for values in fitted.apart))
    assert_allclose(fitted.choice.n_samples, weights.sum())


def test_the_room_has_a_row_for_each_atom_that_a_class_can_have():
    empty = model()._empty_summary(np.ones((1, 9)))
    source = by_class.ClassSource(
        None, np.arange(3), np.repeat(np.arange(3), (3, 12, 5)), np.ones(20), empty
    )
    assert source.room(Settings(atoms_per_class=4)).shape == (3 + 4 + 4, 9)


def test_one_feature_counts_as_one():
    counts = np.array([4, 4, 4])
    assert [g.tolist() for g in by_class.groups(counts, 1, 64 * 8)] == [[0, 1], [2]]


def test_learning_takes_sixteen_copies_of_four_bytes():
    X = np.ones((2, 5))
    assert not by_class.exceeds(X, 16 * 4 * 10)
    assert by_class.exceeds(X, 16 * 4 * 10 - 1)
