import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import gap as gap_module
from crosslabel.core import objective as terms
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.coding import suppressed_codes
from crosslabel.core.gap import minimum_over_codes, optimality_gap
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows
from crosslabel.core.solver import learn
from crosslabel.core.spectral import closed_form
from tests.core.problems import penalties, problem, problems


def moments(X, labels, layout, D):
    """Q of the shared atoms and of each class."""
    parts = [D[: layout.shared], *(D[layout.own(c)] for c in range(layout.n_classes))]
    return [A.T @ A for A in parts]


def naive(X, labels, Q, weights):
    """Σ_c n ȳᵀZ⁻¹ȳ + tr(S Z⁻¹) with the inverses written out, as a function of the Qs."""
    (beta, lam, gamma), total = weights, 0.0
    for c in range(len(Q) - 1):
        Y = X[labels == c]
        n, mean = len(Y), Y.mean(axis=0)
        S = (Y - mean).T @ (Y - mean)
        rho = beta + gamma * (n / (n - 1) if n > 1 else 2)
        others = sum(Q[1 : c + 1] + Q[c + 2 :], start=np.zeros_like(Q[0]))
        for moment, shift in ((n * np.outer(mean, mean), beta), (S, rho)):
            Z = np.eye(len(mean)) + (Q[0] + Q[c + 1]) / shift + others / (shift + lam)
            total += np.trace(moment @ np.linalg.inv(Z))
    return total


def naive_gap(X, labels, Q, sizes, weights, step=1e-6):
    """The bound, with the derivatives of the naive function by differences."""
    M, bound = X.shape[1], 0.0
    for p, k in enumerate(sizes):
        slope = np.zeros((M, M))
        for i in range(M):
            for j in range(i + 1):
                direction = np.zeros((M, M))
                direction[i, j] += 0.5
                direction[j, i] += 0.5
                ahead, back = ([*Q], [*Q])
                ahead[p], back[p] = Q[p] + step * direction, Q[p] - step * direction
                change = naive(X, labels, ahead, weights) - naive(X, labels, back, weights)
                slope[i, j] = slope[j, i] = -change / (2 * step)
        if k:
            bound += k * np.linalg.eigvalsh(slope)[-1] - np.sum(slope * Q[p])
    return bound


either = penalties().flatmap(
    lambda weights: st.sampled_from([weights, weights._replace(suppression=np.inf)])
)


@given(problems(), either)
def test_the_minimum_over_codes_is_the_formula_with_inverses(data, weights):
    X, labels, layout, D = data
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    value = minimum_over_codes(statistics, D, layout, weights)
    assert_allclose(value, naive(X, labels, moments(X, labels, layout, D), weights), rtol=1e-6)


@given(problems(), penalties())
def test_the_minimum_over_codes_is_the_objective_at_the_exact_codes(data, weights):
    X, labels, layout, D = data
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    targets = statistics.targets()
    of_class = terms.blocks(targets.starts, statistics.counts, weights)
    codes = suppressed_codes(targets.rows, of_class, D, layout, weights.suppression)
    value = terms.objective(targets, statistics.counts, codes, D, layout, weights)
    assert_allclose(minimum_over_codes(statistics, D, layout, weights), value, rtol=1e-6)


@pytest.mark.parametrize("lam", [0.0, 0.7, np.inf])
@pytest.mark.parametrize("shared", [0, 2])
@pytest.mark.parametrize("n_features", [4, 25])  # more rows than features, and fewer
def test_the_bound_is_the_formula_with_numerical_derivatives(lam, shared, n_features):
    X, labels, layout, D = problem(
        sizes=(3, 4, 6), per_class=(1, 2, 3), shared=shared, n_features=4
    )
    weights, statistics = Penalties(4.0, lam, 2.0), Moments.from_samples(X, labels, 3)
    method = "class" if lam == np.inf else "exact"
    D = learn(statistics, D, layout, weights, method=method, max_iter=3).dictionary
    sizes = (layout.shared, *layout.per_class)
    expected = naive_gap(X, labels, moments(X, labels, layout, D), sizes, weights)
    # Features that are zero add nothing.
    X, D = (np.pad(rows, ((0, 0), (0, n_features - 4))) for rows in (X, D))
    statistics = Moments.from_samples(X, labels, 3)
    gap = optimality_gap(statistics, D, layout, weights)
    assert_allclose(gap, expected, rtol=1e-4)
    assert 0 < expected < minimum_over_codes(statistics, D, layout, weights)


@given(problems(), either, st.integers(0, 10**6))
@settings(max_examples=60)
def test_no_dictionary_is_below_the_bound(data, weights, seed):
    X, labels, layout, D = data
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    value = minimum_over_codes(statistics, D, layout, weights)
    bound = value - optimality_gap(statistics, D, layout, weights)
    method = "class" if np.isinf(weights.suppression) else "exact"
    others = [unit_rows(np.random.default_rng(seed).normal(size=D.shape))]
    others += [learn(statistics, D, layout, weights, method=method, max_iter=5).dictionary]
    for other in others:
        assert minimum_over_codes(statistics, other, layout, weights) >= bound - 1e-9 * value


@given(problems(), st.floats(-3, 1).map(lambda e: 10.0**e))
@settings(max_examples=40)
def test_the_closed_form_leaves_nothing_where_atoms_suffice(data, ridge):
    X, labels, _, _ = data
    sizes = tuple(int(min(n, X.shape[1])) for n in np.bincount(labels))
    layout, weights = AtomLayout(0, sizes), Penalties(ridge, np.inf, 0.0)
    statistics = Moments.from_samples(X, labels, len(sizes))
    solution = closed_form(statistics, layout, weights)
    gap = optimality_gap(statistics, solution.dictionary, layout, weights)
    assert abs(gap) <= 1e-8 * solution.trace[0]


def test_suppression_without_end_is_the_limit():
    X, labels, layout, D = problem()
    statistics = Moments.from_samples(X, labels, 3)
    large, limit = Penalties(0.3, 1e9, 0.2), Penalties(0.3, np.inf, 0.2)
    for function in (minimum_over_codes, optimality_gap):
        assert_allclose(
            function(statistics, D, layout, large),
            function(statistics, D, layout, limit),
            rtol=1e-6,
        )


def test_without_ridge_the_bound_is_at_most_the_objective():
    X, labels, layout, D = problem(shared=0)
    statistics, weights = Moments.from_samples(X, labels, 3), Penalties(0.0, np.inf, 0.0)
    value = minimum_over_codes(statistics, D, layout, weights)
    assert 0 <= optimality_gap(statistics, D, layout, weights) <= value


@pytest.mark.parametrize("lam", [5.0, np.inf])
def test_large_problems_find_the_largest_eigenvalue_alone(lam, monkeypatch):
    X, labels, layout, D = problem(sizes=(30, 30, 30), shared=2, n_features=20)
    statistics = Moments.from_samples(X, labels, 3)
    weights = Penalties(0.5, lam, 0.1)
    dense = optimality_gap(statistics, D, layout, weights)
    monkeypatch.setattr(gap_module, "_LARGE", 3)
    assert_allclose(optimality_gap(statistics, D, layout, weights), dense, rtol=1e-7)


def test_float32_is_bounded_in_float64():
    X, labels, layout, D = problem()
    single = Moments.from_samples(X.astype(np.float32), labels, 3)
    double = Moments.from_samples(X, labels, 3)
    weights = Penalties(0.3, 2.0, 0.2)
    a = optimality_gap(single, D.astype(np.float32), layout, weights)
    assert_allclose(a, optimality_gap(double, D, layout, weights), rtol=1e-4)


@pytest.mark.parametrize("size", [5, 12])
def test_the_largest_eigenvalue_by_either_way(size, monkeypatch):
    monkeypatch.setattr(gap_module, "_LARGE", 8)
    rows = np.random.default_rng(0).normal(size=(size, 20))
    gram = rows @ rows.T
    largest = gap_module._largest_eigenvalue
    assert_allclose(largest(gram), np.linalg.eigvalsh(gram)[-1], rtol=1e-9)
    assert largest(np.zeros_like(gram)) == 0
