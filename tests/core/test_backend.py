import numpy as np
import pytest
from numpy.testing import assert_allclose
from threadpoolctl import threadpool_info, threadpool_limits

from crosslabel.core import backend


@pytest.fixture
def spd():
    A = np.random.default_rng(0).normal(size=(6, 9))
    return A @ A.T


def test_cholesky_and_substitutions_solve_the_system(spd):
    L = backend.cholesky(spd)
    assert_allclose(L, np.tril(L))
    assert_allclose(L @ L.T, spd)
    rows = np.random.default_rng(1).normal(size=(4, 6))
    assert_allclose(backend.solve_upper(backend.solve_lower(rows, L), L) @ spd, rows)
    assert_allclose(backend.solve_lower(rows, L) @ L.T, rows)
    assert_allclose(backend.inverse_from_cholesky(L) @ spd, np.eye(6), atol=1e-10)


def test_substitution_takes_any_memory_order_and_changes_nothing(spd):
    L = backend.cholesky(spd)
    rows = np.asfortranarray(np.random.default_rng(1).normal(size=(4, 6)))
    before = rows.copy()
    assert_allclose(backend.solve_lower(rows, L) @ L.T, before)
    assert_allclose(rows, before)


def test_a_singular_matrix_is_refused():
    rank_one = np.outer([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        backend.cholesky(rank_one)


@pytest.mark.parametrize("rank", [0, 1, 3, 6])
def test_factor_rows_are_as_few_as_the_rank(rank):
    rows = np.random.default_rng(rank).normal(size=(rank, 6))
    factor = backend.factor_rows(rows.T @ rows)
    assert factor.shape == (rank, 6)
    assert_allclose(factor.T @ factor, rows.T @ rows, atol=1e-12)


def test_small_tasks_run_on_one_thread_and_large_ones_on_all():
    def blas_threads():
        return {i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"}

    backend._thread_switches.cache_clear()  # a test before this one may have loaded another BLAS
    with threadpool_limits(2, user_api="blas"):
        with backend.threads_for(1.0):
            assert blas_threads() == {1}
        with backend.threads_for(1e15):
            assert blas_threads() == {2}


class AnotherBLAS:
    """A library that threadpoolctl knows and whose functions have other names than OpenBLAS's."""

    internal_api = "mkl"
    n_threads = 4

    def get_num_threads(self):
        return self.n_threads

    def set_num_threads(self, number):
        self.n_threads = number


def test_another_blas_is_limited_and_gets_its_threads_back_after_an_error(monkeypatch):
    library = AnotherBLAS()
    monkeypatch.setattr(backend, "_thread_switches", lambda: [backend._switch(library)])
    seen = []

    def fail():
        seen.append(library.n_threads)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), backend.one_thread():
        fail()
    assert [*seen, library.n_threads] == [1, 4]


def test_one_thread_within_one_thread_ends_with_the_outer():
    def limits():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = limits()
    with backend.one_thread():
        with backend.one_thread():
            assert set(limits()) == {1}
        assert set(limits()) == {1}
    assert limits() == before
