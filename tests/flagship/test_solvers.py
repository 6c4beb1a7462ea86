from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import reference
from crosslabel.core import solver as core
from crosslabel.core.code_blocks import UndeterminedCodesError
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship import solvers as module
from crosslabel.flagship.problem import Problem, Settings
from crosslabel.flagship.train import learn
from tests.flagship.problems import problem_of, summary_of


@pytest.mark.parametrize(("suppression", "method"), [(20.0, "exact"), (np.inf, "class")])
def test_iterations_are_those_of_the_core_in_canonical_order(suppression, method):
    problem = problem_of(
        (4, 7, 5),
        atoms_per_class=(2, 3, 4),
        init="kmeans",
        suppression=suppression,
        max_iter=4,
        tol=0.0,
    )
    first = unit_rows(np.random.default_rng(0).normal(size=(9, 12)))
    found = learn(problem, first=first)
    order = problem.canonical
    layout, atoms = problem.layout.reordered(order)
    expected = core.learn(
        problem.moments.reordered(order), first[atoms], layout, problem.settings.penalties,
        method=method, max_iter=4,
    )  # fmt: skip
    assert_allclose(found.dictionary[atoms], expected.dictionary, atol=1e-10)
    assert_allclose(found.trace, expected.trace)
    assert len(found.trace) == 4
    if method == "class":
        for place, c in enumerate(order):
            assert_allclose(found.apart[c], expected.apart[place])
    else:
        assert found.apart == ()


ACCELERATED = {"solver": "accelerated", "suppression": 20.0, "shared_atoms": 2}


def approach_of(monkeypatch, sizes=(4, 7, 5), first=None, **settings):
    """How many sweeps of the limit a problem begins with, and its solution."""
    asked = []

    def iterate(*args, **more):
        asked.append(more["approach"])
        return core.learn(*args, **more)

    monkeypatch.setattr(module, "iterate", iterate)
    named = {"atoms_per_class": 2, **ACCELERATED, **settings}
    return asked, learn(problem_of(sizes, **named), first=first)


def test_the_accelerated_solver_approaches_by_sweeps_of_the_limit(monkeypatch):
    asked, found = approach_of(monkeypatch, max_iter=1)
    assert asked == [6]
    assert approach_of(monkeypatch, suppression=0.5, max_iter=1)[0] == [6]
    monkeypatch.setattr(module, "LONGEST", 4)
    assert approach_of(monkeypatch)[0] == [4]
    plainly = approach_of(monkeypatch, solver="exact", max_iter=1)[1]
    assert found.trace[0] < plainly.trace[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"solver": "exact"},
        {"init": "kmeans"},
        {"shared_atoms": 0},
        {"suppression": 0.0},
        {"suppression": np.inf, "init": "kmeans"},
        {"ridge": 0.0, "grouping": 0.1},
    ],
    ids=str,
)
def test_other_solvers_starts_and_problems_are_iterated_at_once(monkeypatch, settings):
    assert approach_of(monkeypatch, **settings)[0] == [0]


def test_a_dictionary_that_is_given_is_where_iterations_start(monkeypatch):
    first = unit_rows(np.random.default_rng(0).normal(size=(8, 12)))
    assert approach_of(monkeypatch, first=first)[0] == [0]


def test_a_device_is_asked_for_the_limit_where_atoms_are_shared(monkeypatch):
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    asked, named = [], {"suppression": np.inf, "init": "kmeans", "atoms_per_class": 2}
    real = module.device_solver
    monkeypatch.setattr(module, "device_solver", lambda name: asked.append(name) or real(name))
    for shared in (0, 1, 2):
        there = problem_of((4, 7, 5), shared_atoms=shared, device="cpu", **named)
        here = problem_of((4, 7, 5), shared_atoms=shared, **named)
        assert_allclose(learn(there).dictionary, learn(here).dictionary, atol=1e-7)
    assert asked == ["cpu", "cpu"]


def test_an_undetermined_class_is_reported_by_its_name():
    X = np.repeat(np.random.default_rng(0).normal(size=(3, 12)), 4, axis=0)
    X[4:] += np.random.default_rng(1).normal(size=(8, 12))
    summary = summary_of(X, np.repeat(["fig", "pear", "plum"], 4))
    D = unit_rows(np.random.default_rng(0).normal(size=(6, 12)))
    D[2] = D[3]
    settings = Settings(atoms_per_class=2, ridge=0.0, suppression=5.0, init=D)
    with pytest.raises(UndeterminedCodesError, match="class 'pear'"):
        learn(Problem(summary, settings, summary.classes))


def paper(weights=None, tol=0.0, **more):
    X, y = np.random.default_rng(0).normal(size=(12, 6)), np.repeat([0, 1, 2], 4)
    summary = summary_of(X, y, weights)
    settings = Settings(
        atoms_per_class=2,
        suppression=5.0,
        grouping=0.1,
        solver="paper",
        init="kmeans",
        tol=tol,
        **more,
    )
    return Problem(summary, settings, summary.classes)


def test_the_papers_solver_is_algorithm_1_with_weights_as_repetition():
    weights = np.arange(12) % 3 + 1.0
    problem = paper(weights, max_iter=3)
    first = unit_rows(np.random.default_rng(1).normal(size=(6, 6)))
    told = []
    found = learn(problem, lambda *news: told.append(news), first=first)
    sample = problem.summary.sample
    times = sample.weights.astype(int)
    assert times.sum() == weights.sum()
    Y, labels = np.repeat(sample.X, times, axis=0).T, np.repeat(sample.labels, times)
    penalties, values = problem.settings.penalties, []
    for n in (1, 2, 3):
        D, codes = reference.learn(Y, labels, first.T, problem.layout, penalties, n)
        values.append(reference.objective(Y, labels, D, codes, problem.layout, penalties))
    assert_allclose(found.dictionary, D.T)
    assert_allclose(found.trace, values)
    assert told == list(enumerate(found.trace))
    assert not found.unused.any()


def test_algorithm_1_stops_where_its_objective_changes_by_less_than_a_part():
    first = unit_rows(np.random.default_rng(1).normal(size=(6, 6)))
    trace = learn(paper(max_iter=12), first=first).trace
    for tol in (0.3, 0.03, 0.003):
        changes = [abs(a - b) / b for a, b in pairwise(trace)]
        n_iter = next((k + 2 for k, change in enumerate(changes) if change < tol), 12)
        assert len(learn(paper(max_iter=12, tol=tol), first=first).trace) == n_iter
    stopped = learn(paper(max_iter=12), lambda iteration, _: iteration == 3, first=first)
    assert len(stopped.trace) == 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"device": "cpu"}, "runs on the CPU only"),
        ({"suppression": np.inf}, "needs a finite suppression"),
    ],
)
def test_algorithm_1_says_what_it_needs(change, sentence):
    problem = paper()
    settings = Settings(**{**problem.settings.__dict__, **change})
    with pytest.raises(ValueError, match=sentence):
        learn(Problem(problem.summary, settings, problem.classes), first=np.eye(6))


def test_algorithm_1_needs_whole_weights_and_all_samples():
    with pytest.raises(ValueError, match=r"sample of weight 1\.5"):
        learn(paper(np.where(np.arange(12) == 5, 1.5, 1.0)), first=np.eye(6))
    problem = paper()
    few = Problem(problem.summary.bounded(2), problem.settings, problem.classes)
    with pytest.raises(ValueError, match="keeps only 2 of each class"):
        learn(few, first=np.eye(6))


def test_atoms_that_the_papers_codes_do_not_use_are_told():
    problem = paper(max_iter=1)
    X = problem.summary.sample.X.copy()
    flat = np.where(np.arange(6) == 5, 0.0, X)
    summary = summary_of(flat, problem.summary.sample.labels)
    first = unit_rows(
        np.where(np.arange(6) == 5, 0.0, np.random.default_rng(1).normal(size=(6, 6)))
    )
    first[3] = np.eye(6)[5]
    found = learn(Problem(summary, problem.settings, summary.classes), first=first)
    assert_array_equal(found.unused, np.arange(6) == 3)


@pytest.mark.parametrize(
    ("values", "tol", "n_iter"),
    [
        ([5.0, 6.0, 5.9, 5.8], 0.1, 3),  # a rise is a change like any other
        ([4.0, 2.0, 1.0, 0.5], 1.0, 4),  # by just the part: goes on
    ],
)
def test_a_change_counts_in_either_direction(monkeypatch, values, tol, n_iter):
    script = iter(values)
    monkeypatch.setattr(reference, "objective", lambda *_: next(script))
    found = learn(paper(max_iter=4, tol=tol), first=np.eye(6))
    assert found.trace == values[:n_iter]


@pytest.mark.parametrize(("suppression", "is_finite"), [(5.0, True), (np.inf, False)])
def test_only_a_finite_suppression_takes_the_room_and_the_device(
    monkeypatch, suppression, is_finite
):
    asked, used = [], []

    def on_device(device):
        used.append(device)
        return core.learn

    monkeypatch.setattr(module, "check_room", lambda *what: asked.append(what[:2]))
    monkeypatch.setattr(module, "device_solver", on_device)
    first = unit_rows(np.random.default_rng(0).normal(size=(9, 12)))
    for device in ("cpu", None):
        learn(problem_of(init="kmeans", suppression=suppression, device=device), first=first)
    assert asked == [(3, 9)] * 2 * is_finite
    assert used == ["cpu"] * is_finite


def test_one_class_that_is_not_complete_is_enough():
    problem = paper()
    sample = problem.summary.sample
    kept = np.flatnonzero((sample.labels != 2) | (np.arange(12) % 4 < 2))
    summary = summary_of(sample.X[kept], sample.labels[kept])
    summary = summary.bounded(2).absorb(sample.X[:0], sample.labels[:0])
    assert summary.sample.is_complete.tolist() == [False, False, True]
    with pytest.raises(ValueError, match="needs all samples"):
        learn(Problem(summary, problem.settings, summary.classes), first=np.eye(6))


def test_an_atom_that_one_class_uses_by_negative_codes_alone_is_used():
    X = np.zeros((6, 6))
    X[:3, :3], X[3:, 3:] = np.eye(3) + 1, np.eye(3) + 1
    summary = summary_of(X, np.repeat([0, 1], 3))
    first = unit_rows(np.array([[-1.0, -1, -1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]))
    settings = Settings(atoms_per_class=1, suppression=5.0, solver="paper", init=first, max_iter=1)
    assert not learn(Problem(summary, settings, summary.classes)).unused.any()
