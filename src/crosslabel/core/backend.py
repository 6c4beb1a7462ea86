"""The few linear-algebra calls that are more than one NumPy operator, in one place.

Each takes and returns C-ordered rows; a C-ordered array is the transpose of a Fortran-ordered one,
so that LAPACK works on it without a copy. A second array library is added here and nowhere else.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack
from threadpoolctl import ThreadpoolController

from crosslabel.core.scaling import Array


def cholesky(A: Array) -> Array:
    """Lower L with A = LLᵀ, in float64; overwrites nothing.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is singular to working precision.
    """
    A = np.asarray(A, dtype=np.float64)
    upper, info = lapack.dpotrf(A, lower=0, clean=1)  # A = UᵀU, and U in Fortran order is L in C
    pivots = np.diagonal(upper)
    # A pivot at the rounding level of A's own diagonal carries no digit of the true one.
    floor = len(A) * np.finfo(np.float64).eps * np.diagonal(A).max(initial=0.0)
    if info or (pivots**2 <= floor).any():
        raise np.linalg.LinAlgError("the matrix is singular to working precision")
    return upper.T


def solve_lower(rows: Array, L: Array) -> Array:
    """rows · L⁻ᵀ: forward substitution with a lower factor, applied to each row."""
    trsm = blas.get_blas_funcs("trsm", (rows,))
    # rows.T and L.T are Fortran-ordered views, and L.T is upper: solve Lᵀᵀ z = rowsᵀ in place.
    return trsm(1.0, L.T, np.array(rows, order="C").T, lower=0, trans_a=1, overwrite_b=1).T


def solve_upper(rows: Array, L: Array) -> Array:
    """rows · L⁻¹: back substitution with a lower factor, applied to each row."""
    trsm = blas.get_blas_funcs("trsm", (rows,))
    return trsm(1.0, L.T, np.array(rows, order="C").T, lower=0, trans_a=0, overwrite_b=1).T


def inverse_from_cholesky(L: Array) -> Array:
    """(LLᵀ)⁻¹, symmetric."""
    upper, _ = lapack.dpotri(L.T, lower=0)
    return np.triu(upper) + np.triu(upper, 1).T


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


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Run BLAS on one thread: on small systems a second thread costs more than it brings."""
    return _threads().limit(limits=1, user_api="blas")


SMALL = 2e8
"""Floating-point operations of a product below which a second thread does not pay: some 5 ms."""


def threads_for(flops: float) -> AbstractContextManager[Any]:
    """Run BLAS on one thread where the largest product of a task takes fewer operations."""
    return one_thread() if flops < SMALL else nullcontext()
