"""Figures of a page: each a drawing, a caption, and its numbers for those who cannot see it."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from crosslabel.lab.report import charts, confusion, pictures
from crosslabel.lab.report.content import (
    AtomSheet,
    BarChart,
    Confusion,
    Figure,
    LineChart,
    StemGrid,
)
from crosslabel.lab.report.html_tables import plain_table
from crosslabel.lab.report.markup import Markup, element, join

MOST_CLASSES = 12  # whose atoms are shown
MOST_ATOMS = 15  # of a class
MOST_POINTS = 24  # in the table of a trace


@singledispatch
def draw_figure(figure: Figure) -> Markup:
    """A figure as markup; each kind registers how it is drawn.

    Parameters
    ----------
    figure : LineChart, BarChart, StemGrid, AtomSheet or Confusion
    """
    raise TypeError(f"There is no drawing of {type(figure).__name__}.")


draw_figure.register(Confusion, confusion.draw)


@draw_figure.register
def line_chart(chart: LineChart) -> Markup:
    """Lines with a legend, and a table of the points."""
    xs = [x for one in chart.series for x, _, _ in one.points]
    low = min(y - (s or 0) for one in chart.series for _, y, s in one.points)
    high = max(y + (s or 0) for one in chart.series for _, y, s in one.points)
    across = (
        charts.steps_axis(chart.x_title, xs)
        if chart.steps
        else charts.linear_axis(chart.x_title, min(xs), max(xs))
    )
    up = (charts.log_axis if chart.logarithmic else charts.linear_axis)(chart.y_title, low, high)
    names = ", ".join(one.name for one in chart.series)
    label = f"{chart.title}: {chart.y_title} against {chart.x_title} for {names}"
    legend = element(
        "ul",
        (
            element("li", charts.key(index, one.dashed), one.name)
            for index, one in enumerate(chart.series)
        ),
        class_="legend",
    )
    return element(
        "figure",
        legend if len(chart.series) > 1 else None,
        charts.lines(chart.series, across, up, label),
        element("figcaption", element("strong", chart.title)),
        element("details", element("summary", "The numbers"), _points(chart)),
    )


def _points(chart: LineChart) -> Markup:
    """A row for each x, a column for each series."""
    found = {
        (one.name, x): f"{y:.4g}" + (f" ± {s:.2f}" if s else "")
        for one in chart.series
        for x, y, s in one.points
    }
    xs = sorted({x for _, x in found})
    kept = xs[:: -(-len(xs) // MOST_POINTS)]
    names = [one.name for one in chart.series]
    rows = [[charts.short(x), *(found.get((name, x), "—") for name in names)] for x in kept]
    return plain_table(chart.title, (chart.x_title, *names), rows)


@draw_figure.register
def bar_chart(chart: BarChart) -> Markup:
    """Bars; their names and values are text already."""

    def show(value: float) -> str:
        return f"{value:.3g}\u00a0{chart.unit}"

    words = "; ".join(f"{name} {show(value)}" for name, value, _ in chart.rows)
    drawn = charts.bars(chart.rows, show, f"{chart.title}: {words}")
    return element("figure", drawn, element("figcaption", element("strong", chart.title)))


@draw_figure.register
def stem_grid(grid: StemGrid) -> Markup:
    """A plot for each setting and class, on one scale in each setting."""
    parts: list[Markup] = []
    for setting, values in zip(grid.settings, grid.values):
        parts.append(element("p", setting, class_="setting"))
        top = float(values.max()) or 1.0
        for name, codes, own in zip(grid.classes, values, grid.own):
            share = codes[own].sum() / (codes.sum() or 1.0)
            words = f"{name}: {share:.0%} of the code on its own atoms".replace("%", " %")
            label = f"Mean absolute code at {setting}, {words}"
            drawn = charts.stems(codes.tolist(), own.tolist(), top, label)
            parts.append(element("div", element("p", words), drawn, class_="cell"))
    caption = element(
        "figcaption", element("strong", grid.title),
        ". The class’s own atoms are shaded.",
    )  # fmt: skip
    return element("figure", element("div", parts, class_="stemgrid"), caption)


@draw_figure.register
def atom_sheet(atoms: AtomSheet) -> Markup:
    """The atoms of the first classes, and the shared ones, a strip for each."""
    labels = [int(label) for label in np.unique(atoms.labels)][:MOST_CLASSES]
    strips = []
    faces = pictures.turned(atoms.pictures)
    for label in labels:
        own = faces[atoms.labels == label][:MOST_ATOMS]
        name = "shared" if label < 0 else atoms.names[label]
        # One picture for those who hear the page; for the others each atom is its own.
        images = (
            element("img", src=pictures.png_address(pictures.gray(atom)), alt="") for atom in own
        )
        words = f"{len(own)} atoms of {name}, as pictures"
        strip = element("div", images, class_="strip", role="img", aria_label=words)
        strips.append(element("div", strip, element("span", name)))
    rest = len(np.unique(atoms.labels)) - len(labels)
    more = f" The first {len(labels)} classes of {len(labels) + rest}." if rest else ""
    caption = element("figcaption", element("strong", atoms.title), f".{more}")
    return element("figure", element("div", strips, class_="atoms"), caption)


def side_by_side(figures: list[Markup]) -> Markup:
    """Charts in as many columns as fit."""
    return element("div", figures, class_="charts") if figures else join(())
