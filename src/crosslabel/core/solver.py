"""The one alternating loop: codes given the dictionary, atoms given the codes.

The solver sees class statistics, never samples. A sweep is a function from a dictionary to the
next one and is chosen by name from `SWEEPS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import one_thread, threads_for
from crosslabel.core.coding import Block, ridge_codes, suppressed_codes
from crosslabel.core.dictionary import noise_floor, sweep, update_atoms
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.core.statistics import ClassStatistics

Callback = Callable[[int, float], bool | None]


class Problem(NamedTuple):
    """What stays the same over the iterations."""

    rows: Array
    blocks: list[Block]
    layout: AtomLayout
    penalties: Penalties


class Sweep(NamedTuple):
    """One iteration: the new dictionary, the objective with it, and the atoms that no code uses."""

    dictionary: Array
    objective: float
    unused: NDArray[np.bool_]


class Solution(NamedTuple):
    """A learnt dictionary and how the objective fell on the way to it."""

    dictionary: Array
    trace: list[float]
    unused: NDArray[np.bool_]


def exact_sweep(problem: Problem, D: Array) -> Sweep:
    """Minimise over all codes, then over each atom in turn."""
    rows, class_blocks, layout, penalties = problem
    X = suppressed_codes(rows, class_blocks, D, layout, penalties.suppression)
    A, B = X.T @ X, X.T @ rows
    update = update_atoms(D, A, B, layout.parts())
    # At the minimiser of the codes all four terms together are ‖Y‖² − ⟨B, D⟩.
    value = _energy(rows) - float(np.vdot(B, D)) - update.decrease
    return Sweep(update.dictionary, value, update.unused)


def class_sweep(problem: Problem, D: Array) -> Sweep:
    """The limit λ → ∞: codes live on own and shared atoms, so that classes meet only in the latter.

    Cost and memory are linear in the number of classes.
    """
    rows, class_blocks, layout, _ = problem
    D, k = D.copy(), layout.shared
    unused = np.zeros(len(D), dtype=bool)
    A = [np.zeros((k + n, k + n), D.dtype) for n in layout.per_class]
    B = [np.zeros((k + n, D.shape[1]), D.dtype) for n in layout.per_class]
    value = _energy(rows)
    with one_thread():
        for label, block_rows, shift in class_blocks:
            atoms = np.concatenate([D[:k], D[layout.own(label)]])
            X = ridge_codes(rows[block_rows], atoms, shift)
            A[label] += X.T @ X
            B[label] += X.T @ rows[block_rows]
            value -= float(np.vdot(X @ atoms, rows[block_rows]))
        if k:
            A_shared, V = np.zeros((k, k), D.dtype), np.zeros_like(D[:k])
            for c, (a, b) in enumerate(zip(A, B)):
                A_shared += a[:k, :k]
                V += b[:k] - a[:k, :k] @ D[:k] - a[:k, k:] @ D[layout.own(c)]
            fall, unused[:k] = sweep(D[:k], A_shared, V, max(map(noise_floor, B)))
            value -= fall
        for c, (a, b) in enumerate(zip(A, B)):
            own = layout.own(c)
            V = b[k:] - a[k:, :k] @ D[:k] - a[k:, k:] @ D[own]
            fall, unused[own] = sweep(D[own], a[k:, k:], V, noise_floor(b))
            value -= fall
    return Sweep(D, value, unused)


SWEEPS: dict[str, Callable[[Problem, Array], Sweep]] = {
    "exact": exact_sweep,
    "class": class_sweep,
}


def learn(
    statistics: ClassStatistics,
    dictionary: Array,
    layout: AtomLayout,
    penalties: Penalties,
    *,
    method: str = "exact",
    max_iter: int = 20,
    tol: float = 0.0,
    callback: Callback | None = None,
) -> Solution:
    """min over unit-norm D and X of the cross-label suppression objective, by alternation.

    Parameters
    ----------
    statistics : ClassStatistics
        Every class has at least one sample.
    dictionary : ndarray of shape (n_atoms, n_features)
        The start.
    layout : AtomLayout
    penalties : Penalties
    method : {"exact", "class"}, default="exact"
    max_iter : int, default=20
    tol : float, default=0
        Stop when an iteration lowers the objective by less than this part of it.
    callback : callable, optional
        Called as ``callback(iteration, objective)`` after each iteration; a true value stops.

    Returns
    -------
    Solution
        `trace` holds the objective after each iteration; it never rises.
    """
    basis = _span(statistics, dictionary)
    if basis is not None:
        statistics, dictionary = statistics.project(basis), dictionary @ basis.T
    targets = statistics.targets()
    problem = Problem(
        targets.rows, blocks(targets.starts, statistics.counts, penalties), layout, penalties
    )
    D, trace = unit_rows(dictionary), []
    unused = np.zeros(len(D), dtype=bool)
    for iteration in range(max_iter):
        with threads_for(2.0 * targets.rows.size * len(D)):
            D, value, unused = SWEEPS[method](problem, D)
        trace.append(value)
        stop = callback(iteration, value) if callback else False
        if stop or (iteration and trace[-2] - value < tol * abs(value)):
            break
    return Solution(D if basis is None else unit_rows(D @ basis), trace, unused)


def _energy(rows: Array) -> float:
    return float(np.vdot(rows, rows))


def _span(statistics: ClassStatistics, dictionary: Array) -> Array | None:
    """Orthonormal rows that span data and start, where these are fewer than the features.

    Atoms never leave this span, so that the solver can work in its coordinates.
    """
    n_features = statistics.n_features
    n_rows = statistics.n_classes + sum(len(scatter.array) for scatter in statistics.scatters)
    if n_rows >= n_features:
        return None
    rows = statistics.targets().rows
    basis = np.linalg.qr(rows.T)[0].T
    outside = dictionary - (dictionary @ basis.T) @ basis
    if np.abs(outside).max() > np.sqrt(np.finfo(rows.dtype).eps):
        if n_rows + len(dictionary) >= n_features:
            return None
        basis = np.linalg.qr(np.concatenate([rows, dictionary]).T)[0].T
    return np.ascontiguousarray(basis)
