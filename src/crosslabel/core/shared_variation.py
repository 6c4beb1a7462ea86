"""What the classes have in common, how their samples vary: the shared atoms in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosslabel.core.moments import Moments, within_scatter
from crosslabel.core.rotation import unit_atoms
from crosslabel.core.scaling import Array
from crosslabel.core.spectrum import scatter_spectrum


@dataclass(frozen=True)
class SharedVariation:
    """Shared atoms as axes v_i with energies q_i, and the metric in which they leave the classes.

    With Q₀ = Σ q_i v_ivᵢᵀ a class's share of the objective is tr(M(I + Q₀/β + Q/β)⁻¹), which is
    tr(LML(I + LQL/β)⁻¹) with L = (I + Q₀/β)^(−½).

    Attributes
    ----------
    atoms : ndarray of shape (n_shared, n_features)
        Unit-norm rows.
    axes : ndarray of shape (n_axes, n_features)
        Orthonormal rows.
    energy : float
        q, the same for each axis: one, or more where there are fewer axes than shared atoms.
    """

    atoms: Array
    axes: Array
    energy: float

    @classmethod
    def of(cls, statistics: Moments, n_shared: int) -> SharedVariation:
        """The top eigenvectors of the pooled within-class scatter."""
        spectrum = scatter_spectrum(within_scatter(statistics), n_shared)
        n_axes = len(spectrum.values)
        energies = np.full(n_axes, n_shared / n_axes)
        if n_axes == n_shared:
            return cls(spectrum.axes, spectrum.axes, 1.0)
        mean = statistics.counts @ statistics.means.astype(np.float64)
        return cls(unit_atoms(energies, spectrum.axes, n_shared, mean), spectrum.axes, energies[0])

    def shrink(self, rows: Array, ridge: float) -> Array:
        """Rows times L."""
        factor = np.sqrt(ridge / (self.energy + ridge)) if ridge else 0.0
        return self._scaled(rows, factor)

    def expand(self, rows: Array, ridge: float) -> Array:
        """Rows times L⁻¹; without ridge, rows that have nothing along the shared axes."""
        factor = np.sqrt(1 + self.energy / ridge) if ridge else 1.0
        return self._scaled(rows, factor)

    def _scaled(self, rows: Array, factor: float) -> Array:
        """Rows whose part along the axes is multiplied."""
        return rows + (factor - 1) * (rows @ self.axes.T) @ self.axes
