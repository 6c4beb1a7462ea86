"""The unit of samples: a dictionary does not depend on it, but the range of a type does.

All terms of the objective are quadratic in samples and codes together. Samples divided by s give
codes divided by s, an objective divided by s², and the same dictionary; by a power of two nothing
is rounded. On the way squares of squares are formed, which leave the range of a type long before
the samples do.
"""

from __future__ import annotations

import numpy as np

from crosslabel.core.moments import Moments, Scatter

ORDINARY = 2.0**20
"""Samples larger or smaller than this, or than one over it, are divided."""


def in_own_unit(statistics: Moments) -> tuple[Moments, float]:
    """Statistics of the samples divided by a power of two s, so that they are near one in size.

    Parameters
    ----------
    statistics : Moments

    Returns
    -------
    statistics : Moments
        As they were, where the samples are neither very large nor very small.
    unit : float
        s², by which an objective is multiplied to be in the unit of the samples.
    """
    size = _size(statistics)
    if not np.isfinite(size) or 1 / ORDINARY <= size <= ORDINARY or size == 0:
        return statistics, 1.0
    exponent = int(np.floor(np.log2(size)))
    scatters = tuple(
        Scatter(np.ldexp(s.array, -exponent if s.is_factor else -2 * exponent), s.is_factor)
        for s in statistics.scatters
    )
    means = np.ldexp(statistics.means, -exponent)
    return Moments(statistics.counts, means, scatters), 2.0 ** (2 * exponent)


def _size(statistics: Moments) -> float:
    """Of the largest value of a sample, as far as the statistics tell."""
    peaks = [float(np.abs(statistics.means).max(initial=0.0))]
    for scatter in statistics.scatters:
        peak = float(np.abs(scatter.array).max(initial=0.0))
        peaks.append(peak if scatter.is_factor else peak**0.5)
    return max(peaks)
