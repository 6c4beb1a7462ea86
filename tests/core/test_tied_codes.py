import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import tied_codes as module
from crosslabel.core.tied_codes import FeatureGroup, TiedSystem, tied_codes

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


def matrix_by_hand(Ds, weights, tie):
    """Σω_i(I − τω_iP_i) of one query."""
    M = np.zeros((Ds[0].shape[1],) * 2)
    for D, w in zip(Ds, weights):
        P = np.linalg.inv(D.T @ D + (RIDGE + tie * w) * np.eye(len(M)))
        M += w * (np.eye(len(M)) - tie * w * P)
    return M


@pytest.mark.parametrize("tie", [0.0, 0.7, 50.0])
def test_the_matrix_of_the_mean_code_is_a_multiple_of_one_and_a_product_of_directions(tie):
    Ds, groups, _ = problem()
    system = TiedSystem.of(groups, RIDGE, tie)
    weights = np.random.default_rng(1).uniform(0.01, 1, (5, 3))
    factor, h = system.forms(weights, system.resolvents(weights))
    V = np.concatenate([group.right for group in groups])
    for q in range(5):
        found = factor[q] * np.eye(8) + (V.T * h[q]) @ V
        assert_allclose(found, matrix_by_hand(Ds, weights[q], tie), atol=1e-12)
    equal = matrix_by_hand(Ds, np.full(3, np.exp(-1)), tie)
    assert_allclose(system.inverse() @ equal, np.eye(8), atol=1e-10)


def test_what_belongs_to_groups_is_given_to_their_directions_and_summed_over_them():
    system = TiedSystem.of(problem()[1], RIDGE, TIE)
    of_groups = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    expected = [[1] * 2 + [2] * 3 + [3] * 4, [4] * 2 + [5] * 3 + [6] * 4]
    assert_array_equal(system.spread(of_groups), expected)
    assert_array_equal(system.sums(system.spread(of_groups)), of_groups * [2, 3, 4])


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


def test_what_no_atom_reaches_is_left_in_the_objective():
    rng = np.random.default_rng(0)
    Ds, ys = rng.normal(size=(2, 12, 5)), rng.normal(size=(2, 3, 12))
    groups = [FeatureGroup.of(D) for D in Ds]
    beside = np.linalg.qr(Ds[0], mode="complete")[0][:, 5:].T  # of the atoms of the first group
    plain, more = (
        tied_codes(groups, [ys[0] + part, ys[1]], RIDGE, TIE, ENTROPY, 2) for part in (0, beside[0])
    )
    assert_allclose(more.codes, plain.codes, atol=1e-9)
    gained = (ys[0] + beside[0]) ** 2 - ys[0] ** 2
    assert_allclose(more.objective - plain.objective, [gained.sum(axis=1)] * 2, atol=1e-8)


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


def test_an_inverse_at_hand_changes_nothing():
    _, groups, ys = problem()
    inverse = TiedSystem.of(groups, RIDGE, TIE).inverse()
    plain = tied_codes(groups, ys, RIDGE, TIE, ENTROPY, 3)
    given = tied_codes(groups, ys, RIDGE, TIE, ENTROPY, 3, inverse)
    assert_array_equal(given.codes, plain.codes)
    assert_array_equal(given.weights, plain.weights)


def test_under_equal_weights_one_step_solves():
    Ds, groups, ys = problem()
    system = TiedSystem.of(groups, RIDGE, TIE)
    inside = np.concatenate([y @ group.left for y, group in zip(ys, groups)], axis=1)
    weights = np.full((5, 3), np.exp(-1))
    given = inside, weights, system.resolvents(weights), system.inverse()
    found, along = system.mean_codes(*given, (np.zeros((5, 8)), np.zeros((5, 9))))
    assert_allclose(along, found @ system.directions.T, atol=1e-12)
    for q in range(5):
        codes = codes_by_hand(Ds, [y[q] for y in ys], weights[q])
        assert_allclose(found[q], codes.mean(axis=0), atol=1e-12)


def gradients_by_hand(M, b, x, inverse, steps, tol):
    """Preconditioned conjugate gradients of one system, written out."""
    r = b - M @ x
    p = z = inverse @ r
    for _ in range(steps):
        if r @ r <= tol**2 * (b @ b):
            break
        step = (r @ z) / (p @ M @ p)
        x, fresh = x + step * p, r - step * M @ p
        p, r, z = inverse @ fresh + (fresh @ inverse @ fresh) / (r @ z) * p, fresh, inverse @ fresh
    return x


@pytest.mark.parametrize(("steps", "tol"), [(0, 1e-6), (1, 1e-6), (3, 1e-6), (50, 0.2), (50, 0.02)])
def test_the_mean_code_takes_the_steps_of_conjugate_gradients(monkeypatch, steps, tol):
    monkeypatch.setattr(module, "CG_STEPS", steps)
    monkeypatch.setattr(module, "CG_TOL", tol)
    Ds, groups, ys = problem()
    # Queries of other sizes stop on their own: the goal is relative. One of zeros has no code.
    sizes = np.array([1, 1e-5, 1e5, 0, 1])[:, None]
    ys = [y * sizes for y in ys]
    rng = np.random.default_rng(2)
    weights, start = rng.uniform(0.2, 1, (5, 3)), sizes * rng.normal(size=(5, 8))
    system = TiedSystem.of(groups, RIDGE, 5.0)
    inside = np.concatenate([y @ group.left for y, group in zip(ys, groups)], axis=1)
    A, begin = rng.normal(size=(8, 8)), (start, start @ system.directions.T)
    for inverse in (np.eye(8), A @ A.T + np.eye(8), system.inverse()):
        given = inside, weights, system.resolvents(weights), inverse
        found, along = system.mean_codes(*given, begin)
        assert_allclose(along, found @ system.directions.T, rtol=1e-7, atol=1e-8)
        for q in range(5):
            M, b = matrix_by_hand(Ds, weights[q], 5.0), np.zeros(8)
            for D, y, w in zip(Ds, ys, weights[q]):
                b += w * np.linalg.solve(D.T @ D + (RIDGE + 5 * w) * np.eye(8), D.T @ y[q])
            expected = gradients_by_hand(M, b, start[q], inverse, steps, tol)
            assert_allclose(found[q], expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())
        assert_array_equal(found[3], 0)
