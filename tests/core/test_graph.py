import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import block_diag, solve_sylvester
from scipy.optimize import minimize

from crosslabel.core.graph import (
    adapted_laplacian,
    blockwise,
    heat_laplacian,
    laplacian,
    onto_simplex,
    smooth_sparse_codes,
    take_largest,
)


def heat_by_hand(X, k):
    """Weights exp(−‖x−x'‖²/σ²) where one of two points is among the other's k nearest."""
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    joined = np.zeros_like(squares, dtype=bool)
    for i, row in enumerate(squares):
        joined[i, [j for j in np.argsort(row, kind="stable") if j != i][:k]] = True
    W = np.where(joined | joined.T, np.exp(-squares / squares[joined].mean()), 0)
    L = np.diag([sum(row) for row in W]) - W
    return L * len(X) / np.trace(L)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_heat_graph_joins_nearest_points(k):
    X = 0.01 * np.random.default_rng(0).normal(size=(700, 4))
    assert_allclose(heat_laplacian(X, k), heat_by_hand(X, k), atol=1e-8)


def test_small_graphs():
    X = np.random.default_rng(0).normal(size=(4, 3))
    assert_allclose(heat_laplacian(X, 9), heat_by_hand(X, 3), atol=1e-10)
    assert_allclose(heat_laplacian(X[:2], 5), [[1, -1], [-1, 1]])
    assert_array_equal(heat_laplacian(X[:1], 5), [[0.0]])
    # Copies: all are as near as can be.
    assert_allclose(heat_laplacian(np.ones((3, 2)), 2), (3 * np.eye(3) - 1) / 2)


def test_a_laplacian_has_trace_n_and_none_for_a_graph_without_edges():
    W = np.array([[0, 2.0, 1], [2, 0, 0], [1, 0, 0]])
    assert_allclose(laplacian(W), np.array([[3, -2, -1], [-2, 2, 0], [-1, 0, 1]]) * 3 / 6)
    assert_allclose(laplacian(W / 100), laplacian(W))
    assert_array_equal(laplacian(0 * W), 0 * W)


def test_a_laplacian_is_symmetric_semidefinite_and_constant_signals_are_smooth():
    X = np.random.default_rng(0).normal(size=(15, 4))
    for L in (heat_laplacian(X, 3), adapted_laplacian(X, 0.1)):
        assert_allclose(L, L.T)
        assert_allclose(L.sum(axis=1), 0, atol=1e-10)
        assert_allclose(np.trace(L), 15)
        assert np.linalg.eigvalsh(L)[0] > -1e-10
        assert (L - np.diag(np.diag(L)) <= 1e-12).all()


def test_blocks_are_multiplied_as_one_matrix():
    rng = np.random.default_rng(0)
    blocks = [rng.normal(size=(n, n)) for n in (2, 1, 4)]
    X = rng.normal(size=(7, 3))
    assert_allclose(blockwise(blocks, X), block_diag(*blocks) @ X)


def of_edges(w, n):
    W = np.zeros((n, n))
    W[np.triu_indices(n, 1)] = w
    return np.diag((W + W.T).sum(axis=1)) - W - W.T


def graph_cost(w, P, spread):
    L = of_edges(w, len(P))
    return np.trace(P.T @ L @ P) + spread * (L**2).sum()


@pytest.mark.parametrize("n_iter", [0, 1, 2, 5])
def test_the_adapted_laplacian_takes_projected_gradient_steps(n_iter):
    P, spread, n = np.random.default_rng(1).normal(size=(5, 3)), 0.7, 5
    w = np.full(10, n / 2 / 10)
    for _ in range(n_iter):
        steps = np.eye(10)
        slope = [(graph_cost(w + e, P, spread) - graph_cost(w - e, P, spread)) / 2 for e in steps]
        w = nearest_on_simplex(w - np.array(slope) / (4 * spread * n), n / 2)
    assert_allclose(adapted_laplacian(P, spread, n_iter=n_iter), of_edges(w, n), atol=1e-9)


def test_steps_of_the_adapted_laplacian_go_on_from_its_start():
    P = np.random.default_rng(1).normal(size=(6, 3))
    three = adapted_laplacian(P, 0.7, n_iter=3)
    assert_allclose(adapted_laplacian(P, 0.7, 4, three), adapted_laplacian(P, 0.7, 7), atol=1e-12)
    heat = heat_laplacian(P, 2)
    assert_allclose(adapted_laplacian(P, 0.7, 0, heat), heat)


def nearest_on_simplex(v, total):
    """By bisection on the shift."""
    low, high = v.min() - total, v.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(v - middle, 0).sum() > total else (low, middle)
    return np.maximum(v - low, 0)


def test_the_adapted_laplacian_is_the_minimiser():
    P = np.random.default_rng(1).normal(size=(5, 3))
    found = adapted_laplacian(P, 0.7, n_iter=3000)
    best = minimize(
        graph_cost,
        np.full(10, 0.25),
        args=(P, 0.7),
        bounds=[(0, None)] * 10,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 2.5},
        tol=1e-10,
    )
    assert_allclose(graph_cost(-found[np.triu_indices(5, 1)], P, 0.7), best.fun, rtol=1e-5)


def test_the_adapted_laplacian_of_few_points_and_of_copies():
    assert_array_equal(adapted_laplacian(np.ones((1, 2)), 1.0), [[0.0]])
    assert_allclose(adapted_laplacian(np.array([[0.0], [3.0]]), 1.0), [[1, -1], [-1, 1]])
    alike = adapted_laplacian(1e8 + np.ones((4, 1)) / 3, 1.0)
    assert_allclose(alike, 4 / 3 * (np.eye(4) - 1 / 4))


def test_the_simplex_projection_is_the_nearest_point():
    rng = np.random.default_rng(0)
    for total in (1.5, 0.2):
        for v in (np.array([0.3, -1.0, 2.0, 0.9]), np.array([0.5]), rng.normal(size=30)):
            found = onto_simplex(v, total)
            assert_allclose(found, nearest_on_simplex(v, total), atol=1e-10)
    assert_allclose(onto_simplex(np.array([1.0, 1.0, 0.0]), 2.0), [1, 1, 0])


def keep_largest(X, count):
    """All entries of a row but its largest are zero; what is taken and what is left are all."""
    left = X.copy()
    taken = take_largest(left, count).toarray()
    assert_array_equal(taken + left, X)
    assert not (taken * left).any()
    return taken


def test_the_largest_entries_of_each_row_are_kept():
    X = np.random.default_rng(0).normal(size=(30, 9))
    for count in (1, 3, 8):
        for row, kept in zip(X, keep_largest(X, count)):
            small = np.argsort(np.abs(row))[: 9 - count]
            expected = row.copy()
            expected[small] = 0
            assert_array_equal(kept, expected)
    assert_array_equal(keep_largest(X, 9), X)
    wide = np.random.default_rng(1).normal(size=(2, 900))
    for row, kept in zip(wide, keep_largest(wide, 5)):
        assert set(np.flatnonzero(kept)) == set(np.argsort(-np.abs(row))[:5])
    assert_array_equal(keep_largest(X, 12), X)


def coding_problem(n_atoms=6):
    rng = np.random.default_rng(2)
    D, Y = 2 * rng.normal(size=(n_atoms, 5)), rng.normal(size=(9, 5))
    graphs = [heat_laplacian(Y[:4], 2), 3 * heat_laplacian(Y[4:], 2)]
    return D @ D.T, Y @ D.T, graphs


def coding_cost(X, G, b, L):
    return np.trace(X @ G @ X.T) - 2 * np.trace(X @ b.T) + np.trace(X.T @ L @ X)


@pytest.mark.parametrize("sparsity", [2, 6])
@pytest.mark.parametrize("n_iter", [0, 1, 2, 6])
def test_smooth_sparse_codes_are_the_best_met_by_admm(sparsity, n_iter):
    G, b, graphs = coding_problem()
    L, rho = block_diag(*graphs), np.mean(np.diag(G))
    for start in (np.zeros((9, 6)), keep_largest(b, sparsity)):
        Z, U, met = start, np.zeros((9, 6)), [start]
        for _ in range(n_iter):
            X = solve_sylvester(L, G + rho * np.eye(6), b + rho * (Z - U))
            Z = keep_largest(X + U, sparsity)
            U = U + X - Z
            met.append(Z)
        found = smooth_sparse_codes(G, b, graphs, sparsity, start=start, n_iter=n_iter)
        best = min(met, key=lambda X: coding_cost(X, G, b, L))
        assert_allclose(found, best, atol=1e-9)


def test_the_better_one_of_start_and_step_is_kept():
    G, b, graphs = coding_problem()
    L, rho, rng, kept = block_diag(*graphs), np.mean(np.diag(G)), np.random.default_rng(0), 0
    solution = smooth_sparse_codes(G, b, graphs, 4, start=keep_largest(b, 4), n_iter=300)
    for size in np.geomspace(1e-2, 1, 40):
        start = solution + size * rng.normal(size=b.shape) * (solution != 0)
        X = solve_sylvester(L, G + rho * np.eye(6), b + rho * start)
        best = min(start, keep_largest(X, 4), key=lambda X: coding_cost(X, G, b, L))
        found = smooth_sparse_codes(G, b, graphs, 4, start=start, n_iter=1)
        assert_allclose(found, best, atol=1e-9)
        kept += best is start
    assert 0 < kept < 40


def test_dense_codes_without_a_limit_solve_the_sylvester_equation():
    G, b, graphs = coding_problem(n_atoms=4)
    X = smooth_sparse_codes(G, b, graphs, 4, start=np.zeros((9, 4)), n_iter=2000)
    assert_allclose(X @ G + block_diag(*graphs) @ X, b, atol=1e-5)


def test_codes_over_atoms_of_no_norm_are_the_start():
    G, b, graphs = coding_problem()
    start = np.zeros((9, 6))
    assert_array_equal(smooth_sparse_codes(0 * G, 0 * b, graphs, 2, start=start, n_iter=3), start)
