"""Products with rows that end early.

In coordinates that the rows span one after the other, the first row has one value, the second two,
and so on: half of every product with them would be with zeros.
"""

from __future__ import annotations

import numpy as np

from crosslabel.core.scaling import Array

STEP = 256
"""Rows that are taken to end together: enough for BLAS, few beside all."""

NEARLY = 1.25
"""Rows per feature up to which such coordinates are worth their time: further rows do not end."""


def stairs(rows: Array) -> Array | None:
    """Orthonormal rows that span the rows one after the other; None where these are too many."""
    n_rows, n_features = rows.shape
    if n_rows > NEARLY * n_features:
        return None
    return np.ascontiguousarray(np.linalg.qr(rows[:n_features].T, mode="complete")[0].T)


def steps(rows: Array) -> list[tuple[slice, int]]:
    """Some rows at a time, and after how many values all up to them end; these never fall."""
    n_rows, n_features = rows.shape
    if n_rows <= STEP or rows[0, n_features // 2 :].any():  # most rows do not end: not looked at
        return [(slice(0, n_rows), n_features)]
    found, end = [], 0
    for start in range(0, n_rows, STEP):
        part = slice(start, min(start + STEP, n_rows))
        end += int(np.flatnonzero(rows[part, end:].any(axis=0)).max(initial=-1)) + 1
        found.append((part, end))
    return found


def times(rows: Array, M: Array) -> Array:
    """rows · Mᵀ."""
    parts = steps(rows)
    if len(parts) == 1:
        return rows @ M.T
    found = np.empty((len(rows), len(M)), np.result_type(rows, M))
    for part, end in parts:
        np.matmul(rows[part, :end], M[:, :end].T, out=found[part])
    return found


def moment(X: Array, rows: Array) -> Array:
    """Xᵀ · rows."""
    parts = steps(rows)
    if len(parts) == 1:
        return X.T @ rows
    found, before = np.zeros((X.shape[1], rows.shape[1]), np.result_type(X, rows)), 0
    for part, end in parts:
        columns = slice(before, end)
        np.matmul(X[part.start :].T, rows[part.start :, columns], out=found[:, columns])
        before = end
    return found
