import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from crosslabel.core import objective as terms
from crosslabel.core import reference, solver
from crosslabel.core.coding import suppressed_codes
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows
from tests.core.problems import penalties, problem, problems


def statistics_of(data):
    X, labels, layout, _ = data
    return Moments.from_samples(X, labels, layout.n_classes)


def value_at(statistics, D, layout, weights):
    """The objective at a dictionary with its exact codes, term by term."""
    targets = statistics.targets()
    of_class = terms.blocks(targets.starts, statistics.counts, weights)
    codes = suppressed_codes(targets.rows, of_class, D, layout, weights.suppression)
    return terms.objective(targets, statistics.counts, codes, D, layout, weights)


@given(problems(), penalties())
@settings(max_examples=60)
def test_the_objective_never_rises(data, weights):
    statistics, (_, _, layout, D) = statistics_of(data), data
    values = [value_at(statistics, D, layout, weights)]
    for _ in range(4):
        D = solver.learn(statistics, D, layout, weights, max_iter=1).dictionary
        values.append(value_at(statistics, D, layout, weights))
    assert (np.diff(values) <= 1e-10 * values[0]).all()


@given(problems(), penalties())
@settings(max_examples=60)
def test_the_trace_is_the_objective(data, weights):
    """After an iteration: the new atoms with the codes of the old ones."""
    statistics, (X, _, layout, D) = statistics_of(data), data
    solution = solver.learn(statistics, D, layout, weights, max_iter=1)
    targets = statistics.targets()
    of_class = terms.blocks(targets.starts, statistics.counts, weights)
    codes = suppressed_codes(targets.rows, of_class, D, layout, weights.suppression)
    value = terms.objective(targets, statistics.counts, codes, solution.dictionary, layout, weights)
    assert_allclose(solution.trace[0], value, rtol=1e-8, atol=1e-10 * len(X))


@pytest.mark.parametrize("n_features", [8, 60])  # more atoms than features, and fewer samples
def test_without_grouping_the_solver_is_algorithm_1(n_features):
    """With γ = 0 the paper's code step is exact, so that both go the same way."""
    X, labels, layout, D = data = problem(n_features=n_features)
    weights = Penalties(0.05, 20.0, 0.0)
    ours = solver.learn(statistics_of(data), D, layout, weights, max_iter=8)
    theirs, codes = reference.learn(X.T, labels, D.T, layout, weights, 8)
    assert_allclose(ours.dictionary, theirs.T, atol=1e-8)
    value = reference.objective(X.T, labels, theirs, codes, layout, weights)
    assert_allclose(ours.trace[-1], value, rtol=1e-10)


def test_with_grouping_the_fixed_point_of_algorithm_1_is_ours():
    """One exact code step equals the paper's step repeated to convergence."""
    X, labels, layout, D = data = problem(sizes=(4, 5, 6))
    weights = Penalties(0.1, 5.0, 0.5)
    codes = reference.start_codes(X.T, D.T, weights.ridge)
    for _ in range(300):
        codes = reference.code_step(X.T, labels, D.T, codes, layout, weights)
    theirs = reference.atom_step(X.T, D.T, codes, layout).T
    ours = solver.learn(statistics_of(data), D, layout, weights, max_iter=1)
    assert_allclose(ours.dictionary, theirs, atol=1e-9)


def test_the_class_solver_is_the_limit_of_large_suppression():
    X, labels, layout, D = data = problem(sizes=(4, 5, 9))
    weights = Penalties(0.05, 1e11, 0.2)
    exact = solver.learn(statistics_of(data), D, layout, weights, max_iter=5)
    limit = solver.learn(statistics_of(data), D, layout, weights, method="class", max_iter=5)
    assert_allclose(limit.dictionary, exact.dictionary, atol=1e-7)
    assert_allclose(limit.trace, exact.trace, rtol=1e-7)


def test_the_class_solver_never_raises_the_objective():
    _, _, layout, D = data = problem(sizes=(4, 5, 9), n_features=7)
    solution = solver.learn(
        statistics_of(data), D, layout, Penalties(0.01, 0, 0.2), method="class", max_iter=15
    )
    assert (np.diff(solution.trace) <= 1e-12).all()


def test_solving_in_the_span_of_the_data_changes_nothing():
    X, labels, layout, D = problem(n_features=60)
    start = unit_rows(np.random.default_rng(5).normal(size=(len(D), len(X))) @ X)
    statistics = Moments.from_samples(X, labels, 3)
    weights = Penalties(0.05, 20.0, 0.1)
    inside = solver.learn(statistics, start, layout, weights, max_iter=3)
    targets = statistics.targets()
    D = start
    plain = solver.Problem(
        targets.rows, terms.blocks(targets.starts, statistics.counts, weights), layout, weights
    )
    for _ in range(3):
        D = solver.exact_sweep(plain, D).dictionary
    assert_allclose(inside.dictionary, D, atol=1e-8)


def test_a_start_outside_the_span_is_not_projected_away():
    """With no code to speak of an atom keeps its direction up to that of its own update."""
    X, labels, layout, D = problem(n_features=80)
    D[0] = np.linalg.svd(np.concatenate([X, D[1:]]))[2][-1]  # orthogonal to all else: unused
    statistics = Moments.from_samples(X, labels, 3)
    solution = solver.learn(statistics, D, layout, Penalties(0.05, 20.0, 0.1), max_iter=3)
    assert solution.unused[0]
    assert_allclose(abs(solution.dictionary[0] @ D[0]), 1, atol=1e-10)


def test_the_scale_of_the_data_scales_the_objective_alone():
    """All terms are quadratic in samples and codes together."""
    X, labels, layout, D = problem()
    weights = Penalties(0.05, 20.0, 0.1)
    a = solver.learn(Moments.from_samples(X, labels, 3), D, layout, weights)
    b = solver.learn(Moments.from_samples(1024 * X, labels, 3), D, layout, weights)
    assert_allclose(a.dictionary, b.dictionary, atol=1e-9)
    assert_allclose(np.array(a.trace) * 1024**2, b.trace, rtol=1e-9)


def test_the_callback_sees_each_iteration_and_can_stop():
    _, _, layout, D = data = problem()
    seen = []

    def stop_at_third(iteration, value):
        seen.append((iteration, value))
        return iteration == 2

    solution = solver.learn(
        statistics_of(data), D, layout, Penalties(0.1, 1, 0), callback=stop_at_third
    )
    assert [i for i, _ in seen] == [0, 1, 2]
    assert solution.trace == [v for _, v in seen]


def test_a_large_tolerance_stops_after_two_iterations():
    _, _, layout, D = data = problem()
    solution = solver.learn(statistics_of(data), D, layout, Penalties(0.1, 1, 0), tol=10.0)
    assert len(solution.trace) == 2


def test_float32_stays_float32():
    X, labels, layout, D = problem()
    statistics = Moments.from_samples(X.astype(np.float32), labels, 3)
    solution = solver.learn(statistics, D.astype(np.float32), layout, Penalties(0.1, 1, 0.1))
    assert solution.dictionary.dtype == np.float32
