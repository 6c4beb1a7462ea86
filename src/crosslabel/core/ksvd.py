"""The K-SVD update: atom by atom, the best rank-one fit to what the other atoms leave.

Imports numpy, scipy and core only.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, starmap

import numpy as np
from scipy.linalg import get_blas_funcs
from scipy.sparse import csr_array

from crosslabel.core.omp import omp
from crosslabel.core.scaling import Array, unit_row


def rank_one_exact(E: Array, code: Array) -> tuple[Array, Array]:
    """Unit d and x of min ‖E − x dᵀ‖²: the leading singular pair of E."""
    left, values, right = np.linalg.svd(E, full_matrices=False)
    sign = -1.0 if left[:, 0] @ code < 0 else 1.0  # the atom keeps its orientation
    return sign * right[0], sign * values[0] * left[:, 0]


def rank_one_approximate(E: Array, code: Array) -> tuple[Array, Array]:
    """One alternation of that problem from the present code (Rubinstein et al. 2008)."""
    d = unit_row(code @ E)
    return d, E @ d


RANK_ONE: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
    "exact": rank_one_exact,
    "approximate": rank_one_approximate,
}


def ksvd_update(
    Y: Array, D: Array, X: Array, *, rank_one: str = "approximate"
) -> tuple[Array, Array]:
    """min ‖Y − XD‖² over each atom and its non-zero coefficients in turn; the supports stay.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_features)
    D : ndarray of shape (n_atoms, n_features)
        Atoms of unit norm.
    X : ndarray of shape (n_samples, n_atoms)
        Sparse codes.
    rank_one : {"approximate", "exact"}, default="approximate"
        How the rank-one problem of an atom is solved.

    Returns
    -------
    D, X : updated atoms of unit norm and codes
        An atom that no sample uses keeps its value.
    """
    solve = RANK_ONE[rank_one]
    D, codes = D.copy(), csr_array(X)
    residual = Y - codes @ D
    codes = codes.tocsc()  # whose columns are the users of an atom and their coefficients
    room = np.empty_like(residual)  # what the other atoms leave, in one place that stays cached
    [add_product] = get_blas_funcs(["ger"], [residual])  # E.T += factor · d xᵀ, where E lies
    for k, part in enumerate(starmap(slice, pairwise(codes.indptr))):
        users, code = codes.indices[part], codes.data[part]
        if len(users) == 0:
            continue
        E = np.take(residual, users, axis=0, out=room[: len(users)], mode="clip")
        add_product(1, D[k], code, a=E.T, overwrite_a=True)
        atom, values = solve(E, code)
        if not values.any():  # the other atoms already explain these samples
            continue
        D[k], code[:] = atom, values
        add_product(-1, atom, values, a=E.T, overwrite_a=True)
        residual[users] = E
    return D, codes.toarray()


def ksvd(
    Y: Array, D: Array, sparsity: int, *, n_iter: int, rank_one: str = "approximate"
) -> tuple[Array, Array]:
    """min ‖Y − XD‖² with at most T non-zero entries in each code (Aharon et al. 2006).

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_features)
    D : ndarray of shape (n_atoms, n_features)
        Unit-norm atoms to start from.
    sparsity : int
        T.
    n_iter : int
        Number of rounds of sparse coding and atom updates.
    rank_one : {"approximate", "exact"}, default="approximate"

    Returns
    -------
    D, X : atoms of unit norm and codes
    """
    X = omp(D @ D.T, Y @ D.T, sparsity)
    for iteration in range(n_iter):
        if iteration:
            X = omp(D @ D.T, Y @ D.T, sparsity)
        D = replace_unused(Y, D, X)
        D, X = ksvd_update(Y, D, X, rank_one=rank_one)
    return D, X


def replace_unused(Y: Array, D: Array, X: Array) -> Array:
    """Put the samples represented worst in the place of atoms that no sample uses."""
    unused = np.flatnonzero(~(X != 0).any(axis=0))
    if len(unused) == 0:
        return D
    errors = ((Y - csr_array(X) @ D) ** 2).sum(axis=1)
    worst = np.argsort(-errors, kind="stable")[: len(unused)]
    norms = np.sqrt((Y[worst] ** 2).sum(axis=1))
    worst, norms = worst[norms > 0], norms[norms > 0]
    D = D.copy()
    D[unused[: len(worst)]] = Y[worst] / norms[:, None]
    return D
