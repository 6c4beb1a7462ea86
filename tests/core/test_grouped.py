import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gap import optimality_gap
from crosslabel.core.grouped import ClassProblems, learn_grouped
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows
from crosslabel.core.shared_variation import SharedVariation
from crosslabel.core.solver import learn
from crosslabel.core.spectral import closed_form
from crosslabel.core.spectrum import alike
from tests.core.problems import problem, problems

weights = st.floats(-3, 1).map(lambda e: 10.0**e)


def naive(X, labels, D, layout, penalties):
    """The paper's terms over samples and codes, with codes on own and shared atoms alone."""
    total, (beta, _, gamma) = 0.0, penalties
    for c in range(layout.n_classes):
        A, Y = D[layout.free(c)], X[labels == c]
        n = len(Y)
        laplacian = (np.eye(n) - 1 / n) * (n / (n - 1) if n > 1 else 0)
        # Gradient zero for all codes of the class at once: X(AAᵀ) + (βI + γL)X = YAᵀ.
        system = np.kron(np.eye(n), A @ A.T) + np.kron(
            beta * np.eye(n) + gamma * laplacian, np.eye(len(A))
        )
        codes = np.linalg.solve(system, (Y @ A.T).ravel()).reshape(n, len(A))
        total += np.sum((Y - codes @ A) ** 2) + beta * np.sum(codes**2)
        total += gamma * np.trace(codes.T @ laplacian @ codes)
    return total


@given(problems(), weights, weights)
@settings(max_examples=40)
def test_the_trace_is_the_objective_at_the_exact_codes(data, beta, gamma):
    X, labels, layout, _ = data
    penalties = Penalties(beta, np.inf, gamma)
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    solution = learn_grouped(statistics, layout, penalties)
    value = naive(X, labels, solution.dictionary, layout, penalties)
    assert_allclose(solution.trace, [value], rtol=1e-6)
    assert_allclose(np.linalg.norm(solution.dictionary, axis=1), 1, rtol=1e-12)


@given(problems(), weights, weights)
@settings(max_examples=40)
def test_where_atoms_suffice_nothing_is_left(data, beta, gamma):
    X, labels, layout, _ = data
    sizes = np.bincount(labels)
    layout = AtomLayout(0, tuple(int(min(n, X.shape[1])) for n in sizes))
    penalties = Penalties(beta, np.inf, gamma)
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    solution = learn_grouped(statistics, layout, penalties)
    gap = optimality_gap(statistics, solution.dictionary, layout, penalties)
    assert gap <= 1e-6 * solution.trace[0]


@pytest.mark.parametrize(("k", "gamma"), [(1, 0.3), (2, 0.3), (2, 5.0), (4, 0.3)])
def test_no_descent_from_anywhere_ends_lower(k, gamma):
    rng = np.random.default_rng(k)
    X, labels = rng.normal(size=(5, 4)) * [2, 1, 0.7, 0.5] + [1, 0, 0, 1], np.zeros(5, int)
    layout, penalties = AtomLayout(0, (k,)), Penalties(0.1, np.inf, gamma)
    best = learn_grouped(Moments.from_samples(X, labels, 1), layout, penalties).trace[0]

    def value(flat):
        return naive(X, labels, unit_rows(flat.reshape(k, 4)), layout, penalties)

    ends = [minimize(value, rng.normal(size=4 * k), method="BFGS").fun for _ in range(5)]
    assert min(ends) >= best * (1 - 1e-6)
    assert_allclose(min(ends), best, rtol=1e-4)


@pytest.mark.parametrize("n_features", [7, 40])
@pytest.mark.parametrize("gamma", [0.02, 1.0])
def test_never_above_the_iterations(n_features, gamma):
    X, labels, layout, D = problem(sizes=(9, 4, 12), shared=0, n_features=n_features)
    statistics, penalties = Moments.from_samples(X, labels, 3), Penalties(0.05, 0, gamma)
    iterated = learn(statistics, D, layout, penalties, method="class", max_iter=50)
    solution = learn_grouped(statistics, layout, penalties)
    assert solution.trace[0] <= iterated.trace[-1] * (1 + 1e-9)
    assert len(solution.apart) == 3


def problems_of(statistics, layout, penalties):
    shared = SharedVariation.of(statistics, layout.shared) if layout.shared else None
    group = next(alike(statistics, layout.per_class))
    return ClassProblems.of(group, statistics, shared, penalties, layout.per_class[0])


@pytest.mark.parametrize("shared", [0, 2])
@pytest.mark.parametrize("k", [2, 7])  # systems over atoms, and over coordinates
def test_value_and_gradient_at_any_factor(shared, k):
    X, labels, layout, _ = problem(sizes=(5, 5), per_class=(k, k), shared=shared, n_features=11)
    statistics, penalties = Moments.from_samples(X, labels, 2), Penalties(0.1, 0, 0.4)
    stack = problems_of(statistics, layout, penalties)
    rng = np.random.default_rng(0)
    points, both = rng.normal(size=(2, min(k, 5) * stack.axes.shape[1])), np.arange(2)
    values, gradients = stack.evaluate(points, both)
    for c in both:
        numerical = approx_fprime(
            points[c], lambda x, c=c: stack.evaluate(x[None], both[[c]])[0][0]
        )
        assert_allclose(gradients[c], numerical, atol=1e-5)
        E = stack.scaled(points)[c] @ stack.axes[c]
        D0 = SharedVariation.of(statistics, shared).atoms if shared else E[:0]
        alone = AtomLayout(shared, (len(E),))
        literal = naive(
            X[labels == c], labels[labels == c] * 0, np.concatenate([D0, E]), alone, penalties
        )
        assert_allclose(values[c], literal, rtol=1e-9)


def test_beside_shared_atoms_the_class_atoms_are_optimal():
    """Many class atoms: no sweep over these alone gets lower with the same shared atoms."""
    X, labels, layout, _ = problem(per_class=(4, 4, 4), shared=2)
    statistics, penalties = Moments.from_samples(X, labels, 3), Penalties(0.1, 0, 0.4)
    solution = learn_grouped(statistics, layout, penalties)
    assert solution.apart == ()
    rng, best = np.random.default_rng(0), solution.trace[0]
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            D = solution.dictionary + size * rng.normal(size=solution.dictionary.shape)
            D[:2] = solution.dictionary[:2]
            assert naive(X, labels, unit_rows(D), layout, penalties) >= best * (1 - 1e-9)


def test_without_grouping_it_is_the_closed_form():
    X, labels, layout, _ = problem(shared=0)
    statistics = Moments.from_samples(X, labels, 3)
    limit = closed_form(statistics, layout, Penalties(0.1, 0, 0.0))
    for grouping in (0.0, 1e-9):
        near = learn_grouped(statistics, layout, Penalties(0.1, 0, grouping))
        assert_allclose(near.trace, limit.trace, rtol=1e-6)


@pytest.mark.parametrize("shared", [0, 2])
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_zeros_single_and_equal_samples_and_more_atoms_than_rank(ridge, shared):
    rng = np.random.default_rng(0)
    equal, plane = np.tile(rng.normal(size=5), (4, 1)), rng.normal(size=(6, 2))
    X = np.concatenate([np.zeros((3, 5)), equal, rng.normal(size=(1, 5)), plane @ np.eye(2, 5)])
    labels = np.repeat([0, 1, 2, 3], [3, 4, 1, 6])
    layout, penalties = AtomLayout(shared, (4, 4, 4, 4)), Penalties(ridge, np.inf, 0.3)
    solution = learn_grouped(Moments.from_samples(X, labels, 4), layout, penalties)
    D = solution.dictionary
    assert_allclose(np.linalg.norm(D, axis=1), 1, rtol=1e-12)
    tiny = penalties._replace(ridge=max(ridge, 1e-10))
    assert_allclose(solution.trace[0], naive(X, labels, D, layout, tiny), rtol=1e-6)
    assert solution.unused.tolist() == [False] * shared + [True] * 4 + [False] * 12


def test_float32_atoms_from_float64_systems():
    X, labels, layout, _ = problem(shared=0, n_features=30)
    penalties = Penalties(0.1, np.inf, 0.3)
    X = X.astype(np.float32)
    exact = learn_grouped(Moments.from_samples(X.astype(float), labels, 3), layout, penalties)
    single = learn_grouped(Moments.from_samples(X, labels, 3), layout, penalties)
    assert single.dictionary.dtype == np.float32
    assert_allclose(single.trace, exact.trace, rtol=1e-6)


def test_a_class_alone_is_learnt_as_among_others():
    X, labels, layout, _ = problem(shared=0)
    statistics, penalties = Moments.from_samples(X, labels, 3), Penalties(0.1, 0, 0.3)
    whole = learn_grouped(statistics, layout, penalties)
    for c in range(3):
        alone = learn_grouped(statistics.reordered(np.array([c])), AtomLayout(0, (3,)), penalties)
        assert_allclose(alone.trace[0], whole.apart[c][0], rtol=1e-7)
        A, B = alone.dictionary, whole.dictionary[layout.own(c)]
        assert_allclose(A.T @ A, B.T @ B, atol=1e-3)


@pytest.mark.parametrize("exponent", [-60, 60])
def test_the_objective_is_in_the_unit_of_the_samples(exponent):
    X, labels, layout, _ = problem(shared=0)
    penalties = Penalties(0.1, np.inf, 0.3)
    plain = learn_grouped(Moments.from_samples(X, labels, 3), layout, penalties)
    scaled = Moments.from_samples(np.ldexp(X, exponent), labels, 3)
    found = learn_grouped(scaled, layout, penalties)
    assert_allclose(np.ldexp(found.trace, -2 * exponent), plain.trace, rtol=1e-6)
    assert_allclose(np.ldexp(found.apart, -2 * exponent), plain.apart, rtol=1e-6)
