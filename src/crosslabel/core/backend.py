"""The few linear-algebra calls that are more than one NumPy operator, in one place.

Each takes and returns C-ordered rows; a C-ordered array is the transpose of a Fortran-ordered one,
so that LAPACK works on it without a copy. Code that reads the same for arrays and for torch tensors
takes its functions from `namespace`; arrays and tensors become one another here, and torch is never
imported by looking. What a GPU does otherwise is in `core.gpu`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock, local
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack
from threadpoolctl import ThreadpoolController

from crosslabel.core.scaling import Array, row_norms

if TYPE_CHECKING:
    import torch

ArrayOrTensor: TypeAlias = Any
"""A NumPy array or a torch tensor. No type holds what both can do: a union would refuse `X @ D`."""

SMALL = 2e8
"""Operations of a product, some 5 ms of work, below which a second thread does not pay."""

SMALL_FACTOR = 5e9
"""The same for SciPy's LAPACK. Where it brings a BLAS of its own beside NumPy's, the threads of
the one go on waiting busily for some 30 ms while the other works, and both get slow."""

TURNED = 256
"""Rows of a matrix that are transposed at a time: they stay in cache."""


def is_tensor(X: object) -> bool:
    """Whether X is a torch tensor; never imports torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(X, torch.Tensor)


def namespace(X: ArrayOrTensor) -> Any:
    """The library whose functions work on X: torch for its tensors, NumPy for all else."""
    return sys.modules["torch"] if is_tensor(X) else np


def on_gpu(name: str, X: ArrayOrTensor) -> Callable[..., Any] | None:
    """What does in one launch, on a GPU where X lies, what the function of this name does."""
    if not is_tensor(X) or not X.is_cuda:
        return None
    from crosslabel.core.gpu.kernels import kernel

    return kernel(name, X)


def beside(values: ArrayOrTensor, X: ArrayOrTensor) -> ArrayOrTensor:
    """Numbers or an array where X lies: a tensor on its device, or an array."""
    if not is_tensor(X):
        return np.asarray(values)
    # What a host's array holds is staged before this returns: nobody need wait for the device.
    return sys.modules["torch"].as_tensor(values).to(X.device, non_blocking=True)


def dtype_of(X: ArrayOrTensor) -> np.dtype:
    """The type of the values, as NumPy calls it."""
    return np.dtype(str(X.dtype).removeprefix("torch."))


def in_float64(X: ArrayOrTensor) -> ArrayOrTensor:
    """X in double precision; X itself where it is."""
    return X.double() if is_tensor(X) else X.astype(np.float64, copy=False)


def in_type(X: ArrayOrTensor, dtype: object) -> ArrayOrTensor:
    """X in a type of its own library; X itself where it is."""
    return X.to(dtype) if is_tensor(X) else X.astype(dtype, copy=False)


def zeros(shape: tuple[int, ...], X: ArrayOrTensor, dtype: object = None) -> ArrayOrTensor:
    """Zeros where X lies, and of its type unless another is named."""
    if is_tensor(X):
        return X.new_zeros(shape, dtype=dtype)
    return np.zeros(shape, dtype or X.dtype)


def take_along(X: ArrayOrTensor, places: ArrayOrTensor, axis: int) -> ArrayOrTensor:
    """`numpy.take_along_axis`, which torch calls otherwise."""
    if is_tensor(X):
        return sys.modules["torch"].take_along_dim(X, places, axis)
    return np.take_along_axis(X, places, axis)


def add_to_diagonal(A: ArrayOrTensor, value: ArrayOrTensor | float) -> ArrayOrTensor:
    """A square matrix with one number, or one for each row, added to its diagonal, in place."""
    if is_tensor(A):
        A.diagonal().add_(value)
    else:
        A[np.diag_indices_from(A)] += value
    return A


def part_sums(X: ArrayOrTensor, sizes: Sequence[int]) -> ArrayOrTensor:
    """Sums over columns that belong together: so many each, one after the other, at least one."""
    if not is_tensor(X):
        return np.add.reduceat(X, np.cumsum([0, *sizes[:-1]]), axis=1)
    # A product adds in an order of its own on every call alike; sums into places do not.
    parts = np.repeat(np.arange(len(sizes)), sizes)
    return X @ beside(np.eye(len(sizes))[parts], X).to(X.dtype)


def require_torch(wish: str) -> ModuleType:
    """Torch, for a wish that needs it; an error that says what to install, where it is missing."""
    try:
        import torch
    except ImportError:
        raise ImportError(
            f"{wish} needs PyTorch, which is not installed: pip install 'crosslabel[gpu]'."
        ) from None
    return torch


def device_named(name: str) -> torch.device:
    """The torch device of this name, or an error that says what is missing."""
    require_torch(f"device={name!r}")
    from crosslabel.core.gpu.tensors import find_device

    return find_device(name)


def device_of(X: ArrayOrTensor) -> str | None:
    """Where a tensor lies; None for anything else."""
    return str(X.device) if is_tensor(X) else None


def from_device(X: ArrayOrTensor, name: str | None = None) -> ArrayOrTensor:
    """A tensor as an array on the host, anything else as it is."""
    if not is_tensor(X):
        return X
    from crosslabel.core.gpu.tensors import check_place, check_precision

    if name is not None:
        check_place(X, device_named(name))
    check_precision(X)
    return X.detach().cpu().numpy()


def like(array: Array, X: ArrayOrTensor) -> ArrayOrTensor:
    """The array as a tensor beside X, where X is one."""
    if not is_tensor(X):
        return array
    return require_torch("A tensor").as_tensor(array, device=X.device)


def in_type_of(array: Array, X: ArrayOrTensor) -> ArrayOrTensor:
    """X in the precision of the array."""
    if not is_tensor(X):
        return X.astype(array.dtype, copy=False)
    return X.to(getattr(require_torch("A tensor"), array.dtype.name))


def named(classes: NDArray[Any], chosen: ArrayOrTensor) -> ArrayOrTensor:
    """Labels of the chosen classes: a tensor for a tensor, where labels are numbers."""
    if not is_tensor(chosen):
        return classes[chosen]
    if classes.dtype.kind not in "iufb":
        return classes[chosen.cpu().numpy()]
    return require_torch("A tensor").as_tensor(classes, device=chosen.device)[chosen]


Switch: TypeAlias = tuple[Callable[[], int], Callable[[int], None]]
"""Functions that get and set the number of threads of a BLAS."""


@cache
def _thread_switches() -> list[Switch]:
    """Functions that get and set the number of threads of each BLAS in this process."""
    return [
        _switch(known) for known in ThreadpoolController().select(user_api="blas").lib_controllers
    ]


def _switch(library: Any) -> Switch:
    # threadpoolctl looks its functions up in every call, which takes a tenth of a query; those of
    # OpenBLAS can be called as they are.
    find = getattr(library, "_get_symbol", None)
    if library.internal_api == "openblas" and find is not None:
        return find("openblas_get_num_threads"), find("openblas_set_num_threads")
    return library.get_num_threads, library.set_num_threads


_INSIDE = local()
"""Whether this thread is within `one_thread` already: setting the limit anew takes longer than a
small system."""


class _OneThread:
    """Not the controller's own context, which takes as long as a query.

    The number of threads is the process's, not a thread's: the first of our threads that enters
    notes and sets it, the last one that leaves sets it back. Were each to do so for itself, one
    that enters second would note the one thread that the first has set, and leave it at that.
    Where others have set another number meanwhile, such as `threadpool_limits` that ended in
    another thread, theirs stays.
    """

    lock: ClassVar = Lock()
    inside: ClassVar = 0
    several: ClassVar[list[tuple[Switch, int]]] = []

    def __enter__(self) -> None:
        shared = _OneThread
        with shared.lock:
            shared.inside += 1
            if shared.inside == 1:
                shared.several = _limited()
        _INSIDE.now = True

    def __exit__(self, *_: object) -> None:
        shared = _OneThread
        _INSIDE.now = False
        with shared.lock:
            shared.inside -= 1
            if shared.inside == 0:
                for (get_number, set_number), number in shared.several:
                    if get_number() == 1:
                        set_number(number)


def _limited() -> list[tuple[Switch, int]]:
    """Set every BLAS to one thread; those that had more, and how many."""
    several = []
    for switch in _thread_switches():
        get_number, set_number = switch
        number = get_number()
        if number > 1:
            set_number(1)
            several.append((switch, number))
    return several


def one_thread() -> AbstractContextManager[None]:
    """Run BLAS on one thread: on small systems a second thread costs more than it brings."""
    return nullcontext() if getattr(_INSIDE, "now", False) else _OneThread()


def threads_for(flops: float, small: float = SMALL) -> AbstractContextManager[None]:
    """Run BLAS on one thread where the largest product of a task takes few operations."""
    return one_thread() if flops < small else nullcontext()


def energies(X: ArrayOrTensor) -> ArrayOrTensor:
    """‖x‖² of each row."""
    return namespace(X).einsum("ij,ij->i", X, X)


def norms(X: ArrayOrTensor) -> ArrayOrTensor:
    """‖x‖ of each row, without under- or overflow of the squares."""
    if not is_tensor(X):
        return row_norms(X)
    peaks = X.abs().amax(dim=1, keepdim=True)
    scaled = X / namespace(X).where(peaks > 0, peaks, 1)
    return peaks[:, 0] * energies(scaled).sqrt()


def cholesky(A: ArrayOrTensor, *, overwrite: bool = False) -> ArrayOrTensor:
    """Lower L with A = LLᵀ, in float64; only where asked to does it overwrite A.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is singular to working precision.
    """
    # A pivot at the rounding level of A's own diagonal carries no digit of the true one.
    floor = len(A) * np.finfo(np.float64).eps * (float(A.diagonal().max()) if len(A) else 0.0)
    if is_tensor(A):
        lower, info = namespace(A).linalg.cholesky_ex(A)
    else:
        A = np.asarray(A, dtype=np.float64)
        with threads_for(len(A) ** 3 / 3, SMALL_FACTOR):
            # Aᵀ = UᵀU is in Fortran order, so that it is not copied to another; there U is L.
            upper, info = lapack.dpotrf(A.T, lower=0, clean=1, overwrite_a=overwrite)
        lower = upper.T
    if info or bool((lower.diagonal() ** 2 <= floor).any()):
        raise np.linalg.LinAlgError("the matrix is singular to working precision")
    return lower


def solve_lower(rows: ArrayOrTensor, L: ArrayOrTensor) -> ArrayOrTensor:
    """rows · L⁻ᵀ: forward substitution with a lower factor, applied to each row."""
    return _substitute(rows, L, transposed=True)


def solve_upper(rows: ArrayOrTensor, L: ArrayOrTensor) -> ArrayOrTensor:
    """rows · L⁻¹: back substitution with a lower factor, applied to each row."""
    return _substitute(rows, L, transposed=False)


def _substitute(rows: ArrayOrTensor, L: ArrayOrTensor, *, transposed: bool) -> ArrayOrTensor:
    if is_tensor(rows):
        solve = namespace(rows).linalg.solve_triangular
        return solve(L.T if transposed else L, rows, upper=transposed, left=False)
    trsm = blas.get_blas_funcs("trsm", (rows,))
    right = np.array(rows, order="C").T  # a Fortran-ordered copy of rowsᵀ, solved in place
    with threads_for(rows.size * len(L), SMALL_FACTOR):
        return trsm(1.0, L.T, right, lower=0, trans_a=transposed, overwrite_b=1).T


def solve_columns(columns: ArrayOrTensor, L: ArrayOrTensor) -> ArrayOrTensor:
    """(LLᵀ)⁻¹ · columns, in C order: solved from the right, where it takes no transposed copy."""
    if is_tensor(columns):
        return namespace(columns).cholesky_solve(columns, L)
    trsm = blas.get_blas_funcs("trsm", (columns,))
    right = np.array(columns, order="C").T
    with threads_for(columns.size * len(L), SMALL_FACTOR):
        half = trsm(1.0, L.T, right, side=1, lower=0, trans_a=0, overwrite_b=1)  # BL⁻ᵀ
        return trsm(1.0, L.T, half, side=1, lower=0, trans_a=1, overwrite_b=1).T


def inverse_from_cholesky(L: Array) -> Array:
    """(LLᵀ)⁻¹, symmetric."""
    with threads_for(len(L) ** 3, SMALL_FACTOR):
        upper, _ = lapack.dpotri(L.T, lower=0)
    inverse = upper.T
    for start in range(0, len(inverse), TURNED):  # what lies below the diagonal, above it too
        part, later = slice(start, start + TURNED), slice(start + TURNED, None)
        inverse[part, part] += np.tril(inverse[part, part], -1).T
        inverse[part, later] = inverse[later, part].T
    return inverse


def factor_rows(S: Array) -> Array:
    """Few rows F with FᵀF = S for a positive semi-definite S, by Cholesky with pivoting.

    Returns
    -------
    ndarray of shape (rank, n)
        In float64.
    """
    S = np.asarray(S, dtype=np.float64)
    factor, pivots, rank, _ = lapack.dpstrf(S, lower=0)
    rows = np.empty_like(S, order="C")[:rank]
    rows[:, pivots - 1] = np.triu(factor)[:rank]
    return rows
