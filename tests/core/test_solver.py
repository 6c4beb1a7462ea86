import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from crosslabel.core import objective as terms
from crosslabel.core import reference, solver
from crosslabel.core.atoms import AtomLayout
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


@pytest.mark.parametrize(("approach", "sweeps"), [(3, 3), (2000, None)])
def test_an_approach_is_the_limit_with_momentum_until_it_is_near(approach, sweeps):
    X, _, layout, D = data = problem(shared=2)
    weights, statistics = Penalties(0.05, 4.0, 0.1), statistics_of(data)
    limit = solver.learn(
        statistics, D, layout, weights,
        method="class", momentum=True, max_iter=approach, tol=1e-6,
    )  # fmt: skip
    assert len(limit.trace) == sweeps or 3 < len(limit.trace) < approach
    expected = solver.learn(statistics, limit.dictionary, layout, weights, max_iter=2)
    found = solver.learn(statistics, D, layout, weights, approach=approach, max_iter=2)
    assert_allclose(found.dictionary, expected.dictionary, atol=1e-12)
    assert_allclose(found.trace, expected.trace, rtol=1e-12)


def test_solving_in_the_span_of_the_data_changes_nothing():
    X, labels, layout, D = problem(n_features=60)
    start = unit_rows(np.random.default_rng(5).normal(size=(len(D), len(X))) @ X)
    statistics = Moments.from_samples(X, labels, 3)
    weights = Penalties(0.05, 20.0, 0.1)
    inside = solver.learn(statistics, start, layout, weights, max_iter=3)
    targets = statistics.targets()
    D = start
    plain = solver.Iterated(
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


@given(problems(), penalties())
@settings(max_examples=60)
def test_a_class_sweep_is_ridge_codes_on_own_and_shared_atoms_then_the_papers_atom_step(
    data, weights
):
    statistics, (_, _, layout, D) = statistics_of(data), data
    targets = statistics.targets()
    of_class = terms.blocks(targets.starts, statistics.counts, weights)
    codes = np.zeros((len(targets.rows), len(D)))
    for label, rows, shift in of_class:
        free = layout.free(label)
        system = D[free] @ D[free].T + shift * np.eye(len(free))
        codes[rows, free] = np.linalg.solve(system, D[free] @ targets.rows[rows].T).T
    expected = reference.atom_step(targets.rows.T, D.T, codes.T, layout).T
    value = terms.objective(targets, statistics.counts, codes, expected, layout, weights)
    plain = solver.Iterated(targets.rows, of_class, layout, weights)
    found = solver.class_sweep(plain, D)
    used = np.linalg.norm(codes, axis=0) > 1e-6
    assert_allclose(found.dictionary[used], expected[used], atol=1e-5)
    assert_allclose(found.objective, value, rtol=1e-7, atol=1e-9 * len(targets.rows))


@pytest.mark.parametrize("method", ["exact", "class"])
@pytest.mark.parametrize("shared", [0, 2])
def test_an_atom_orthogonal_to_all_samples_is_unused_and_kept(method, shared):
    X, labels, layout, D = problem(shared=shared, n_features=14)
    X[:, -2:] = 0
    D[:, -2:] = 0
    X, D = unit_rows(X), unit_rows(D)
    lost = [0, 5] if shared else [5]
    for place, j in enumerate(lost):
        D[j] = np.eye(14)[12 + place]
    solution = solver.learn(
        Moments.from_samples(X, labels, 3), D, layout, Penalties(0.1, 2, 0.1), method=method
    )
    assert np.flatnonzero(solution.unused).tolist() == lost
    assert_allclose(solution.dictionary[lost], D[lost], atol=1e-12)


class Scripted:
    """A sweep whose objective is written down for each problem, known by its number of rows."""

    def __init__(self, values):
        self.values = {n: iter(found) for n, found in values.items()}

    def __call__(self, problem, D):
        value = next(self.values[len(problem.rows)])
        return solver.Sweep(D, value, np.zeros(len(D), bool))


@pytest.mark.parametrize(
    ("values", "tol", "n_iter"),
    [
        ([8.0, 4.0, 3.0, 2.9, 2.8, 2.7], 0.1, 4),
        ([2.0, 1.0, 0.5, 0.25, 0.125, 0.0625], 1.0, 6),  # falls by just the part: goes on
        ([1.0, 1.0, 0.5, 0.2, 0.1, 0.05], 0.01, 2),
        ([-1.0, -1.05, -2.0, -4.0, -8.0, -16.0], 0.1, 2),  # a part of the size, whatever the sign
        ([5.0, 4.0, 3.0, 2.0, 3.0, 1.0], 0.0, 5),  # a rise ends it
    ],
)
def test_the_rule_stops_where_the_objective_falls_by_less_than_a_part(
    monkeypatch, values, tol, n_iter
):
    _, _, layout, D = data = problem()
    monkeypatch.setitem(solver.SWEEPS, "exact", Scripted({18: values}))
    solution = solver.learn(
        statistics_of(data), D, layout, Penalties(0.1, 1, 0), max_iter=6, tol=tol
    )
    assert solution.trace == values[:n_iter]


def test_classes_that_share_nothing_stop_each_by_itself(monkeypatch):
    _, _, layout, D = data = problem(sizes=(4, 6), per_class=(2, 3), shared=0)
    values = {4: [5.0, 4.0, 3.9, 3.8], 6: [50.0, 30.0, 20.0, 19.5]}
    monkeypatch.setitem(solver.SWEEPS, "class", Scripted(values))
    solution = solver.learn(
        statistics_of(data), D, layout, Penalties(0.1, 1, 0), method="class", max_iter=9, tol=0.1
    )
    assert solution.apart == ([5.0, 4.0, 3.9], [50.0, 30.0, 20.0, 19.5])
    assert solution.trace == [55.0, 34.0, 23.9, 23.4]
    assert solver.total_trace(solution.apart) == solution.trace


@pytest.mark.parametrize("n_features", [7, 60])
def test_classes_that_share_nothing_are_problems_of_their_own(n_features):
    X, labels, layout, D = data = problem(
        sizes=(4, 5, 9), per_class=(2, 3, 4), shared=0, n_features=n_features
    )
    weights = Penalties(0.05, 1.0, 0.2)
    whole = solver.learn(statistics_of(data), D, layout, weights, method="class", max_iter=4)
    assert len(whole.apart) == 3
    for c in range(3):
        own = Moments.from_samples(X[labels == c], np.zeros(np.sum(labels == c), int), 1)
        layout_c = AtomLayout(0, (layout.per_class[c],))
        alone = solver.learn(own, D[layout.own(c)], layout_c, weights, max_iter=4)
        assert_allclose(whole.dictionary[layout.own(c)], alone.dictionary, atol=1e-8)
        assert_allclose(whole.apart[c], alone.trace, rtol=1e-9)
    assert_allclose(whole.trace, np.sum(whole.apart, axis=0))


def test_only_the_class_method_without_shared_atoms_parts_the_classes():
    alone, together = AtomLayout(0, (2, 2)), AtomLayout(1, (2, 2))
    assert solver.are_separate("class", alone)
    assert not solver.are_separate("class", together)
    assert not solver.are_separate("exact", alone)
    data = problem()
    assert solver.learn(statistics_of(data), data[3], data[2], Penalties(0.1, 1, 0)).apart == ()


def spans(basis, rows):
    assert_allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-12)
    assert_allclose(rows @ basis.T @ basis, rows, atol=1e-10)


def test_the_span_is_that_of_the_data_or_of_data_and_start():
    X, labels, _, D = problem(n_features=40)  # 18 rows of statistics, 11 atoms
    statistics = Moments.from_samples(X, labels, 3)
    inside = unit_rows(np.random.default_rng(0).normal(size=(11, 18)) @ X)
    basis = solver._span(statistics, inside)
    assert basis.shape == (18, 40)
    spans(basis, np.concatenate([X, inside]))
    basis = solver._span(statistics, D)
    assert basis.shape == (29, 40)
    spans(basis, np.concatenate([X, D]))


@pytest.mark.parametrize("n_features", [17, 18, 28, 29])
def test_there_is_no_span_to_gain_from_as_many_rows_as_features(n_features):
    X, labels, _, D = problem(n_features=n_features)
    statistics = Moments.from_samples(X, labels, 3)
    assert solver._span(statistics, D) is None
    inside = unit_rows(np.random.default_rng(0).normal(size=(11, 18)) @ X)
    assert (solver._span(statistics, inside) is None) == (n_features <= 18)


def test_a_start_outside_the_span_by_negative_values_alone_is_seen():
    X, labels, _, _ = problem(n_features=40)
    X[:, -1] = 0
    D = np.concatenate([X[:4], -np.eye(40)[-1:]])
    basis = solver._span(Moments.from_samples(X, labels, 3), D)
    assert basis.shape == (18 + 5, 40)
    spans(basis, D)


def test_the_floor_of_shared_atoms_is_that_of_the_noisiest_class(monkeypatch):
    """Shared atoms are updated from all classes' sums, each class's own atoms from its own."""
    X, labels, layout, D = problem(sizes=(3, 9, 5))
    X[labels == 1] *= 50
    statistics = Moments.from_samples(X, labels, 3)
    targets = statistics.targets()
    of_class = terms.blocks(targets.starts, statistics.counts, Penalties(0.1, 0.0, 0.2))
    noise = np.zeros(3)
    for c in range(3):
        free = layout.free(c)
        B = np.zeros((len(free), X.shape[1]))
        for label, rows, shift in of_class:
            if label == c:
                system = D[free] @ D[free].T + shift * np.eye(len(free))
                codes = np.linalg.solve(system, D[free] @ targets.rows[rows].T)
                B += codes @ targets.rows[rows]
        noise[c] = 4 * np.finfo(float).eps * np.linalg.norm(B, axis=1).max()
    floors = []

    def spy(atoms, A, V, floor):
        floors.append(floor)
        return 0.0, np.zeros(len(atoms), bool)

    monkeypatch.setattr(solver, "sweep", spy)
    solver.class_sweep(solver.Iterated(targets.rows, of_class, layout, Penalties(0.1, 0.0, 0.2)), D)
    assert_allclose(floors, [noise.max(), *noise], rtol=1e-8)


@pytest.mark.parametrize(("scale", "dtype"), [(1e9, "f4"), (1e12, "f4"), (1e80, "f8")])
@pytest.mark.parametrize("method", ["exact", "class"])
@pytest.mark.parametrize("shared", [0, 2])
def test_samples_of_any_size_are_learnt_from(scale, dtype, method, shared):
    X, labels, layout, D = problem(per_class=(2, 4, 3), shared=shared)

    def learnt(factor):
        given = Moments.from_samples((X * factor).astype(dtype), labels, layout.n_classes)
        start, weights = D.astype(dtype), Penalties(0.1, 10.0, 0.0)
        return solver.learn(given, start, layout, weights, method=method, max_iter=5)

    plain, large = learnt(1.0), learnt(scale)
    assert len(large.trace) == len(plain.trace)
    rounding = 1e-3 if dtype == "f4" else 1e-8
    assert_allclose(np.array(large.trace) / scale**2, plain.trace, rtol=rounding)
    assert_allclose(large.dictionary, plain.dictionary, atol=30 * rounding)
    if solver.are_separate(method, layout):
        assert_allclose(np.sum(large.apart, axis=0), large.trace)
