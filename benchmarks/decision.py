"""The decision figure of the docs, `docs/images/which.svg`: what to take when, with evidence.

`make figures` draws it; the numbers in it are those of the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from benchmarks.figures import ROOT, figures

PLACE = ROOT / "docs" / "images" / "which.svg"
LEFT, RIGHT, WIDTH, TALL = 0.0, 4.1, 3.5, 0.78


class Step(NamedTuple):
    """A question, what to take where the answer is yes, and what was measured."""

    question: str
    take: str
    evidence: str


STEPS = [
    Step("Photos?", "--features auto: embeddings", "ORL: pixels {orl} %, embeddings {embed-orl} %"),
    Step("Short clips?", "--features lbptop", "15 dynamic textures: {textures-bins} %"),
    Step("More data than memory,\nor samples to take back?", "partial_fit, forget, fit(path)",
         "exact: the model of one fit"),
    Step("Thousands of classes?", 'rule="local", ridge named',
         "10,000 classes are learnt in {many-seconds} s"),
    Step("Noise in the queries?", 'rule="local", or SRC(robust=True)',
         "half the pixels noise: {corrupt-local} %, {corrupt-robust} %"),
    Step("Queries of no known class?", "RejectingClassifier", "mean AUROC {novelty}"),
    Step("None of these, or in doubt", "CrossLabelClassifier()",
         "mean rank {rank}, the next {rank-next}"),
]  # fmt: skip


def draw(steps: list[Step], known: Mapping[str, str], place: Path) -> None:
    """Questions on the left, from top to bottom; what to take on the right.

    Parameters
    ----------
    steps : list of Step
    known : mapping of str to str
        Figures by name, which evidence may hold in braces.
    place : path
        Of the picture; the same content gives the same bytes.
    """
    figure = Figure(figsize=(7.6, 1.05 * len(steps)), layout="constrained")
    ax = figure.subplots()
    for row, step in enumerate(steps):
        y = -1.15 * row
        _box(ax, LEFT, y, step.question, "#e8eef7")
        _box(ax, RIGHT, y, f"{step.take}\n", "#e6f4e6")
        said = step.evidence.format_map(known)
        middle = RIGHT + WIDTH / 2
        ax.text(middle, y - 0.2, said, ha="center", va="center", fontsize=10.5, color="0.3")
        last = row == len(steps) - 1
        _arrow(ax, (LEFT + WIDTH, y), (RIGHT, y), "" if last else "yes")
        if not last:
            below = LEFT + WIDTH / 2
            _arrow(ax, (below, y - TALL / 2), (below, y - 1.15 + TALL / 2), "then")
    ax.set(xlim=(-0.1, RIGHT + WIDTH + 0.1), ylim=(-1.15 * (len(steps) - 1) - 0.5, 0.5))
    ax.set_axis_off()
    with mpl.rc_context({"svg.hashsalt": "crosslabel", "svg.fonttype": "none"}):
        figure.savefig(place, metadata={"Date": None})


def _box(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    shape = FancyBboxPatch(
        (x, y - TALL / 2), WIDTH, TALL, boxstyle="round,pad=0,rounding_size=0.12",
        facecolor=colour, edgecolor="0.5",
    )  # fmt: skip
    ax.add_patch(shape)
    ax.text(x + WIDTH / 2, y, text, ha="center", va="center", fontsize=12.5)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], word: str) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": "0.4"})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    if start[1] == end[1]:
        ax.text(x, y + 0.04, word, fontsize=11, color="0.3", ha="center", va="bottom")
    else:
        ax.text(x + 0.08, y, word, fontsize=11, color="0.3", va="center")


if __name__ == "__main__":
    draw(STEPS, figures(), PLACE)
