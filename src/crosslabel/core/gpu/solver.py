"""The loop of `core.solver`; between two looks at the objective everything is on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu.atoms import AtomSweep
from crosslabel.core.gpu.class_sweep import ClassSweep
from crosslabel.core.gpu.coding import SuppressedCoder
from crosslabel.core.gpu.recording import Recording
from crosslabel.core.gpu.tensors import enough_memory
from crosslabel.core.gpu.uploaded import Uploaded
from crosslabel.core.moments import Moments
from crosslabel.core.momentum import Momentum
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import Array
from crosslabel.core.solver import NEAR, Callback, Solution

LOOK = 4
"""Iterations between two looks at the objective: each look waits for the device."""


class ExactSweep:
    """One iteration: minimise over all codes, then over each atom in turn.

    Parameters
    ----------
    targets : Uploaded
    dictionary : Tensor of shape (n_atoms, n_features)
        The start, in float64.
    layout : AtomLayout
    penalties : Penalties
    """

    def __init__(
        self, targets: Uploaded, dictionary: Tensor, layout: AtomLayout, penalties: Penalties
    ) -> None:
        self.rows, self.energy = targets.rows, targets.energy
        class_blocks = blocks(targets.starts, targets.counts, penalties)
        self.coder = SuppressedCoder(self.rows, class_blocks, layout, penalties.suppression)
        self.atoms = AtomSweep(torch.nn.functional.normalize(dictionary))
        self._run = Recording(self._sweep, self.rows.is_cuda and self.coder.is_safe)

    def __call__(self) -> Tensor:
        """The objective after the iteration; still on the device."""
        return self._run()

    @property
    def dictionary(self) -> Tensor:
        """The present atoms; the caller's own."""
        return self.atoms.dictionary.clone()

    @property
    def unused(self) -> Tensor:
        """Which atoms no code used in the last sweep."""
        return self.atoms.unused

    def load(self, dictionary: Tensor) -> None:
        """Go on from these atoms, of unit norm."""
        self.atoms.dictionary.copy_(dictionary)

    def _sweep(self) -> Tensor:
        D = self.atoms.dictionary
        X = self.coder.codes(D)
        B = X.T @ self.rows
        # At the minimiser of the codes all four terms together are ‖Y‖² − ⟨B, D⟩.
        value = self.energy - (B * D).sum()
        return value - self.atoms.update(X.T @ X, B)


OnDevice = ExactSweep | ClassSweep

SWEEPS: dict[str, Callable[[Uploaded, Tensor, AtomLayout, Penalties], OnDevice]] = {
    "exact": ExactSweep,
    "class": ClassSweep,
}


def learn(
    statistics: Moments,
    dictionary: Array,
    layout: AtomLayout,
    penalties: Penalties,
    *,
    device: torch.device,
    method: str = "exact",
    momentum: bool = False,
    approach: int = 0,
    max_iter: int = 20,
    tol: float = 0.0,
    callback: Callback | None = None,
) -> Solution:
    """As `core.solver.learn`, on a device; the stopping rule sees every iteration, a few at a time.

    With momentum each iteration is looked at, for its objective says how the next one begins.
    Sweeps of the limit, and an approach by them, need a shared atom.

    The dictionaries since the last look are kept, so that the solution is the one at which the rule
    stops, as if it had looked each time.
    """
    with enough_memory(_bytes(statistics, dictionary), device):
        targets = Uploaded.of(statistics, device)
        D = torch.as_tensor(dictionary, device=device).double()
        if approach:
            D, _, _ = iterate_ahead(ClassSweep(targets, D, layout, penalties), approach, NEAR)
        sweep = SWEEPS[method](targets, D, layout, penalties)
        run = iterate_ahead if momentum else iterate
        D, unused, trace = run(sweep, max_iter, tol, callback)
        found = torch.nn.functional.normalize(D).cpu().numpy()
    return Solution(found.astype(dictionary.dtype, copy=False), trace, unused.cpu().numpy())


def _bytes(statistics: Moments, dictionary: Array) -> int:
    """Three matrices of atoms and classes; per feature, the atoms of nine states and all rows."""
    n_rows = statistics.n_classes + sum(len(scatter.array) for scatter in statistics.scatters)
    needed = 8 * (len(dictionary) + statistics.n_classes) ** 2 * 3
    return needed + 8 * statistics.n_features * (len(dictionary) * (LOOK + 5) + n_rows)


def iterate(
    sweep: OnDevice, max_iter: int, tol: float = 0.0, callback: Callback | None = None
) -> tuple[Tensor, Tensor, list[float]]:
    """Sweep until the rule stops; the dictionary, its unused atoms and the objective's trace."""
    trace: list[float] = []
    D, unused = sweep.dictionary, sweep.unused
    while len(trace) < max_iter:
        values, states = [], []
        for _ in range(min(LOOK, max_iter - len(trace))):
            values.append(sweep())
            states.append((sweep.dictionary, sweep.unused))
        for value, (D, unused) in zip(torch.stack(values).tolist(), states):
            trace.append(value)
            stop = callback(len(trace) - 1, value) if callback else False
            if stop or (len(trace) > 1 and trace[-2] - value < tol * abs(value)):
                return D, unused, trace
    return D, unused, trace


class Ahead(NamedTuple):
    """`core.solver.Sweep` on a device."""

    dictionary: Tensor
    objective: float
    unused: Tensor


def iterate_ahead(
    sweep: OnDevice, max_iter: int, tol: float = 0.0, callback: Callback | None = None
) -> tuple[Tensor, Tensor, list[float]]:
    """`iterate` with momentum."""

    def swept(D: Tensor) -> Ahead:
        sweep.load(D)
        value = float(sweep())
        return Ahead(sweep.dictionary, value, sweep.unused)

    ahead, trace = Momentum(swept), list[float]()
    D, unused = sweep.dictionary, sweep.unused
    for iteration in range(max_iter):
        D, value, unused = ahead(D)
        trace.append(value)
        stop = callback(iteration, value) if callback else False
        if stop or (iteration > 0 and trace[-2] - value < tol * abs(value)):
            break
    return D, unused, trace
