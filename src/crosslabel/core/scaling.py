"""Norms and distances of rows, and unit norm, the paper's convention for samples and atoms.

Norms are safe at any scale of the input.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


def row_norms(X: Array) -> Array:
    """Euclidean norm of each row, without under- or overflow of the squares.

    A norm that is itself beyond the range of its type is infinite.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    return _norms(X)[0]


def _norms(X: Array) -> tuple[Array, bool]:
    """Norms of the rows, and whether all are ordinary: neither zero nor infinite."""
    squares = np.einsum("ij,ij->i", X, X)
    lowest, highest = _exact_range(squares.dtype)
    exact = (squares > lowest) & (squares < highest)
    if exact.all():
        return np.sqrt(squares), True
    return _rescued_norms(X, squares, ~exact), False


@cache
def _exact_range(dtype: np.dtype) -> tuple[float, float]:
    """Between which a sum of squares has lost no digit to the range of its type."""
    info = np.finfo(dtype)
    return float(info.tiny / info.eps), float(info.max)


def _rescued_norms(X: Array, squares: Array, extreme: NDArray[np.bool_]) -> Array:
    """Norms, with those of extreme rows through the row divided by its largest value."""
    peak = np.abs(X[extreme]).max(axis=1, initial=0.0)
    scaled = X[extreme] / np.where(peak > 0, peak, 1)[:, None]
    norms = np.sqrt(squares, where=~extreme, out=np.zeros_like(squares))
    with np.errstate(over="ignore"):
        norms[extreme] = peak * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return norms


def unit_rows(X: Array, out: Array | None = None) -> Array:
    """x / ‖x‖₂ for each row x; a row of zeros has no direction and stays zero.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    out : ndarray of the same shape, optional
        Where the result goes; may be X itself.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
    """
    norms, ordinary = _norms(X)
    if not ordinary:
        X, norms = _rescued(X, norms)
    # The reciprocal of a subnormal norm would be infinite: such rows are divided, not multiplied.
    return np.divide(X, norms[:, None], out=out)


def unit_row(x: Array) -> Array:
    """The same for one row, where rows come one at a time."""
    square = np.vdot(x, x)  # may overflow in silence
    lowest, highest = _exact_range(x.dtype)
    if lowest < square < highest:
        return x / np.sqrt(square)
    return unit_rows(x[None])[0]


def _rescued(X: Array, norms: Array) -> tuple[Array, Array]:
    """Rows and norms that can be divided: none is zero, none infinite."""
    norms[norms == 0] = 1
    beyond = np.isinf(norms)
    if beyond.any():
        X = X.copy()
        X[beyond] /= np.abs(X[beyond]).max(axis=1, keepdims=True)
        norms[beyond] = row_norms(X[beyond])
    return X, norms


def squared_distances(X: Array, Y: Array) -> Array:
    """‖x − y‖² for all pairs of rows."""
    squares = [np.einsum("ij,ij->i", rows, rows) for rows in (X, Y)]
    return np.maximum(squares[0][:, None] + squares[1] - 2 * X @ Y.T, 0)
