"""How sure a share of successes is."""

from __future__ import annotations

import math

Z = 1.959964  # two-sided 95 % of the normal distribution


def wilson_interval(successes: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share: sensible for few samples and near 0 and 1.

    The p with |p̂ − p| ≤ z √(p(1 − p)/n).

    Parameters
    ----------
    successes, total : int

    Returns
    -------
    low, high : float
    """
    n, p = total, successes / total
    centre = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    reach = Z / (1 + Z**2 / n) * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    # The ends are exactly 0 and 1 there, but for rounding.
    low = centre - reach if successes else 0.0
    high = centre + reach if successes < total else 1.0
    return low, high
