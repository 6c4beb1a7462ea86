"""Parameters of a method by climbing: no best value lies at the edge of what was tried.

A grid has edges, and a best value that lies on one says that a better may lie beyond. A climb has
none: from the start it goes by factors to whichever neighbour is better, and ends where every
parameter has been tried a factor lower and a factor higher without gain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Values = dict[str, float]
Place = tuple[int, ...]  # of each parameter how many factors above its start it is

MOST = 40
"""Evaluations after which a climb gives up: scores that rise for ever have no summit."""


class Climb(NamedTuple):
    """Where a climb has ended.

    Attributes
    ----------
    values : dict of str to float
        The best parameters.
    tried : list of (dict, float)
        All parameters that were tried, with their scores.
    settled : bool
        Whether no neighbour of the best is better; false where the climb gave up.
    """

    values: Values
    tried: list[tuple[Values, float]]
    settled: bool


def climb(
    score: Callable[[Values], float],
    start: Mapping[str, float],
    factors: Mapping[str, float],
    most: int = MOST,
) -> Climb:
    """Parameters whose score no neighbour exceeds.

    Parameters
    ----------
    score : callable
        From parameters to what is to be large; called once for each.
    start : mapping of str to float
        A whole number stays whole, and at least one.
    factors : mapping of str to float
        How far the neighbours of a parameter lie, one entry for each in `start`.
    most : int, default=MOST
        Most calls of `score`.

    Returns
    -------
    Climb
    """
    scores: dict[Place, float] = {}
    known: dict[tuple[float, ...], float] = {}

    def values(place: Place) -> Values:
        return {
            name: _moved(start[name], factors[name], steps) for name, steps in zip(factors, place)
        }

    def height(place: Place) -> float:
        found = values(place)
        key = tuple(found.values())
        if key not in known:
            known[key] = score(found)
        scores[place] = known[key]
        return scores[place]

    best: Place = (0,) * len(factors)
    height(best)
    settled = False
    while not settled and len(known) < most:
        settled = True
        for axis in range(len(factors)):
            for direction in (1, -1):
                while len(known) < most:
                    there = (*best[:axis], best[axis] + direction, *best[axis + 1 :])
                    if height(there) <= scores[best]:
                        break
                    best, settled = there, False
    tried = [(dict(zip(factors, key)), value) for key, value in known.items()]
    return Climb(values(best), tried, settled)


def _moved(start: float, factor: float, steps: int) -> float:
    """So many factors above the start, without the digits that rounding would leave behind."""
    moved = start * factor**steps
    return max(1, round(moved)) if isinstance(start, int) else float(f"{moved:.6g}")
