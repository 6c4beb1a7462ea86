"""A measured figure beside its bar, and how it is printed."""

from __future__ import annotations

import math
import operator
import platform
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy
import sklearn

from crosslabel.datasets import MissingData

COMPARISONS = {"<=": operator.le, ">=": operator.ge, ">": operator.gt}


class Line(NamedTuple):
    """What was measured, its value, and the bar, where there is one."""

    what: str
    value: float
    relation: str = ""
    bar: float = math.nan

    @property
    def met(self) -> bool:
        """Whether the bar was met."""
        return not self.relation or bool(COMPARISONS[self.relation](self.value, self.bar))


Part = Callable[[], Iterator[Line]]
"""Lines that are measured together."""


def lines_of(parts: Iterable[Part]) -> Iterator[Line]:
    """All lines of several parts; a part whose data are absent says so and is left out."""
    for part in parts:
        try:
            yield from part()
        except MissingData as absent:
            print(f"skipped: {absent}", flush=True)


def show(title: str, lines: Iterable[Line]) -> int:
    """Print each line as it comes; return how many bars were missed."""
    machine = f"{platform.processor() or platform.machine()}, Python {platform.python_version()}"
    versions = (
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    print(f"{title}\n{machine}, {versions}\n", flush=True)
    missed = 0
    for line in lines:
        missed += not line.met
        bar = f"  {line.relation} {line.bar:<8g}" if line.relation else ""
        verdict = "" if not line.relation else " ok" if line.met else " MISSED"
        print(f"{line.what:<70} {line.value:>10.4g}{bar}{verdict}", flush=True)
    print(f"\n{missed} missed" if missed else "\nall met", flush=True)
    return missed
