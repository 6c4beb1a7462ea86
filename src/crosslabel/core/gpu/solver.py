"""The loop of `core.solver`; between two looks at the objective everything is on the device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu.atoms import AtomSweep
from crosslabel.core.gpu.coding import SuppressedCoder
from crosslabel.core.gpu.recording import Recording
from crosslabel.core.gpu.tensors import enough_memory
from crosslabel.core.moments import Moments
from crosslabel.core.momentum import Momentum
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback, Solution

LOOK = 4
"""Iterations between two looks at the objective: each look waits for the device."""


class ExactSweep:
    """One iteration: minimise over all codes, then over each atom in turn.

    Parameters
    ----------
    statistics : Moments
    dictionary : ndarray of shape (n_atoms, n_features)
        The start.
    layout : AtomLayout
    penalties : Penalties
    device : torch.device
    """

    def __init__(
        self,
        statistics: Moments,
        dictionary: Array,
        layout: AtomLayout,
        penalties: Penalties,
        device: torch.device,
    ) -> None:
        self.rows, starts = _upload(statistics, device)
        self.energy = self.rows.double().square().sum()
        class_blocks = blocks(starts, statistics.counts, penalties)
        self.coder = SuppressedCoder(self.rows, class_blocks, layout, penalties.suppression)
        start = torch.as_tensor(dictionary, device=device).double()
        self.atoms = AtomSweep(torch.nn.functional.normalize(start))
        self._run = Recording(self._sweep, self.rows.is_cuda and self.coder.is_safe)

    def __call__(self) -> Tensor:
        """The objective after the iteration; still on the device."""
        return self._run()

    def _sweep(self) -> Tensor:
        D = self.atoms.dictionary
        X = self.coder.codes(D)
        B = X.T @ self.rows
        # At the minimiser of the codes all four terms together are ‖Y‖² − ⟨B, D⟩.
        value = self.energy - (B * D).sum()
        return value - self.atoms.update(X.T @ X, B)


def _upload(statistics: Moments, device: torch.device) -> tuple[Tensor, NDArray[np.intp]]:
    """The rows of `Moments.targets`, class by class onto the device, and their starts."""
    scale = np.sqrt(statistics.counts)[:, None].astype(statistics.means.dtype)
    parts = [scale * statistics.means, *(scatter.factor() for scatter in statistics.scatters)]
    ends = np.cumsum([len(part) for part in parts])
    dtype = torch.as_tensor(parts[0]).dtype
    rows = torch.empty((int(ends[-1]), statistics.n_features), dtype=dtype, device=device)
    for part, end in zip(parts, ends.tolist()):
        rows[end - len(part) : end] = torch.as_tensor(part)
    return rows, ends


def learn(
    statistics: Moments,
    dictionary: Array,
    layout: AtomLayout,
    penalties: Penalties,
    *,
    device: torch.device,
    momentum: bool = False,
    max_iter: int = 20,
    tol: float = 0.0,
    callback: Callback | None = None,
) -> Solution:
    """As `core.solver.learn`, on a device; the stopping rule sees every iteration, a few at a time.

    With momentum each iteration is looked at, for its objective says how the next one begins.

    The dictionaries since the last look are kept, so that the solution is the one at which the rule
    stops, as if it had looked each time.
    """
    needed = 8 * (len(dictionary) + statistics.n_classes) ** 2 * 3
    needed += 8 * statistics.n_features * (len(dictionary) * (LOOK + 5) + _n_rows(statistics))
    with enough_memory(needed, device):
        sweep = ExactSweep(statistics, dictionary, layout, penalties, device)
        run = iterate_ahead if momentum else iterate
        D, unused, trace = run(sweep, max_iter, tol, callback)
        found = torch.nn.functional.normalize(D).cpu().numpy()
    return Solution(found.astype(dictionary.dtype, copy=False), trace, unused.cpu().numpy())


def _n_rows(statistics: Moments) -> int:
    return statistics.n_classes + sum(len(scatter.array) for scatter in statistics.scatters)


def iterate(
    sweep: ExactSweep, max_iter: int, tol: float = 0.0, callback: Callback | None = None
) -> tuple[Tensor, Tensor, list[float]]:
    """Sweep until the rule stops; the dictionary, its unused atoms and the objective's trace."""
    trace: list[float] = []
    D, unused = sweep.atoms.dictionary, sweep.atoms.unused
    while len(trace) < max_iter:
        values, states = [], []
        for _ in range(min(LOOK, max_iter - len(trace))):
            values.append(sweep())
            states.append((sweep.atoms.dictionary.clone(), sweep.atoms.unused))
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
    sweep: ExactSweep, max_iter: int, tol: float = 0.0, callback: Callback | None = None
) -> tuple[Tensor, Tensor, list[float]]:
    """`iterate` with momentum."""

    def swept(D: Tensor) -> Ahead:
        sweep.atoms.dictionary.copy_(D)
        value = float(sweep())
        return Ahead(sweep.atoms.dictionary.clone(), value, sweep.atoms.unused)

    ahead, trace = Momentum(swept), list[float]()
    D, unused = sweep.atoms.dictionary.clone(), sweep.atoms.unused
    for iteration in range(max_iter):
        D, value, unused = ahead(D)
        trace.append(value)
        stop = callback(iteration, value) if callback else False
        if stop or (iteration > 0 and trace[-2] - value < tol * abs(value)):
            break
    return D, unused, trace
