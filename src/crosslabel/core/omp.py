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
    all atoms taken. With an orthonormal basis Q of the taken atoms, only P = QDᵀ is needed:
    p_t = (g_j − Σ_s p_s[j] p_s) / ρ, and the correlations of the residual lose (q_tᵀy) p_t.

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
        # A stopped signal repeats atom 0 with value zero: adding it changes nothing.
        np.add.at(codes[rows], (np.arange(len(support))[:, None], support), values)
    return codes


def _pursue(gram: Array, correlations: Array, sparsity: int) -> tuple[NDArray[np.intp], Array]:
    """Atoms taken by each signal and their coefficients, both (n_signals, sparsity)."""
    n_signals, n_atoms = correlations.shape
    every = np.arange(n_signals)
    basis = np.zeros((n_signals, sparsity, n_atoms), correlations.dtype)  # P = QDᵀ
    triangle = np.zeros((n_signals, sparsity, sparsity), correlations.dtype)  # D_S = RᵀQ
    projected = np.zeros((n_signals, sparsity), correlations.dtype)  # Qy
    support = np.zeros((n_signals, sparsity), np.intp)
    residual = correlations.copy()
    energies = np.ascontiguousarray(np.diag(gram))
    # What is left of a correlation, or of an atom beside those taken, below this is rounding.
    rounding = 100 * np.finfo(gram.dtype).eps
    floor = rounding * np.abs(correlations).max(axis=1, initial=0.0)
    running = np.ones(n_signals, bool)
    for step in range(sparsity):
        chosen = np.abs(residual).argmax(axis=1)
        seen = basis[every, :step, chosen]  # coordinates of the chosen atoms in the basis
        rest = energies[chosen] - np.einsum("ns,ns->n", seen, seen)
        running &= (np.abs(residual[every, chosen]) > floor) & (rest > rounding * energies[chosen])
        if not running.any():
            break
        scale = np.where(running, np.sqrt(np.where(running, rest, 1)), 1)
        fresh = gram[chosen] - np.matmul(seen[:, None, :], basis[:, :step])[:, 0]
        fresh *= (running / scale)[:, None]
        basis[:, step] = fresh
        triangle[:, :step, step] = seen * running[:, None]
        triangle[:, step, step] = scale
        projected[:, step] = residual[every, chosen] / scale * running
        support[:, step] = np.where(running, chosen, 0)
        residual -= projected[:, step, None] * fresh
        residual[every, chosen] = 0  # exact in theory; keeps rounding from choosing an atom twice
    return support, _back_substitute(triangle, projected)


def _back_substitute(triangle: Array, projected: Array) -> Array:
    """x of R x = z for upper triangles R; a step that was not taken has an empty row and z = 0."""
    values = np.zeros_like(projected)
    for step in range(projected.shape[1] - 1, -1, -1):
        diagonal = triangle[:, step, step]
        known = np.einsum("ns,ns->n", triangle[:, step, step + 1 :], values[:, step + 1 :])
        values[:, step] = (projected[:, step] - known) / np.where(diagonal > 0, diagonal, 1)
    return values
