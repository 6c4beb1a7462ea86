"""Against Dask's threads, and against a real cluster of separate processes."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.flagship import by_task
from crosslabel.intake.summary import Summary
from tests.core.problems import samples
from tests.flagship.test_by_class import assert_same, data, model
from tests.flagship.test_from_disk import SMALL

da = pytest.importorskip("dask.array", reason="needs crosslabel[dask]")
distributed = pytest.importorskip("distributed", reason="needs crosslabel[dask]")

__all__ = ["data"]


def lazily(*arrays, rows=11):
    return [da.from_array(one, chunks=(rows, *one.shape[1:])) for one in arrays]


@pytest.fixture
def tasks(monkeypatch):
    """Classes of each summary that a task learnt from, or that tasks merged."""
    seen = []

    def solved(summary, *more, real=by_task._solved):
        seen.append(len(summary.classes))
        return real(summary, *more)

    monkeypatch.setattr(by_task, "_solved", solved)
    return seen


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rule": "global"},
        {"rule": "global-length"},
        {"atoms_per_class": [1, 2, 3, 4, 5, 6, 7]},
        {"scale": "none"},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_sorted", [True, False])
def test_blocks_of_classes_are_learnt_by_tasks_as_all_at_once(data, settings, is_sorted, tasks):
    X, y = data
    order = np.argsort(y, kind="stable") if is_sorted else np.arange(len(y))
    parted = model(memory_limit=SMALL, **settings).fit(*lazily(X[order], y[order]))
    assert len(tasks) >= 5
    assert sum(tasks) == 7
    assert "_summary" not in parted.__dict__
    assert_same(parted, model(**settings).fit(X, y), X)


def test_with_more_atoms_than_axes_the_same_up_to_a_turn(data):
    X, y = data
    settings = {"atoms_per_class": "auto", "rule": "global-length"}
    there = model(memory_limit=SMALL, **settings).fit(*lazily(X, y))
    here = model(**settings).fit(X, y)
    assert_array_equal(there.atom_labels_, here.atom_labels_)
    assert_allclose(there.objective_trace_, here.objective_trace_)
    assert_allclose(there.decision_function(X), here.decision_function(X), rtol=1e-8)


def test_grouping_agrees_to_its_tolerance(data, tasks):
    X, y = data
    there = model(memory_limit=SMALL, grouping=0.2).fit(*lazily(X, y))
    here = model(grouping=0.2).fit(X, y)
    assert sum(tasks) == 7
    assert_allclose(there.objective_trace_, here.objective_trace_, rtol=1e-6)
    assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-3)


def test_no_process_needs_the_statistics_of_all_classes(data, monkeypatch):
    X, y = data
    largest = []
    real = Summary.merge

    def merge(self, other):
        found = real(self, other)
        largest.append(len(found.classes))
        return found

    monkeypatch.setattr(Summary, "merge", merge)
    model(memory_limit=SMALL).fit(*lazily(X, y, rows=40))
    learnt, calibrating = np.split(np.array(largest), [len(largest) - 2])
    assert max(learnt) <= 2
    # To calibrate, some classes are read again: sixteen at most, however many there are.
    assert max(calibrating) == 6


def test_weights_and_names(data):
    X, y = data
    weights = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    weights[y == "g"] = 0
    lazy = lazily(X, y)
    parted = model(memory_limit=SMALL).fit(*lazy, sample_weight=da.from_array(weights, chunks=30))
    assert "g" not in parted.classes_
    assert_same(parted, model().fit(X, y, weights), X)


def test_a_summary_that_fits_or_is_asked_for_is_kept_and_goes_on(data, tasks):
    X, y = data
    small = model().fit(*lazily(X, y))
    asked = model(memory_limit=SMALL, keep_summary=True).fit(*lazily(X, y))
    whole = model(keep_summary=True).fit(X, y)
    assert len(tasks) >= 6
    for one in (small, asked):
        assert_array_equal(one.statistics_.counts, whole.statistics_.counts)
        assert_allclose(one.statistics_.scatter("b"), whole.statistics_.scatter("b"), atol=1e-10)
        assert_same(one, whole, X)
        one.partial_fit(X[:9] + 0.1, y[:9])
    both = whole.partial_fit(X[:9] + 0.1, y[:9])
    assert_same(small, both, X)
    assert_same(asked, both, X)


def test_what_needs_all_classes_at_once_gets_a_summary(data, tasks):
    X, y = data
    for settings in ({"shared_atoms": 2}, {"suppression": 20.0}, {"ridge": "auto"}):
        parted = model(memory_limit=SMALL, **settings).fit(*lazily(X, y))
        assert "_summary" in parted.__dict__
    assert not tasks


def test_many_classes_of_few_samples_are_no_regression():
    X, y = samples(np.random.default_rng(0), [2] * 40, 5)
    there = model(atoms_per_class=1).fit(*lazily(X, y))
    assert_allclose(there.dictionary_, model(atoms_per_class=1).fit(X, y).dictionary_, atol=1e-10)
    unnamed = model(atoms_per_class=1, shared_atoms=1).fit(*lazily(X, y))
    assert len(unnamed.classes_) == 40


def test_misuse_is_explained(data):
    X, y = data
    with pytest.raises(ValueError, match="one class only"):
        model().fit(*lazily(X[y == "b"], y[y == "b"]))
    with pytest.raises(ValueError, match="Unknown label type"):
        model().fit(*lazily(X, np.random.default_rng(0).random(len(X))))
    bad = X.copy()
    bad[13, 3] = np.nan
    with pytest.raises(ValueError, match=r"NaN: feature 3 in row 2 of partition 1"):
        model().fit(*lazily(bad, y))


def test_an_error_names_the_class(data, monkeypatch):
    from crosslabel.core.code_blocks import UndeterminedCodesError

    def failing(statistics, *_):
        raise UndeterminedCodesError(0, 2, 0.0)

    monkeypatch.setattr("crosslabel.flagship.problem.closed_form", failing)
    with pytest.raises(np.linalg.LinAlgError, match=r"codes of class '[a-g]'"):
        model(memory_limit=SMALL).fit(*lazily(*data))


def test_workers_of_a_cluster_learn_and_the_caller_does_not(data, monkeypatch):
    X, y = data
    here = model().fit(X, y)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        assert os.getpid() not in client.run(os.getpid).values()
        # Learning here would fail; a worker has modules of its own.
        monkeypatch.setattr("crosslabel.flagship.by_class.learn", None)
        there = model(memory_limit=SMALL).fit(*lazily(X, y))
    assert_same(there, here, X)
