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
