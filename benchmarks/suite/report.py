"""The record as one table and one picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.suite.record import Record
from benchmarks.suite.rivals import FLAGSHIP, METHODS
from benchmarks.suite.verdict import complete, margin, mean_of, novelties, ranks, regrets


def markdown(record: Record) -> str:
    """Accuracy of every method in every cell, then ranks, regrets and calibration."""
    methods = [name for name in METHODS if any(name in m for m in record.cells.values())]
    head = ["cell", *methods, "margin", "fit s"]
    lines = [_row(head), _row(["---"] * len(head))]
    for cell in complete(record):
        own = margin(record, cell)
        accuracies = [_accuracy(record, cell, name) for name in methods]
        seconds = record.values(cell, FLAGSHIP, "seconds").mean()
        gap = f"{100 * own.mean:+.1f}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{100 * own.error:.1f}"
        lines.append(_row([cell, *accuracies, gap, f"{seconds:.2g}"]))
    return "\n".join([*lines, "", *_summary(record)]) + "\n"


def _accuracy(record: Record, cell: str, name: str) -> str:
    values = record.values(cell, name, "accuracy")
    return f"{100 * values.mean():.1f}" if values.size else ""


def _summary(record: Record) -> list[str]:
    """The methods over all cells, and how the unknown is told."""
    if not complete(record):
        return []
    missing = regrets(record)
    head = ["method", "mean rank", "points below the best", "log loss", "calibration error"]
    lines = [_row(head), _row(["---"] * len(head))]
    for name, rank in ranks(record).items():
        quality = [mean_of(record, name, what, FLAGSHIP) for what in ("log_loss", "ece")]
        numbers = ["" if np.isnan(number) else f"{number:.3f}" for number in quality]
        lines.append(_row([name, f"{rank:.2f}", f"{missing[name]:.2f}", *numbers]))
    worst = min((margin(record, cell) for cell in complete(record)), key=lambda one: one.mean)
    lines += ["", f"Worst cell: {worst.cell}, {100 * worst.mean:+.1f} ± {100 * worst.error:.1f} "
              f"points beside {worst.rival}.", ""]  # fmt: skip
    told = "; ".join(f"{name} {value:.3f}" for name, value in novelties(record).items())
    return [*lines, f"Unknown classes, mean AUROC: {told}."]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def draw(record: Record, place: Path) -> None:
    """Margin to the best rival of each cell, a bar each, with its standard error."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    margins = sorted((margin(record, cell) for cell in complete(record)), key=lambda one: one.mean)
    if not margins:
        return
    figure, axes = plt.subplots(figsize=(7, 1 + 0.2 * len(margins)), layout="constrained")
    places = np.arange(len(margins))
    values = np.array([100 * one.mean for one in margins])
    errors = np.array([100 * one.error if np.isfinite(one.error) else 0 for one in margins])
    colours = np.where(values < 0, "C3", "C0")
    axes.barh(places, values, xerr=errors, color=colours.tolist(), ecolor="0.4", height=0.7)
    names = [f"{one.cell} (best rival: {one.rival})" for one in margins]
    axes.set_yticks(places, names, fontsize=7)
    axes.axvline(values.mean(), color="k", linewidth=1, label=f"mean {values.mean():+.2f}")
    axes.set(xlabel="accuracy of the defaults less the best rival's, points")
    axes.legend(fontsize=8, loc="lower right")
    axes.margins(y=0.01)
    figure.savefig(place)
    plt.close(figure)
