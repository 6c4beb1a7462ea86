"""Orthogonal matching pursuit of many signals at once over one dictionary.

All signals take their t-th step together, so a step is a handful of batched products on the shared
Gram matrix. Imports numpy and core only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

# A chunk of signals keeps its orthogonalised atoms (chunk · sparsity · n_atoms numbers) near the
# cache, which also bounds the memory whatever the number of signals.
CHUNK_NUMBERS = 1_000_000


def omp(gram: Array, correlations: Array, sparsity: int) -> Array:
    """min ‖y − Dᵀx‖² with at most T non-zero entries in x, greedily, for each row of correlations.

    Each step takes the atom most correlated with the residual and makes the residual orthogonal to
    all atoms taken. With an orthogonal basis Q of the taken atoms, q_t = d_j − Σ_s a_s q_s, only
    P = QDᵀ is needed: p_t = g_j − Σ_s a_s p_s with a_s = p_s[j] / ‖q_s‖², and the correlations of
    the residual lose (q_tᵀy / ‖q_t‖²) p_t.

    Parameters
    ----------
    gram : ndarray of shape (n_atoms, n_atoms)
        DDᵀ of the atoms in the rows of D.
    correlations : ndarray of shape (n_signals, n_atoms)
        YDᵀ of the signals in the rows of Y.
    sparsity : int
        Largest number T of non-zero coefficients of a signal.

    Returns
    -------
    ndarray of shape (n_signals, n_atoms)
        Codes. A signal that the chosen atoms reproduce exactly takes no more of them.
    """
    n_signals, n_atoms = correlations.shape
    sparsity = min(sparsity, n_atoms)
    codes = np.zeros_like(correlations)
    chunk = max(1, CHUNK_NUMBERS // (sparsity * n_atoms))
    for start in range(0, n_signals, chunk):
        rows = slice(start, start + chunk)
        support, values = _pursue(gram, correlations[rows], sparsity)
        # A stopped signal may repeat an atom with value zero: adding it changes nothing.
        np.add.at(codes[rows], (np.arange(len(support))[:, None], support), values)
    return codes


def _pursue(gram: Array, correlations: Array, sparsity: int) -> tuple[NDArray[np.intp], Array]:
    """Atoms taken by each signal and their coefficients, both (n_signals, sparsity)."""
    (n_signals, n_atoms), kind = correlations.shape, correlations.dtype
    every = np.arange(n_signals)
    basis = np.empty((n_signals, sparsity - 1, n_atoms), kind)  # P = QDᵀ
    weights = np.zeros((n_signals, sparsity), kind)  # 1/‖q‖², or 0 where no atom was taken
    triangle = np.zeros((n_signals, sparsity, sparsity), kind)  # D_S = (1 + A)ᵀQ
    projected = np.zeros((n_signals, sparsity), kind)  # qᵀy / ‖q‖²
    support = np.zeros((n_signals, sparsity), np.intp)
    residual, energies = correlations.copy(), np.ascontiguousarray(np.diag(gram))
    rows, room = np.empty_like(residual), np.empty_like(residual)  # written to again and again
    # What is left of a correlation, or of an atom beside those taken, below this is rounding.
    rounding = 100 * np.finfo(gram.dtype).eps
    floor = rounding * np.abs(correlations).max(axis=1, initial=0.0)
    running = np.ones(n_signals, bool)
    for step in range(sparsity):
        chosen = np.abs(residual, out=room).argmax(axis=1)
        peaks, seen = residual[every, chosen], basis[every, :step, chosen]
        along = seen * weights[:, :step]  # coordinates of the chosen atoms in the basis
        rest = energies[chosen] - np.einsum("ns,ns->n", seen, along)
        running &= (np.abs(peaks) > floor) & (rest > rounding * energies[chosen])
        if not running.any():
            break
        np.divide(1, rest, out=weights[:, step], where=running)
        projected[:, step] = peaks * weights[:, step]
        triangle[:, :step, step], support[:, step] = along, chosen
        if step == sparsity - 1:
            break
        np.take(gram, chosen, axis=0, out=rows, mode="clip")
        np.matmul(along[:, None, :], basis[:, :step], out=room[:, None, :])
        fresh = np.subtract(rows, room, out=basis[:, step])
        residual -= np.multiply(fresh, projected[:, step, None], out=room)
        residual[every, chosen] = 0  # exact in theory; keeps rounding from choosing an atom twice
    return support, _back_substitute(triangle, projected)


def _back_substitute(triangle: Array, projected: Array) -> Array:
    """x of (1 + A) x = z for A above the diagonal; a step that was not taken has z = 0."""
    values = projected.copy()
    for step in range(projected.shape[1] - 2, -1, -1):
        later = slice(step + 1, None)
        values[:, step] -= np.einsum("ns,ns->n", triangle[:, step, later], values[:, later])
    return values
