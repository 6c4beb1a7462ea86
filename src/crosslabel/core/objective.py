"""The objective, one function per term, from the statistics alone.

Codes are those of the rows of `Moments.targets()`: √n m for the mean m of a class's codes,
then codes Z of its scatter's factor, so that sums over samples become sums over these rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import Block
from crosslabel.core.moments import Targets
from crosslabel.core.scaling import Array


class Penalties(NamedTuple):
    """The weights of the objective: β, λ and γ."""

    ridge: float
    suppression: float
    grouping: float


def group_factor(count: float) -> float:
    """n/(n − 1): the normalised Laplacian of n samples is this times their centring matrix.

    Fractional weights can sum to less than the two samples that a deviation takes; the factor
    then stays at its value for two.
    """
    return max(count, 2.0) / (max(count, 2.0) - 1.0)


def blocks(starts: NDArray[np.intp], counts: Array, penalties: Penalties) -> list[Block]:
    """Rows that share a system: a class's mean with ρ = β, its deviations with β + γn/(n−1)."""
    beta, _, gamma = penalties
    means = [Block(c, slice(c, c + 1), beta) for c in range(len(counts))]
    bounds = zip(starts[:-1].tolist(), starts[1:].tolist())
    deviations = [
        Block(c, slice(a, b), beta + gamma * group_factor(counts[c]))
        for c, (a, b) in enumerate(bounds)
        if b > a
    ]
    return means + deviations


def reconstruction(targets: Targets, codes: Array, dictionary: Array) -> float:
    """Σ_c ‖Yᶜ − XᶜD‖²."""
    residual = targets.rows - codes @ dictionary
    return float(np.vdot(residual, residual))


def ridge_term(codes: Array) -> float:
    """Σ_c ‖Xᶜ‖²."""
    return float(np.vdot(codes, codes))


def suppression_term(targets: Targets, codes: Array, layout: AtomLayout) -> float:
    """Σ_c ‖XᶜPᶜ‖²: energy on the atoms of other classes."""
    n_classes = layout.n_classes
    labels = np.repeat(np.arange(n_classes), np.diff(targets.starts))
    labels = np.concatenate([np.arange(n_classes), labels])
    other = (layout.labels >= 0) & (layout.labels != labels[:, None])
    return float(np.sum(codes**2, where=other))


def grouping_term(targets: Targets, codes: Array, counts: Array) -> float:
    """Σ_c tr(XᶜᵀL̃ᶜXᶜ) = Σ_c n/(n−1) ‖Zᶜ‖²."""
    bounds = zip(targets.starts[:-1], targets.starts[1:])
    energies = [float(np.vdot(codes[a:b], codes[a:b])) for a, b in bounds]
    return float(sum(group_factor(n) * energy for n, energy in zip(counts, energies)))


def objective(
    targets: Targets,
    counts: Array,
    codes: Array,
    dictionary: Array,
    layout: AtomLayout,
    penalties: Penalties,
) -> float:
    """‖Y − XD‖² + β‖X‖² + λ Σ_c ‖XᶜPᶜ‖² + γ Σ_c tr(XᶜᵀL̃ᶜXᶜ)."""
    return (
        reconstruction(targets, codes, dictionary)
        + penalties.ridge * ridge_term(codes)
        + penalties.suppression * suppression_term(targets, codes, layout)
        + penalties.grouping * grouping_term(targets, codes, counts)
    )
