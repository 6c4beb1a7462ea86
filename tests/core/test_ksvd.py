import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.ksvd import (
    ksvd,
    ksvd_update,
    rank_one_approximate,
    rank_one_exact,
    replace_unused,
)
from crosslabel.core.omp import omp
from crosslabel.core.scaling import unit_rows
from tests import naive


def problem(seed=0):
    rng = np.random.default_rng(seed)
    D = unit_rows(rng.normal(size=(12, 8)))
    Y = rng.normal(size=(60, 8))
    return Y, D, omp(D @ D.T, Y @ D.T, 3)


@pytest.mark.parametrize("rank_one", ["exact", "approximate"])
def test_an_update_keeps_supports_and_unit_norms_and_lowers_the_error(rank_one):
    Y, D, X = problem()
    fresh_D, fresh_X = ksvd_update(Y, D, X, rank_one=rank_one)
    assert_array_equal(fresh_X != 0, X != 0)
    assert_allclose(np.linalg.norm(fresh_D, axis=1), 1)
    assert ((Y - fresh_X @ fresh_D) ** 2).sum() < ((Y - X @ D) ** 2).sum()


def test_the_approximate_fit_repeated_is_the_exact_one():
    E = np.random.default_rng(0).normal(size=(20, 6))
    d, x = rank_one_exact(E, E[:, 0])
    code = E[:, 0]
    for _ in range(500):
        atom, code = rank_one_approximate(E, code)
    assert_allclose(np.outer(code, atom), np.outer(x, d), atol=1e-8)
    assert_allclose(np.linalg.norm(E - np.outer(x, d)) ** 2, (np.linalg.svd(E)[1][1:] ** 2).sum())


def test_exact_updates_leave_no_better_rank_one_fit_for_the_last_atom():
    Y, D, X = problem()
    D, X = ksvd_update(Y, D, X, rank_one="exact")
    users = X[:, -1] != 0
    E = Y[users] - X[users, :-1] @ D[:-1]
    left = ((E - np.outer(X[users, -1], D[-1])) ** 2).sum()
    assert_allclose(left, (np.linalg.svd(E)[1][1:] ** 2).sum())


def test_a_dictionary_is_recovered_from_its_own_sparse_signals():
    rng = np.random.default_rng(3)
    truth = unit_rows(rng.normal(size=(10, 20)))
    codes = np.zeros((600, 10))
    for row in codes:
        row[rng.choice(10, 2, replace=False)] = rng.uniform(1, 2, 2) * rng.choice([-1, 1], 2)
    Y = codes @ truth
    D, X = ksvd(Y, unit_rows(Y[:10]), 2, n_iter=60)
    assert ((Y - X @ D) ** 2).sum() < 0.05 * (Y**2).sum()
    assert np.mean(np.abs(truth @ D.T).max(axis=1) > 0.99) >= 0.7


def test_unused_atoms_become_the_samples_represented_worst():
    Y, D, X = problem()
    X[:, 4] = 0
    worst = ((Y - X @ D) ** 2).sum(axis=1).argmax()
    fresh = replace_unused(Y, D, X)
    assert_allclose(fresh[4], Y[worst] / np.linalg.norm(Y[worst]))
    assert_array_equal(np.delete(fresh, 4, axis=0), np.delete(D, 4, axis=0))


def by_hand(Y, D, sparsity, n_iter, exact):
    """Sparse codes, unused atoms replaced, then each atom with its coefficients, in plain steps."""
    X = naive.pursuits(D, Y, sparsity)
    for _ in range(n_iter):
        D, X = D.copy(), naive.pursuits(D, Y, sparsity)
        unused = [k for k in range(len(D)) if not X[:, k].any()]
        errors = [((y - x @ D) ** 2).sum() for y, x in zip(Y, X)]
        for k, worst in zip(unused, sorted(range(len(Y)), key=lambda i: -errors[i])):
            D[k] = Y[worst] / np.linalg.norm(Y[worst])
        for k in range(len(D)):
            users = X[:, k] != 0
            if users.any():
                E = Y[users] - X[users] @ D + np.outer(X[users, k], D[k])
                if exact:
                    left, s, right = np.linalg.svd(E)
                    sign = np.sign(left[:, 0] @ X[users, k])
                    D[k], X[users, k] = sign * right[0], sign * s[0] * left[:, 0]
                else:
                    D[k] = X[users, k] @ E / np.linalg.norm(X[users, k] @ E)
                    X[users, k] = E @ D[k]
    return D, X


@pytest.mark.parametrize("rank_one", ["exact", "approximate"])
@pytest.mark.parametrize("n_iter", [0, 1, 3])
def test_rounds_are_those_of_the_paper(rank_one, n_iter):
    rng = np.random.default_rng(5)
    Y, D = rng.normal(size=(20, 4)), unit_rows(rng.normal(size=(9, 4)))
    found = ksvd(Y, D, 2, n_iter=n_iter, rank_one=rank_one)
    expected = by_hand(Y, D, 2, n_iter, rank_one == "exact")
    for ours, theirs in zip(found, expected):
        assert_allclose(ours, theirs, atol=1e-9)


def test_an_atom_of_one_sample_becomes_what_the_others_leave_of_it():
    Y, D, X = problem()
    X[1:, 7] = 0
    X[0, 7] = 1
    fresh, codes = ksvd_update(Y, D, X)
    others = np.arange(12) < 7
    left = Y[0] - codes[0, others] @ fresh[others] - X[0, 8:] @ D[8:]
    assert_allclose(fresh[7], left / np.linalg.norm(left))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_atom_keeps_its_orientation(sign):
    E = np.random.default_rng(0).normal(size=(7, 4))
    left, s, right = np.linalg.svd(E, full_matrices=False)
    code = sign * (0.1 * left[:, 0] + 5 * left[:, 1])
    d, x = rank_one_exact(E, code)
    assert x @ code > 0
    assert_allclose(np.outer(x, d), s[0] * np.outer(left[:, 0], right[0]))


def test_an_atom_of_one_sample_becomes_it_and_one_of_explained_samples_stays():
    D = np.eye(3)
    Y = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0]])
    fresh, X = ksvd_update(Y, D, np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    assert_allclose(fresh[0], [0.6, 0.8, 0])
    assert_allclose(X[:, 0], [5, 0])
    assert_array_equal(fresh[1], D[1])
    # The first atom explains the sample of the second, whose coefficient is then nothing.
    fresh, X = ksvd_update(np.array([[1.0, 0.0]]), np.eye(2), np.array([[1.0, 0.0]]))
    assert_array_equal(fresh, np.eye(2))


def test_a_coefficient_may_become_zero_and_the_others_follow():
    Y = np.array([[2.0, 0.0], [0.0, 0.0]])  # the second sample is nothing, but uses the atom
    D, X = ksvd_update(Y, np.array([[0.6, 0.8]]), np.array([[1.0], [1.0]]))
    assert_allclose(X @ D, Y, atol=1e-12)
    unchanged, X = ksvd_update(0 * Y, np.array([[0.6, 0.8]]), np.array([[1.0], [1.0]]))
    assert_array_equal(unchanged, [[0.6, 0.8]])
    assert_array_equal(X, [[1.0], [1.0]])


def test_unused_atoms_become_samples_that_have_a_direction():
    Y = np.array([[0.0, 0.0], [0.3, 0.4], [0.0, 2.0]])
    fresh = replace_unused(Y, np.eye(2)[[0, 0, 0, 0]], np.zeros((3, 4)))
    assert_allclose(fresh, [[0, 1], [0.6, 0.8], [1, 0], [1, 0]])
    many = np.concatenate([np.full((7, 2), 0.1), [[0.0, 5.0]]])
    fresh = replace_unused(many, np.eye(2), np.array([[1.0, 0.0]] * 8))
    assert_allclose(fresh[1], [0, 1])
