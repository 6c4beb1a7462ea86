import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.initialise import INITIALISERS
from crosslabel.core.scaling import unit_rows
from crosslabel.core.spectral import closed_form
from crosslabel.flagship import start as module
from crosslabel.flagship.problem import Problem, Settings
from crosslabel.flagship.start import _main_directions, rows_of_seen, sample_of, start
from tests.flagship.problems import problem_of, summary_of


def test_the_closed_form_is_a_start():
    problem = problem_of(shared_atoms=1, suppression=20.0)
    expected = closed_form(problem.moments, problem.layout, problem.settings.penalties)
    assert_allclose(start(problem), expected.dictionary)


@pytest.mark.parametrize("init", INITIALISERS)
def test_a_named_start_draws_in_an_order_that_does_not_depend_on_names(init):
    X, y = np.random.default_rng(0).normal(size=(30, 8)), np.repeat([0, 1, 2], 10)
    names = np.array([7, 3, 5])
    settings = Settings(atoms_per_class=(2, 2, 2), shared_atoms=1, init=init, seed=4)
    found = []
    for summary in (summary_of(X, y), summary_of(X, names[y])):
        problem = Problem(summary, settings, summary.classes)
        D = start(problem)
        found.append({c: D[problem.layout.own(k)] for k, c in enumerate(summary.classes.tolist())})
        found[-1]["shared"] = D[:1]
    for c, name in enumerate(names.tolist()):
        assert_allclose(found[0][c], found[1][name])
    assert_allclose(found[0]["shared"], found[1]["shared"])


def test_the_start_is_that_of_the_core_on_the_kept_samples():
    problem = problem_of((4, 7, 5), init="kmeans", atoms_per_class=(2, 3, 1), shared_atoms=2)
    order = problem.canonical
    sample, layout = problem.summary.sample, problem.layout
    turned, atoms = layout.reordered(order)
    X = np.concatenate([sample.X[sample.labels == c] for c in order])
    labels = np.repeat(np.arange(3), np.bincount(sample.labels)[order])
    rng = np.random.default_rng(0)
    expected = INITIALISERS["kmeans"](X, labels, turned, 8e-3, rng, np.ones(len(X)))
    assert_allclose(start(problem)[atoms], expected)


def without_samples(problem, label):
    """The problem as if of one class nothing but its statistics were known."""
    sample = problem.summary.sample
    kept = sample.labels != label
    fewer = sample._with(
        X=sample.X[kept],
        labels=sample.labels[kept],
        weights=sample.weights[kept],
        hashes=sample.hashes[kept],
    )
    summary = problem.summary
    summary = type(summary)(summary.lift, summary.statistics, fewer, summary.keys)
    return Problem(summary, problem.settings, problem.classes)


def test_a_class_of_which_no_sample_is_kept_stands_by_its_main_directions():
    problem = without_samples(problem_of((8, 9, 10)), 1)
    found = sample_of(problem, 4)
    number = int(np.argsort(problem.canonical)[1])
    own = found.labels == number
    X = problem_of((8, 9, 10)).summary.sample
    Y = X.X[X.labels == 1]
    axes = np.linalg.svd(Y)[2][:4]
    assert_allclose(abs(np.sum(found.X[own] * axes, axis=1)), 1)
    assert_allclose(found.weights[own], 9 / 4)
    assert_array_equal(found.labels, np.sort(found.labels))
    assert_array_equal(np.bincount(found.labels)[np.argsort(problem.canonical)], [8, 4, 10])


@pytest.mark.parametrize(("wanted", "found"), [(2, 2), (3, 3), (5, 3), (0, 1)])
def test_directions_are_as_many_as_asked_for_and_as_the_rank_has(wanted, found):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 3)) @ rng.normal(size=(3, 12))
    summary = summary_of(np.concatenate([X, rng.normal(size=(4, 12))]), np.repeat([0, 1], [9, 4]))
    rows, n = _main_directions(summary, 0, wanted)
    assert (len(rows), n) == (found, 9.0)
    axes = np.linalg.svd(unit_rows(X))[2][:found]
    assert_allclose(abs(np.sum(rows * axes, axis=1)), 1)


def given(problem, init):
    settings = Settings(**{**problem.settings.__dict__, "init": init})
    return Problem(problem.summary, settings, problem.classes)


def test_a_dictionary_that_is_given_is_scaled_to_unit_norm():
    problem = problem_of(shared_atoms=1)
    D = np.random.default_rng(0).normal(size=(10, 12))
    before = D.copy()
    assert_allclose(start(given(problem, D)), D / np.linalg.norm(D, axis=1, keepdims=True))
    assert_array_equal(D, before)


def test_a_function_gets_samples_labels_layout_ridge_and_weights():
    problem = problem_of((8, 9, 10), shared_atoms=1, ridge=0.3)
    seen = []

    def init(X, labels, layout, ridge, rng, weights):
        seen.append((X, labels, layout, ridge, weights))
        return np.eye(12)[:10]

    assert_allclose(start(given(problem, init)), np.eye(12)[:10])
    [(X, labels, layout, ridge, weights)] = seen
    sample = problem.summary.sample
    for c in range(3):
        mine, theirs = X[labels == c], sample.X[sample.labels == c]
        assert_allclose(mine, theirs)
    assert (layout.per_class, layout.shared, ridge) == ((3, 3, 3), 1, 0.3)
    assert_allclose(weights, 1.0)


def test_a_dictionary_of_another_shape_or_with_a_zero_atom_is_refused():
    problem = problem_of(shared_atoms=1)
    with pytest.raises(ValueError, match=r"shape \(9, 12\), but 1 shared .* 9 atoms of 3 classes"):
        start(given(problem, np.ones((9, 12))))
    D = np.ones((10, 12))
    D[4] = 0
    with pytest.raises(ValueError, match="Atom 4 of the dictionary given as init is zero"):
        start(given(problem, D))


def test_of_a_dictionary_for_all_classes_those_that_are_seen_are_taken():
    problem = problem_of(
        classes=[-5, 0, 10, 15, 20], atoms_per_class=[2, 1, 3, 1, 2], shared_atoms=2
    )
    whole = np.arange(11)[:, None] * np.ones(12)
    taken = rows_of_seen(problem, whole)
    assert_array_equal(taken[:, 0], [0, 1, 4, 5, 6, 7, 9, 10])
    fitting = whole[:8]
    assert rows_of_seen(problem, fitting) is fitting
    complete = problem_of(atoms_per_class=[1, 3, 2])
    assert rows_of_seen(complete, whole[:6]) is not None
    assert len(rows_of_seen(complete, whole[:6])) == 6


@pytest.mark.parametrize("scale", [1e-11, 1.0, 1e11])
def test_a_direction_counts_from_a_ten_billionth_of_the_largest_on(scale):
    energies = np.array([1.0, 1e-9, 1e-12])
    X = scale * energies[:, None] * np.eye(12)[:3]
    summary = summary_of(np.concatenate([X, -X]), np.zeros(6, int), unit=False)
    rows, _ = _main_directions(summary, 0, 5)
    assert_allclose(abs(rows), np.eye(12)[:2], atol=1e-6)


def test_a_class_stands_by_as_many_directions_as_it_could_have_atoms(monkeypatch):
    asked = []

    def spy(problem, n_directions):
        asked.append(n_directions)
        return sample_of(problem, n_directions)

    monkeypatch.setattr(module, "sample_of", spy)
    start(problem_of(init="random", atoms_per_class=(2, 5, 3), shared_atoms=4))
    assert asked == [9]
