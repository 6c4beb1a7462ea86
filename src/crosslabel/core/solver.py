"""The one alternating loop: codes given the dictionary, atoms given the codes.

The solver sees class statistics, never samples. A sweep is a function from a dictionary to the
next one and is chosen by name from `SWEEPS`. Classes that share nothing are problems of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import one_thread, threads_for
from crosslabel.core.code_blocks import Block
from crosslabel.core.coding import ridge_codes, suppressed_codes
from crosslabel.core.dictionary import noise_floor, sweep, update_atoms
from crosslabel.core.moments import Moments
from crosslabel.core.momentum import Momentum
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.core.staircase import moment, stairs
from crosslabel.core.units import in_own_unit
from crosslabel.core.unsuppressed import Unsuppressed

Callback = Callable[[int, float], bool | None]


NEAR = 1e-6
"""The approach ends where a sweep lowers the objective of the limit by less than this part."""


class Iterated(NamedTuple):
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
    """A learnt dictionary and how the objective fell on the way to it.

    Attributes
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    trace : list of float
        The objective after each iteration.
    unused : ndarray of bool of shape (n_atoms,)
    apart : tuple of list of float
        The trace of each class, where these are problems of their own; else empty.
    """

    dictionary: Array
    trace: list[float]
    unused: NDArray[np.bool_]
    apart: tuple[list[float], ...] = ()


def exact_sweep(problem: Iterated, D: Array) -> Sweep:
    """Minimise over all codes, then over each atom in turn."""
    rows, class_blocks, layout, penalties = problem
    X = suppressed_codes(rows, class_blocks, D, layout, penalties.suppression)
    return _atom_sweep(problem, D, X.T @ X, moment(X, rows))


def unsuppressed_sweep(problem: Iterated, statistics: Unsuppressed, D: Array) -> Sweep:
    """`exact_sweep` for λ = 0, in the coordinates of the statistics."""
    return _atom_sweep(problem, D, *statistics.code_moments(D))


def _atom_sweep(problem: Iterated, D: Array, A: Array, B: Array) -> Sweep:
    """Minimise over each atom in turn, given the moments of the exact codes."""
    update = update_atoms(D, A, B, problem.layout.parts())
    # At the minimiser of the codes all four terms together are ‖Y‖² − ⟨B, D⟩.
    value = _energy(problem.rows) - float(np.vdot(B, D)) - update.decrease
    return Sweep(update.dictionary, value, update.unused)


def class_sweep(problem: Iterated, D: Array) -> Sweep:
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


SWEEPS: dict[str, Callable[[Iterated, Array], Sweep]] = {
    "exact": exact_sweep,
    "class": class_sweep,
}


def learn(
    statistics: Moments,
    dictionary: Array,
    layout: AtomLayout,
    penalties: Penalties,
    *,
    method: str = "exact",
    momentum: bool = False,
    approach: int = 0,
    max_iter: int = 20,
    tol: float = 0.0,
    callback: Callback | None = None,
) -> Solution:
    """min over unit-norm D and X of the cross-label suppression objective, by alternation.

    Parameters
    ----------
    statistics : Moments
        Every class has at least one sample.
    dictionary : ndarray of shape (n_atoms, n_features)
        The start.
    layout : AtomLayout
    penalties : Penalties
    method : {"exact", "class"}, default="exact"
    momentum : bool, default=False
        Whether each sweep begins further along the way of the last one: `core.momentum`.
    approach : int, default=0
        At most so many sweeps of the limit λ → ∞ come first, which are cheaper: what is slow there
        is slow at a finite λ too, for it lies between atoms that a class may use freely.
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
    statistics, unit = in_own_unit(statistics)
    if approach:
        ahead = Run(statistics, dictionary, layout, penalties, "class", momentum=True)
        dictionary = ahead.until(approach, NEAR).dictionary()
    separate = are_separate(method, layout)
    whole = statistics, dictionary, layout
    parts = _parts(*whole) if separate else [whole]
    runs = [Run(*part, penalties, method, momentum) for part in parts]
    trace: list[float] = []
    for iteration in range(max_iter):
        # The limit is set once for all: for each small class anew it would take longer than they.
        with one_thread() if separate else nullcontext():
            for run in runs:
                if not run.settled(tol):
                    run.step()
        trace.append(unit * sum(run.trace[-1] for run in runs))
        stop = callback(iteration, trace[-1]) if callback else False
        if stop or all(run.settled(tol) for run in runs):
            break
    D = np.concatenate([run.dictionary() for run in runs])
    apart = tuple([unit * value for value in run.trace] for run in runs) if separate else ()
    return Solution(D, trace, np.concatenate([run.unused for run in runs]), apart)


def are_separate(method: str, layout: AtomLayout) -> bool:
    """Whether the classes have nothing in common, so that each is learnt and stops by itself."""
    return method == "class" and layout.shared == 0


def total_trace(traces: Sequence[list[float]]) -> list[float]:
    """Sum of objectives; what has stopped keeps its last value."""
    length = max(map(len, traces))
    return [sum(trace[min(k, len(trace) - 1)] for trace in traces) for k in range(length)]


class Run:
    """A dictionary on its way, in coordinates of the span of its data and start.

    Parameters are those of `learn`.
    """

    def __init__(
        self,
        statistics: Moments,
        dictionary: Array,
        layout: AtomLayout,
        penalties: Penalties,
        method: str,
        momentum: bool = False,
    ) -> None:
        self.basis = _span(statistics, dictionary)
        if self.basis is None and method == "exact" and penalties.suppression:
            self.basis = stairs(statistics.targets().rows)
        if self.basis is not None:
            statistics, dictionary = statistics.project(self.basis), dictionary @ self.basis.T
        rows, starts = statistics.targets()
        if self.basis is not None:  # the rows span it one after the other: further on is rounding
            rows = np.tril(rows)
        of_class = blocks(starts, statistics.counts, penalties)
        problem = Iterated(rows, of_class, layout, penalties)
        self.flops = 2.0 * rows.size * len(dictionary)
        sweep = partial(SWEEPS[method], problem)
        if method == "exact" and not penalties.suppression:
            found = Unsuppressed.of(rows, of_class, len(dictionary))
            if found is not None:
                sweep = partial(unsuppressed_sweep, problem, found)
                dictionary = dictionary @ found.axes.T
                self.basis = found.axes if self.basis is None else found.axes @ self.basis
        self.sweep: Callable[[Array], Sweep] = Momentum(sweep) if momentum else sweep
        self.D, self.trace = unit_rows(dictionary), list[float]()
        self.unused = np.zeros(len(self.D), dtype=bool)

    def step(self) -> None:
        """One iteration."""
        with threads_for(self.flops):
            self.D, value, self.unused = self.sweep(self.D)
        self.trace.append(value)

    def until(self, max_iter: int, tol: float) -> Run:
        """Iterate until it is settled."""
        while len(self.trace) < max_iter and not self.settled(tol):
            self.step()
        return self

    def settled(self, tol: float) -> bool:
        """Whether the last iteration lowered the objective by less than this part of it."""
        if len(self.trace) < 2:
            return False
        before, value = self.trace[-2:]
        return before - value < tol * abs(value)

    def dictionary(self) -> Array:
        """The present atoms, of unit norm."""
        return self.D if self.basis is None else unit_rows(self.D @ self.basis)


def _parts(
    statistics: Moments, dictionary: Array, layout: AtomLayout
) -> Iterator[tuple[Moments, Array, AtomLayout]]:
    """The problem of each class."""
    for c, n_atoms in enumerate(layout.per_class):
        alone = statistics.reordered(np.array([c]))
        yield alone, dictionary[layout.own(c)], AtomLayout(0, (n_atoms,))


def _energy(rows: Array) -> float:
    return float(np.vdot(rows, rows))


def _span(statistics: Moments, dictionary: Array) -> Array | None:
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
