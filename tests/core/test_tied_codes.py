import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import tied_codes as module
from crosslabel.core.tied_codes import FeatureGroup, tied_codes

RIDGE, TIE, ENTROPY = 0.1, 0.7, 0.4


def problem(n_coordinates=8, n_queries=5):
    rng = np.random.default_rng(0)
    Ds = [rng.normal(size=(m, n_coordinates)) for m in (2, 3, 4)]
    return Ds, [FeatureGroup.of(D) for D in Ds], [rng.normal(size=(n_queries, len(D))) for D in Ds]


def codes_by_hand(Ds, ys, weights):
    """All codes of one query from one system: the mean ᾱ = Σω_iα_i/Σω_i is inside it."""
    n, count = Ds[0].shape[1], len(Ds)
    system, right = np.zeros((count * n, count * n)), np.zeros(count * n)
    for i, (D, y) in enumerate(zip(Ds, ys)):
        own = slice(i * n, i * n + n)
        system[own, own] += D.T @ D + (RIDGE + TIE * weights[i]) * np.eye(n)
        for j in range(count):
            share = weights[j] / sum(weights)
            system[own, j * n : j * n + n] -= TIE * weights[i] * share * np.eye(n)
        right[own] = D.T @ y
    return np.linalg.solve(system, right).reshape(count, n)


def literal(Ds, ys, codes, weights):
    """The objective of one query as it is printed."""
    mean = sum(w * x for w, x in zip(weights, codes)) / sum(weights)
    value = 0.0
    for D, y, x, w in zip(Ds, ys, codes, weights):
        value += ((y - D @ x) ** 2).sum() + RIDGE * (x**2).sum()
        value += TIE * w * ((x - mean) ** 2).sum() + ENTROPY * w * np.log(w)
    return value


def test_a_group_correlates_and_solves_as_its_dictionary_does():
    Ds, groups, ys = problem()
    rng = np.random.default_rng(1)
    for D, group, y in zip(Ds, groups, ys):
        assert_allclose(group.correlate(y), y @ D)
        V, shift = rng.normal(size=(5, 8)), rng.uniform(0.5, 2, 5)
        expected = [np.linalg.solve(D.T @ D + s * np.eye(8), v) for v, s in zip(V, shift)]
        assert_allclose(group.solve(V, shift), expected)


@pytest.mark.parametrize("n_iter", [1, 2, 4])
def test_codes_weights_and_objective_are_those_of_the_paper(n_iter):
    Ds, groups, ys = problem()
    found = tied_codes(groups, ys, RIDGE, TIE, ENTROPY, n_iter)
    assert found.objective.shape == (n_iter, 5)
    for q in range(5):
        y, weights = [part[q] for part in ys], np.full(3, np.exp(-1))
        for step in range(n_iter):
            codes, before = codes_by_hand(Ds, y, weights), weights
            mean = sum(w * x for w, x in zip(weights, codes)) / sum(weights)
            weights = np.exp(-1 - TIE * ((codes - mean) ** 2).sum(axis=1) / ENTROPY)
            # With new weights the mean is another one; the tie of the trace is to the old mean.
            new_mean = sum(w * x for w, x in zip(weights, codes)) / sum(weights)
            value = literal(Ds, y, codes, weights)
            for w, x in zip(weights, codes):
                value += TIE * w * (((x - mean) ** 2).sum() - ((x - new_mean) ** 2).sum())
            assert_allclose(found.objective[step, q], value, rtol=1e-5)
        assert_allclose([code[q] for code in found.codes], codes, atol=1e-5)
        assert_allclose([w[q] for w in found.weights], weights, rtol=1e-5)
        assert literal(Ds, y, codes, before) <= literal(Ds, y, codes + 1e-3, before)


def test_the_objective_never_rises():
    _, groups, ys = problem()
    solution = tied_codes(groups, ys, 0.05, 2.0, 0.3, 8)
    assert (np.diff(solution.objective, axis=0) <= 1e-9).all()


def test_without_a_tie_each_group_has_its_own_ridge_code():
    Ds, groups, ys = problem()
    for D, y, code in zip(Ds, ys, tied_codes(groups, ys, 0.1, 0.0, 1.0, 1).codes):
        assert_allclose(code, y @ D @ np.linalg.inv(D.T @ D + 0.1 * np.eye(8)), atol=1e-8)


def test_a_group_far_from_the_others_keeps_a_weight_above_zero():
    _, groups, ys = problem()
    solution = tied_codes(groups, [1e3 * y for y in ys], RIDGE, TIE, 1e-3, 2)
    assert min(w.min() for w in solution.weights) == module.FLOOR
    assert np.isfinite(solution.objective).all()


def gradients_by_hand(M, b, x, steps, tol):
    """Conjugate gradients of one system, written out."""
    r = b - M @ x
    p = r
    for _ in range(steps):
        if r @ r <= tol**2 * (b @ b):
            break
        step = (r @ r) / (p @ M @ p)
        x, fresh = x + step * p, r - step * M @ p
        p, r = fresh + (fresh @ fresh) / (r @ r) * p, fresh
    return x


@pytest.mark.parametrize(("steps", "tol"), [(0, 1e-6), (1, 1e-6), (3, 1e-6), (50, 0.2), (50, 0.02)])
def test_the_mean_code_takes_the_steps_of_conjugate_gradients(monkeypatch, steps, tol):
    monkeypatch.setattr(module, "CG_STEPS", steps)
    monkeypatch.setattr(module, "CG_TOL", tol)
    Ds, groups, ys = problem()
    # Queries of other sizes stop on their own: the goal is relative. One of zeros has no code.
    ys = [y * np.array([1, 1e-5, 1e5, 0, 1])[:, None] for y in ys]
    rng = np.random.default_rng(2)
    weights = [rng.uniform(0.2, 1, 5) for _ in Ds]
    shifts = [RIDGE + 5 * w for w in weights]
    found = module._mean_code(groups, [y @ D for y, D in zip(ys, Ds)], weights, shifts, 5.0)
    for q in range(5):
        M, b = np.zeros((8, 8)), np.zeros(8)
        for D, y, w in zip(Ds, ys, weights):
            P = np.linalg.inv(D.T @ D + (RIDGE + 5 * w[q]) * np.eye(8))
            M += w[q] * np.eye(8) - 5 * w[q] ** 2 * P
            b += w[q] * P @ D.T @ y[q]
        total = sum(w[q] for w in weights)
        expected = gradients_by_hand(M, b, b / total, steps, tol)
        assert_allclose(found[q], expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())
    assert_array_equal(found[3], 0)
