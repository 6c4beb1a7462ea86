"""The model without suppressed codes (λ = ∞) and grouping (γ = 0), solved in closed form.

Each class is a problem of its own: the axes of its second moment, with the energies of
`core.water_filling`, rotated to unit-norm atoms by `core.rotation`. No start, no iteration, no seed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import one_thread
from crosslabel.core.objective import Penalties
from crosslabel.core.rotation import unit_atoms
from crosslabel.core.scaling import Array
from crosslabel.core.shared_variation import SharedVariation
from crosslabel.core.solver import Solution
from crosslabel.core.spectrum import Alike, alike, row_spectra
from crosslabel.core.statistics import ClassStatistics
from crosslabel.core.water_filling import energies, unexplained


def closed_form(
    statistics: ClassStatistics,
    layout: AtomLayout,
    penalties: Penalties,
    likeness: Array | None = None,
) -> Solution:
    """min over unit-norm D_c and X_c of Σ_c ‖Y_c − X_cD_c‖² + β‖X_c‖², exactly.

    Shared atoms are the main directions in which samples of one class differ, of energy one; the
    classes then part again, and their atoms are the best along the axes of what those leave.

    Parameters
    ----------
    statistics : ClassStatistics
    layout : AtomLayout
    penalties : Penalties
        The ridge β ≥ 0 counts; suppression is infinite and grouping zero, whatever they say.
    likeness : ndarray of shape (n_atoms, n_features), optional
        Rows in the order of the layout that the atoms of the classes shall look like.

    Returns
    -------
    Solution
        With a trace of one value, and one of each class where no atoms are shared.
    """
    dtype, ridge = statistics.means.dtype, penalties.ridge
    D = np.empty((layout.n_atoms, statistics.n_features), dtype)
    values, unused = np.empty(layout.n_classes), np.zeros(layout.n_atoms, dtype=bool)
    shared = SharedVariation.of(statistics, layout.shared) if layout.shared else None
    if shared is not None:
        D[: layout.shared] = shared.atoms
    with one_thread():
        for group in alike(statistics, layout.per_class):
            n_atoms = layout.per_class[group.classes[0]]
            places = layout.starts[group.classes][:, None] + np.arange(n_atoms)
            wanted = None if likeness is None else likeness[places].astype(np.float64)
            means = statistics.means[group.classes].astype(np.float64)
            atoms, values[group.classes], idle = _learn(group, shared, n_atoms, ridge, means, wanted)
            D[places], unused[places] = atoms, idle[:, None]
    apart = () if layout.shared else tuple([value] for value in values.tolist())
    return Solution(D, [float(values.sum())], unused, apart)


def _learn(
    group: Alike,
    shared: SharedVariation | None,
    n_atoms: int,
    ridge: float,
    means: Array,
    likeness: Array | None,
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Atoms and objective of each class, and whether all its samples are zero."""
    if shared is None:
        values, axes, rest = group.spectra(n_atoms)
        energy = energies(values, n_atoms, ridge)
    else:
        values, axes, rest = shrunk(group, shared, ridge).spectra()
        expanded = shared.expand(axes, ridge)
        # An atom along an axis of the metric has this norm where its code has norm one.
        prices = np.einsum("nmf,nmf->nm", expanded, expanded)
        energy = energies(values, n_atoms, ridge, np.where(prices > 0, prices, 1))
    objective = unexplained(values, energy, ridge) + rest
    nothing = values[:, 0] == 0
    if shared is not None:
        roots, axes, _ = row_spectra(np.sqrt(energy)[..., None] * expanded, n_atoms)
        energy = roots**2 * (n_atoms / np.sum(roots**2, axis=1, keepdims=True))
    return unit_atoms(energy, axes, n_atoms, means, likeness), objective, nothing


def shrunk(group: Alike, shared: SharedVariation, ridge: float) -> Alike:
    """Second moments LML in the metric that the shared atoms leave."""
    moments = shared.shrink(group.moments, ridge)
    if not group.are_rows:
        moments = shared.shrink(moments.transpose(0, 2, 1), ridge)
    return group._replace(moments=moments)
