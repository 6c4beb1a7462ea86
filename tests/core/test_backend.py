import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

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
    columns = np.random.default_rng(2).normal(size=(6, 3))
    solved = backend.solve_columns(columns, L)
    assert_allclose(spd @ solved, columns)
    assert solved.flags.c_contiguous


def test_substitution_takes_any_memory_order_and_changes_nothing(spd):
    L = backend.cholesky(spd)
    rows = np.asfortranarray(np.random.default_rng(1).normal(size=(4, 6)))
    before = rows.copy()
    assert_allclose(backend.solve_lower(rows, L) @ L.T, before)
    assert_allclose(rows, before)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_factor_takes_the_place_of_its_matrix_only_where_it_may(spd, overwrite):
    given = spd.copy()
    L = backend.cholesky(given, overwrite=overwrite)
    assert_allclose(L @ L.T, spd)
    assert np.shares_memory(L, given) == overwrite
    assert np.array_equal(given, spd) != overwrite


def test_an_inverse_is_mirrored_whatever_its_size():
    """Blocks that are transposed at a time, and a part of one."""
    rows = np.random.default_rng(3).normal(size=(600, 700))
    found = backend.inverse_from_cholesky(backend.cholesky(rows @ rows.T))
    assert_allclose(found, found.T, rtol=0)
    assert_allclose(found @ (rows @ rows.T), np.eye(600), atol=1e-9)


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


EPS = np.finfo(float).eps


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_singular_is_relative_to_the_diagonal(spd, scale):
    """Refused where the least pivot of n is at most n·eps of the largest diagonal value."""
    L = backend.cholesky(scale * spd)
    assert_allclose(L @ L.T, scale * spd)
    backend.cholesky(scale * np.diag([1.0, 1.0, 3.5 * EPS]))
    for lost in (np.diag([1.0, 1.0, 2.5 * EPS]), np.diag([1.0, -1.0, 1.0])):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            backend.cholesky(scale * lost)


def test_a_pivot_at_the_rounding_level_itself_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        backend.cholesky(np.diag([1.0, 1.0, 1.0, 4 * EPS]))


class Counted(AnotherBLAS):
    """OpenBLAS's functions by name, each call of which is written down."""

    def __init__(self, internal_api, n_threads):
        self.internal_api, self.n_threads, self.calls = internal_api, n_threads, []

    def _get_symbol(self, name):
        def called(*number):
            self.calls.append((name, *number))
            self.n_threads = number[0] if number else self.n_threads
            return self.n_threads

        return called


def test_only_openblas_is_called_by_the_names_of_its_functions(monkeypatch):
    openblas, mkl = Counted("openblas", 3), Counted("mkl", 3)
    monkeypatch.setattr(
        backend, "_thread_switches", lambda: [backend._switch(lib) for lib in (openblas, mkl)]
    )
    with backend.one_thread():
        assert mkl.n_threads == 1
    get, put = "openblas_get_num_threads", "openblas_set_num_threads"
    assert openblas.calls == [(get,), (put, 1), (get,), (put, 3)]
    assert (mkl.calls, mkl.n_threads) == ([], 3)


def test_a_library_on_one_thread_is_left_alone(monkeypatch):
    library = Counted("openblas", 1)
    monkeypatch.setattr(backend, "_thread_switches", lambda: [backend._switch(library)])
    with backend.one_thread():
        assert backend._INSIDE.now
    assert library.calls == [("openblas_get_num_threads",)]


class FakeTensor:
    pass


def test_the_library_of_an_array_is_numpy_with_and_without_torch(monkeypatch):
    fake = SimpleNamespace(Tensor=FakeTensor)
    monkeypatch.setitem(sys.modules, "torch", fake)
    assert backend.is_tensor(FakeTensor())
    assert backend.namespace(FakeTensor()) is fake
    assert not backend.is_tensor(np.ones(2))
    assert backend.namespace(np.ones(2)) is np
    monkeypatch.delitem(sys.modules, "torch")
    assert not backend.is_tensor(FakeTensor())
    assert backend.namespace(FakeTensor()) is np


def test_threads_that_overlap_leave_the_number_as_it_was(monkeypatch):
    """The second enters while the first is inside, and leaves after it: it must not note "one"."""
    library = AnotherBLAS()
    monkeypatch.setattr(backend, "_thread_switches", lambda: [backend._switch(library)])
    entered, left = threading.Event(), threading.Event()

    def second():
        with backend.one_thread():
            entered.set()
            left.wait(10)

    other = threading.Thread(target=second)
    with backend.one_thread():
        other.start()
        assert entered.wait(10)
    assert library.n_threads == 1  # the second is still at work
    left.set()
    other.join()
    assert library.n_threads == 4


def test_many_threads_leave_the_number_as_it_was(monkeypatch):
    library = AnotherBLAS()
    monkeypatch.setattr(backend, "_thread_switches", lambda: [backend._switch(library)])

    def task(_):
        for _ in range(200):
            with backend.one_thread(), backend.one_thread():
                assert library.n_threads == 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(task, range(8)))
    assert library.n_threads == 4


def test_the_energy_of_a_row_is_its_squared_norm():
    X = np.random.default_rng(0).normal(size=(4, 6))
    assert_allclose(backend.energies(X), [np.linalg.norm(row) ** 2 for row in X])


def test_an_array_that_meets_no_tensor_stays_as_it_is():
    X = np.ones((2, 3))
    assert backend.device_of(X) is None
    assert backend.from_device(X) is X
    assert backend.like(X, np.zeros(1)) is X
    assert backend.in_type_of(np.zeros(1, np.float32), X).dtype == np.float32
    assert backend.named(np.array(["a", "b"]), np.array([1, 0, 1])).tolist() == ["b", "a", "b"]


def test_arrays_become_tensors_beside_tensors_and_come_back():
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    X, tensor = np.arange(3.0), torch.zeros(1)
    assert backend.device_of(tensor) == "cpu"
    assert backend.like(X, tensor).tolist() == [0, 1, 2]
    assert backend.in_type_of(X, tensor).dtype == torch.float64
    assert isinstance(backend.from_device(tensor, "cpu"), np.ndarray)
    chosen = torch.tensor([2, 0])
    assert isinstance(backend.named(X, chosen), torch.Tensor)
    assert backend.named(X, chosen).tolist() == [2, 0]
    assert backend.named(np.array(["a", "b", "c"]), chosen).tolist() == ["c", "a"]
    with pytest.raises(TypeError, match="float16"):
        backend.from_device(tensor.half())


@contextmanager
def limits_of_others(library, number):
    """As `threadpool_limits` does it: the number is noted, set, and set back."""
    before = library.n_threads
    library.n_threads = number
    yield
    library.n_threads = before


def test_a_limit_of_others_that_ends_meanwhile_stays_ended(monkeypatch):
    """It sets the number back while ours is inside, which must not set what it noted itself."""
    library = AnotherBLAS()
    monkeypatch.setattr(backend, "_thread_switches", lambda: [backend._switch(library)])
    theirs, ours, ended = threading.Event(), threading.Event(), threading.Event()

    def other():
        with limits_of_others(library, 3):
            theirs.set()
            ours.wait(10)
        ended.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert theirs.wait(10)
    with backend.one_thread():
        assert library.n_threads == 1
        ours.set()
        assert ended.wait(10)
    thread.join()
    assert library.n_threads == 4


def test_a_limit_of_others_that_begins_and_ends_meanwhile_changes_nothing(monkeypatch):
    library = AnotherBLAS()
    monkeypatch.setattr(backend, "_thread_switches", lambda: [backend._switch(library)])
    with backend.one_thread():
        with limits_of_others(library, 3):
            pass
        assert library.n_threads == 1
    assert library.n_threads == 4


def test_what_is_made_beside_an_array_is_an_array_of_the_type_asked_for():
    X = np.ones(2, np.float32)
    assert type(backend.beside([1.0, 2.0], X)) is np.ndarray
    assert backend.zeros((2, 3), X).dtype == np.float32
    assert backend.zeros((2, 3), X, np.int16).dtype == np.int16
    assert not backend.zeros((2, 3), X).any()


def test_tensors_are_factored_and_solved_as_arrays_are(spd):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    rows = torch.as_tensor(np.random.default_rng(1).normal(size=(4, 6)))
    L = backend.cholesky(torch.as_tensor(spd))
    assert_allclose(L @ L.T, spd)
    assert_allclose(backend.solve_lower(rows, L) @ L.T, rows)
    assert_allclose(backend.solve_upper(rows, L) @ L, rows)
    assert_allclose(spd @ backend.solve_columns(rows.T, L).numpy(), rows.T)


@pytest.mark.parametrize("kind", ["array", "tensor"])
def test_parts_of_columns_diagonals_norms_and_types(kind):
    X = np.random.default_rng(0).normal(size=(3, 6))
    A, big = X[:, :3].copy(), np.array([[3e200, 4e200], [0, 0]])
    if kind == "tensor":
        torch = pytest.importorskip("torch", reason="needs PyTorch")
        X, A, big = (torch.as_tensor(part) for part in (X, A, big))
    home = backend.from_device
    sums, rows = home(backend.part_sums(X, [2, 1, 3])), home(X)
    assert_allclose(sums, np.stack([rows[:, :2].sum(1), rows[:, 2], rows[:, 3:].sum(1)], 1))
    before = home(A + 0)
    assert backend.add_to_diagonal(A, 2.0) is A
    assert_allclose(home(A), before + 2 * np.eye(3))
    assert_allclose(home(backend.norms(big)), [5e200, 0])
    assert backend.dtype_of(X) == np.float64


@pytest.mark.parametrize("scale", [1e-200, 0.1, 10.0, 1e200])
def test_the_norm_of_a_tensor_neither_under_nor_overflows(scale):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    rows = np.array([[3.0, -4.0, 0.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0]])
    assert_allclose(backend.norms(torch.as_tensor(scale * rows)), scale * np.array([5, 5, 0]))


def test_kernels_are_for_what_lies_on_a_gpu(monkeypatch):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    from crosslabel.core.gpu import kernels

    class OnGPU(torch.Tensor):
        is_cuda = True

    monkeypatch.setattr(kernels, "kernel", lambda name, X: (name, X))
    there = torch.zeros(2).as_subclass(OnGPU)
    assert backend.on_gpu("steps", there) == ("steps", there)
    assert backend.on_gpu("steps", torch.zeros(2)) is None
    assert backend.on_gpu("steps", np.zeros(2)) is None
