"""Unit-norm rows, the paper's convention for samples and atoms; safe at any scale of the input."""

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
    info = np.finfo(X.dtype)
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", X, X)
    # Outside this range a square has lost digits or is infinite; inside it none has.
    extreme = ~((squares > info.tiny / info.eps) & (squares < info.max))
    if extreme.any():
        peak = np.abs(X[extreme]).max(axis=1, initial=0.0)
        scaled = X[extreme] / np.where(peak > 0, peak, 1)[:, None]
        norms = np.sqrt(squares, where=~extreme, out=np.zeros_like(squares))
        with np.errstate(over="ignore"):
            norms[extreme] = peak * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
        return norms
    return np.sqrt(squares)


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
    norms = row_norms(X)
    norms[norms == 0] = 1
    beyond = np.isinf(norms)
    if beyond.any():
        X = X.copy()
        X[beyond] /= np.abs(X[beyond]).max(axis=1, keepdims=True)
        norms[beyond] = row_norms(X[beyond])
    # The reciprocal of a subnormal norm would be infinite: such rows are divided, not multiplied.
    return np.divide(X, norms[:, None], out=out)
