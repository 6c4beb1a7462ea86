import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import reference
from crosslabel.core.objective import Penalties
from tests.core.problems import penalties, problem, problems
from tests.core.test_objective import sample_codes


@pytest.mark.parametrize("n", [2, 3, 8])
def test_laplacian_is_the_scaled_centring_matrix(n):
    centring = np.eye(n) - np.ones((n, n)) / n
    assert_allclose(reference.laplacian(n), n / (n - 1) * centring)


def test_a_single_sample_has_no_laplacian():
    assert_array_equal(reference.laplacian(1), [[0.0]])


def test_the_start_has_no_slope():
    """DᵀDX + βX = DᵀY."""
    X, _, _, D = problem()
    codes = reference.start_codes(X.T, D.T, 0.3)
    assert_allclose(D @ D.T @ codes + 0.3 * codes, D @ X.T, atol=1e-12)


def test_the_codes_fixed_point_is_the_exact_minimiser():
    X, labels, layout, D = problem(sizes=(1, 4, 7))
    weights = Penalties(0.1, 5.0, 0.3)
    codes = reference.start_codes(X.T, D.T, weights.ridge)
    for _ in range(200):
        codes = reference.code_step(X.T, labels, D.T, codes, layout, weights)
    assert_allclose(codes.T, sample_codes(X, labels, D, layout, weights), atol=1e-10)


def test_one_code_step_sample_by_sample():
    """(G + λP + (β+γ)I)x = Dᵀy + γ/(n−1) Σ other codes of the class; γ = 0 for a single sample."""
    X, labels, layout, D = problem(sizes=(1, 2, 5))
    beta, lam, gamma = weights = Penalties(0.1, 5.0, 0.3)
    old = np.random.default_rng(1).normal(size=(len(D), len(X)))
    new = reference.code_step(X.T, labels, D.T, old, layout, weights)
    for i, c in enumerate(labels):
        friends = [k for k in np.flatnonzero(labels == c) if k != i]
        g = gamma if friends else 0.0
        other = [float(owner not in (-1, c)) for owner in layout.labels]
        system = D @ D.T + lam * np.diag(other) + (beta + g) * np.eye(len(D))
        pull = sum((old[:, k] for k in friends), np.zeros(len(D))) / max(len(friends), 1)
        assert_allclose(system @ new[:, i], D @ X[i] + g * pull, atol=1e-10)


def test_an_atom_step_does_not_raise_the_residual():
    X, labels, layout, D = problem()
    codes = reference.start_codes(X.T, D.T, 0.1)
    after = reference.atom_step(X.T, D.T, codes, layout)
    assert np.sum((X.T - after @ codes) ** 2) <= np.sum((X.T - D.T @ codes) ** 2)
    assert_allclose(np.linalg.norm(after, axis=0), 1)


@given(problems())
def test_each_atom_in_turn_fits_what_all_others_leave(data):
    X, _, layout, D = data
    codes = np.random.default_rng(1).normal(size=(len(D), len(X)))
    expected = D.copy()
    for j in range(len(D)):
        residual = X - sum(np.outer(codes[k], expected[k]) for k in range(len(D)) if k != j)
        expected[j] = codes[j] @ residual / np.linalg.norm(codes[j] @ residual)
    assert_allclose(reference.atom_step(X.T, D.T, codes, layout).T, expected, atol=1e-6)


def test_an_atom_without_codes_keeps_its_value_and_a_faint_one_does_not():
    X, _, layout, D = problem()
    codes = np.random.default_rng(1).normal(size=(len(D), len(X)))
    codes[4] = 0
    codes[6] *= 1e-3
    after = reference.atom_step(X.T, D.T, codes, layout).T
    assert_array_equal(after[4], D[4])
    assert_allclose(np.linalg.norm(after, axis=1), 1)
    assert abs(after[6] - D[6]).max() > 0.1


@given(problems(), penalties())
def test_the_objective_term_by_term(data, weights):
    """Pairs of samples for the group term: tr(XL̃Xᵀ) = Σ_{i<j} ‖x_i − x_j‖² / (n − 1)."""
    X, labels, layout, D = data
    codes = np.random.default_rng(1).normal(size=(len(D), len(X)))
    value = 0.0
    for y, c, x in zip(X, labels, codes.T):
        value += sum((y - sum(a * d for a, d in zip(x, D))) ** 2) + weights.ridge * sum(x**2)
        value += weights.suppression * sum(
            a**2 for a, owner in zip(x, layout.labels) if owner not in (-1, c)
        )
        n = np.sum(labels == c)
        for z in codes.T[labels == c]:
            value += weights.grouping * sum((x - z) ** 2) / 2 / max(n - 1, 1)
    found = reference.objective(X.T, labels, D.T, codes, layout, weights)
    assert_allclose(found, value, rtol=1e-9)


def test_learning_alternates_codes_and_atoms():
    X, labels, layout, D = problem()
    weights = Penalties(0.1, 5.0, 0.3)
    codes, atoms = reference.start_codes(X.T, D.T, 0.1), D.T
    seen = []
    for _ in range(3):
        codes = reference.code_step(X.T, labels, atoms, codes, layout, weights)
        atoms = reference.atom_step(X.T, atoms, codes, layout)
        seen.append((atoms, codes))
    for n_iter in (1, 3):
        found = reference.learn(X.T, labels, D.T, layout, weights, n_iter)
        assert_allclose(found[0], seen[n_iter - 1][0])
        assert_allclose(found[1], seen[n_iter - 1][1])


def test_a_callback_sees_every_iteration_and_stops_by_a_true_value():
    X, labels, layout, D = problem()
    weights, seen = Penalties(0.1, 5.0, 0.3), []

    def callback(iteration, atoms, codes):
        seen.append((iteration, atoms, codes))
        return iteration == 1

    found = reference.learn(X.T, labels, D.T, layout, weights, 9, callback)
    assert [iteration for iteration, _, _ in seen] == [0, 1]
    assert found[0] is seen[-1][1]
    assert found[1] is seen[-1][2]
