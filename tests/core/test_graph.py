import numpy as np
from numpy.testing import assert_allclose
from scipy.linalg import block_diag
from scipy.optimize import minimize

from crosslabel.core.graph import (
    adapted_laplacian,
    heat_laplacian,
    keep_largest,
    onto_simplex,
    smooth_sparse_codes,
)


def test_a_laplacian_is_symmetric_semidefinite_and_constant_signals_are_smooth():
    X = np.random.default_rng(0).normal(size=(15, 4))
    for L in (heat_laplacian(X, 3), adapted_laplacian(X, 0.1)):
        assert_allclose(L, L.T)
        assert_allclose(L.sum(axis=1), 0, atol=1e-10)
        assert_allclose(np.trace(L), 15)
        assert np.linalg.eigvalsh(L)[0] > -1e-10
        assert (L - np.diag(np.diag(L)) <= 1e-12).all()


def test_the_adapted_laplacian_is_the_minimiser():
    P = np.random.default_rng(1).normal(size=(5, 3))
    upper = np.triu_indices(5, 1)

    def objective(w):
        W = np.zeros((5, 5))
        W[upper] = w
        L = np.diag((W + W.T).sum(axis=1)) - W - W.T
        return np.vdot(P, L @ P) + 0.7 * (L**2).sum()

    found = adapted_laplacian(P, 0.7, n_iter=3000)
    best = minimize(
        objective,
        np.full(10, 0.25),
        bounds=[(0, None)] * 10,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 2.5},
        tol=1e-10,
    )
    assert_allclose(objective(-found[upper]), best.fun, rtol=1e-5)


def test_the_simplex_projection_is_the_nearest_point():
    v = np.array([0.3, -1.0, 2.0, 0.9])
    w = onto_simplex(v, 1.5)
    assert_allclose(w.sum(), 1.5)
    assert_allclose(np.diff((v - w)[w > 0]), 0, atol=1e-12)  # one shift for all that stay


def test_dense_codes_without_a_limit_solve_the_sylvester_equation():
    rng = np.random.default_rng(2)
    D, Y = rng.normal(size=(5, 8)), rng.normal(size=(9, 8))
    G, b = D @ D.T, Y @ D.T
    graphs = [heat_laplacian(Y[:4], 3), heat_laplacian(Y[4:], 3)]
    X = smooth_sparse_codes(G, b, graphs, 5, start=np.zeros((9, 5)), n_iter=2000)
    assert_allclose(X @ G + block_diag(*graphs) @ X, b, atol=1e-5)


def test_sparse_codes_are_sparse_and_never_worse_than_the_start():
    rng = np.random.default_rng(3)
    D, Y = rng.normal(size=(20, 8)), rng.normal(size=(9, 8))
    G, b, L = D @ D.T, Y @ D.T, heat_laplacian(Y, 3)

    def value(X):
        return np.vdot(X, X @ G - 2 * b + L @ X)

    start = keep_largest(b, 3)
    X = smooth_sparse_codes(G, b, [L], 3, start=start, n_iter=20)
    assert ((X != 0).sum(axis=1) <= 3).all()
    assert value(X) <= value(start)
