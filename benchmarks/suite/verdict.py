"""What the record says of the flagship: margins, ranks, calibration and the unknown, with bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.lines import Line
from benchmarks.suite.record import Record
from benchmarks.suite.rivals import FLAGSHIP, METHODS, UNIT

WORST = 1.5
"""Points that a cell may lie below its best rival, if these are within two standard errors."""


class Margin(NamedTuple):
    """A cell's best rival, our accuracy less its, over the same splits, and the standard error."""

    cell: str
    rival: str
    mean: float
    error: float

    @property
    def lost(self) -> bool:
        """Whether the cell is lost: by more than the points allowed and two standard errors."""
        return self.mean < -WORST / 100 and self.mean < -2 * self.error


def complete(record: Record) -> list[str]:
    """Cells that the flagship and at least one rival were measured in."""
    return [
        cell
        for cell, methods in record.cells.items()
        if FLAGSHIP in methods and len(set(methods).intersection(METHODS)) > 1
    ]


def margin(record: Record, cell: str) -> Margin:
    """Against the best rival of the cell, over the splits that both were measured in."""
    found = record.cells[cell]
    rivals = [name for name in found if name in METHODS and name != FLAGSHIP]
    best = max(rivals, key=lambda name: record.values(cell, name, "accuracy").mean())
    shared = sorted(set(found[best]).intersection(found[FLAGSHIP]), key=int)
    gains = np.array([found[FLAGSHIP][s]["accuracy"] - found[best][s]["accuracy"] for s in shared])
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else float("inf")
    return Margin(cell, best, float(gains.mean()), float(error))


def ranks(record: Record) -> dict[str, float]:
    """Mean rank of each method over the complete cells; 1 is best, equals share their ranks."""
    gathered: dict[str, list[float]] = {}
    for cell in complete(record):
        names = [name for name in record.cells[cell] if name in METHODS]
        scores = np.array([record.values(cell, name, "accuracy").mean() for name in names])
        for name, score in zip(names, scores):
            rank = 1 + (scores > score).sum() + 0.5 * ((scores == score).sum() - 1)
            gathered.setdefault(name, []).append(float(rank))
    return dict(sorted(((n, float(np.mean(r))) for n, r in gathered.items()), key=lambda p: p[1]))


def regrets(record: Record) -> dict[str, float]:
    """Mean accuracy that a method lacks of the best of each cell, in points."""
    gathered: dict[str, list[float]] = {}
    for cell in complete(record):
        names = [name for name in record.cells[cell] if name in METHODS]
        scores = {name: record.values(cell, name, "accuracy").mean() for name in names}
        for name, score in scores.items():
            gathered.setdefault(name, []).append(100 * float(max(scores.values()) - score))
    return dict(sorted(((n, float(np.mean(r))) for n, r in gathered.items()), key=lambda p: p[1]))


def mean_of(record: Record, method: str, what: str, beside: str) -> float:
    """Mean over the cells in which both methods have this number."""
    cells = [
        record.values(cell, method, what).mean()
        for cell in complete(record)
        if record.values(cell, method, what).size and record.values(cell, beside, what).size
    ]
    return float(np.mean(cells)) if cells else float("nan")


def logistic(record: Record, what: str) -> float:
    """Mean over the cells of LogisticRegression's number, by the better of its two scalings."""
    cells = []
    for cell in complete(record):
        ways = [record.values(cell, name, what) for name in ("logistic", "logistic" + UNIT)]
        if ways[0].size and record.values(cell, FLAGSHIP, what).size:
            cells.append(min(values.mean() for values in ways if values.size))
    return float(np.mean(cells)) if cells else float("nan")


def novelties(record: Record) -> dict[str, float]:
    """Mean AUROC over the cells of our `novelty_score` and of what keeps the samples."""
    names = ("nearest, unit norm", "LOF, unit norm", "nearest, scaled", "LOF, scaled")
    cells = [
        cell
        for cell in complete(record)
        if record.values(cell, FLAGSHIP, "novelty").size
        and record.values(cell, "novelty", names[0]).size
    ]
    if not cells:
        return {}
    found = {
        name: [record.values(cell, "novelty", name).mean() for cell in cells] for name in names
    }
    ours = [record.values(cell, FLAGSHIP, "novelty").mean() for cell in cells]
    return {FLAGSHIP: float(np.mean(ours))} | {n: float(np.mean(v)) for n, v in found.items()}


def lines(record: Record) -> Iterator[Line]:
    """The bars of the suite."""
    margins = [margin(record, cell) for cell in complete(record)]
    if not margins:
        return
    yield Line("cells", len(margins), ">=", 1)
    mean = 100 * float(np.mean([one.mean for one in margins]))
    yield Line("mean margin to the best rival of each cell, points", mean, ">=", 0)
    ranked = ranks(record)
    others = min(rank for name, rank in ranked.items() if name != FLAGSHIP)
    yield Line("mean rank, below the next method's", ranked[FLAGSHIP], "<=", others)
    lost = [one for one in margins if one.lost]
    yield Line(f"cells lost by {WORST} points and two standard errors", len(lost), "<=", 0)
    for what, name in (("log_loss", "log loss"), ("ece", "calibration error")):
        bar = logistic(record, what)
        yield Line(f"mean {name}, below LogisticRegression's",
                   mean_of(record, FLAGSHIP, what, "logistic"), "<=", bar)  # fmt: skip
    found = novelties(record)
    for rival in [name for name in found if name != FLAGSHIP]:
        yield Line(f"mean novelty AUROC, above {rival}", found[FLAGSHIP], ">=", found[rival])
