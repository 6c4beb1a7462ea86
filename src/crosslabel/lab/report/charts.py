"""Charts as SVG: lines, bars and stems, drawn with the page's own colours and fonts.

Nothing has a colour here: every mark has a class, and the style sheet gives it the colour of the
theme. A chart is as wide as a phone and grows no further than is pleasant to read; series differ by
the shape of their marks too, not by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from crosslabel.lab.report.markup import Markup, element, join, number

N_COLOURS = 6


@dataclass(frozen=True)
class Frame:
    """The drawing's size, and the margins around the field inside its axes."""

    width: float
    height: float
    left: float
    right: float = 12.0
    top: float = 12.0
    bottom: float = 40.0

    def across(self, share: float) -> float:
        """From 0 at the left edge of the field to 1 at its right edge."""
        return self.left + share * (self.width - self.left - self.right)

    def up(self, share: float) -> float:
        """From 0 at the foot of the field to 1 at its top."""
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)


LINES = Frame(360.0, 230.0, 54.0)
STEMS = Frame(260.0, 112.0, 32.0, right=4.0, top=6.0, bottom=34.0)


@dataclass(frozen=True)
class Series:
    """Points of one line: x, y and, where known, the standard deviation of y."""

    name: str
    points: tuple[tuple[float, float, float | None], ...]
    dashed: bool = False


@dataclass(frozen=True)
class Axis:
    """What an axis shows: its title, and where on it (from 0 to 1) a value lies."""

    title: str
    place: Callable[[float], float]
    ticks: tuple[tuple[float, str], ...]


def steps_axis(title: str, values: Sequence[float]) -> Axis:
    """One step for each value: for a grid such as 0, 0.2, 2, 20, 200, where zero has a place."""
    order = sorted(set(values))
    gaps = max(1, len(order) - 1)
    found = {value: index / gaps for index, value in enumerate(order)}
    every = math.ceil(len(order) / 9)
    ticks = tuple((v, short(v)) for v in order[::every])
    return Axis(title, lambda value: found[value] if len(order) > 1 else 0.5, ticks)


def linear_axis(title: str, low: float, high: float, n_ticks: int = 5) -> Axis:
    """Even ticks at round numbers around the range."""
    ticks = round_ticks(low, high, n_ticks)
    first, last = ticks[0], ticks[-1]
    decimals = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    labels = tuple((t, f"{t:.{decimals}f}") for t in ticks)
    return Axis(title, lambda value: (value - first) / (last - first), labels)


def log_axis(title: str, low: float, high: float) -> Axis:
    """Powers of ten."""
    first = math.floor(math.log10(low) + 1e-9)
    last = max(first + 1, math.ceil(math.log10(high) - 1e-9))
    every = math.ceil((last - first) / 6)
    ticks = tuple((10.0**p, _power(p)) for p in range(first, last + 1, every))
    return Axis(title, lambda value: (math.log10(value) - first) / (last - first), ticks)


def round_ticks(low: float, high: float, n_ticks: int = 5) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten that enclose a range."""
    if high <= low:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / n_ticks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * index for index in range(first, max(last, first + 1) + 1)]


def short(value: float) -> str:
    """A number as one would write it: 0.002, 20, 2 000."""
    text = f"{value:g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return text.replace(",", "\u202f")


def lines(series: Sequence[Series], x: Axis, y: Axis, label: str) -> Markup:
    """Series over a common axis, with marks at the points and bars of one standard deviation.

    Parameters
    ----------
    series : sequence of Series
    x, y : Axis
    label : str
        What the chart shows, for those who do not see it.
    """
    marks = (_line(one, index, x, y) for index, one in enumerate(series))
    return _canvas(LINES.width, LINES.height, label, _grid(x, y, LINES), marks, kind="lines")


def _line(one: Series, index: int, x: Axis, y: Axis) -> Markup:
    places = [
        (LINES.across(x.place(a)), LINES.up(y.place(b)), a, b, spread)
        for a, b, spread in one.points
    ]
    path = "M" + "L".join(f"{number(a)} {number(b)}" for a, b, *_ in places)
    parts = [element("path", d=path, class_="line dashed" if one.dashed else "line")]
    for left, _, _, value, spread in places:
        if spread:
            high, low = (LINES.up(y.place(value + s * spread)) for s in (1, -1))
            bar = f"M{number(left)} {number(high)}V{number(low)}"
            parts.append(element("path", d=bar, class_="spread"))
    # Marks would hide a line with very many points, such as a trace.
    for left, top, at, value, spread in places if len(places) <= 24 else ():
        text = f"{one.name}: {value:.2f}" + (f" ± {spread:.2f}" if spread else "")
        tip = element("title", f"{text} at {short(at)}")
        shape = element("path", tip, d=MARKS[index % len(MARKS)], class_="mark")
        move = f"translate({number(left)} {number(top)})"
        parts.append(element("g", shape, transform=move))
    return element("g", parts, class_=f"series s{index % N_COLOURS}")


MARKS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",  # disc
    "M-3.2-3.2h6.4v6.4h-6.4z",  # square
    "M0-4.4L4.2 3.2h-8.4z",  # triangle
    "M0-4.6L4.6 0L0 4.6L-4.6 0z",  # diamond
    "M0 4.4L4.2-3.2h-8.4z",  # triangle, point down
    "M-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",  # cross
)


def key(index: int, dashed: bool = False) -> Markup:
    """The mark of a series, for a legend."""
    line = element("path", d="M1 6H23", class_="line dashed" if dashed else "line")
    mark = element("path", d=MARKS[index % len(MARKS)], class_="mark")
    held = element("g", mark, transform="translate(12 6)")
    return element(
        "svg", line, held, viewBox="0 0 24 12", class_=f"key series s{index % N_COLOURS}",
        aria_hidden="true",
    )  # fmt: skip


def bars(
    rows: Sequence[tuple[str, float, str]], show: Callable[[float], str], label: str
) -> Markup:
    """Horizontal bars, the name above each and the value at its end.

    Parameters
    ----------
    rows : sequence of (name, value, class)
        The class says how the bar looks: "ours", "rival" or "paper".
    show : callable
        Value as text with its unit.
    label : str
    """
    step, thick = 30.0, 9.0
    most = max(value for _, value, _ in rows) or 1.0
    room = LINES.width - 92.0  # the value stands to the right of the longest bar
    parts = []
    for index, (name, value, look) in enumerate(rows):
        top = 6 + index * step
        length = max(1.5, room * value / most)
        words = element("text", name, x=0, y=top + 8, class_=f"name {look}")
        bar = element(
            "rect", x=0, y=top + 13, width=length, height=thick, rx=1.5, class_=f"bar {look}"
        )
        text = element("text", show(value), x=length + 6, y=top + 21, class_="value")
        parts.append(join((words, bar, text)))
    return _canvas(LINES.width, 6 + step * len(rows), label, parts, kind="bars")


def stems(values: Sequence[float], own: Sequence[bool], top: float, label: str) -> Markup:
    """Mean absolute code: a stem for each atom, those of the class itself marked.

    Parameters
    ----------
    values : sequence of float
    own : sequence of bool
        Whether the atom belongs to the class.
    top : float
        Value at the upper end, the same for plots that are compared.
    label : str
    """
    n_atoms = len(values)
    x = Axis("atom", lambda value: (value + 0.5) / n_atoms, _atom_ticks(n_atoms))
    y = linear_axis("", 0.0, top, 2)
    floor = number(STEMS.up(0.0))
    paths: dict[bool, list[str]] = {False: [], True: []}
    for index, (value, is_own) in enumerate(zip(values, own)):
        across, high = STEMS.across(x.place(index)), STEMS.up(min(1.0, y.place(value)))
        paths[bool(is_own)].append(f"M{number(across)} {floor}V{number(high)}")
    wide = max(0.5, min(2.4, 0.8 * (STEMS.across(1) - STEMS.across(0)) / n_atoms))
    parts = [_band(own, x)]
    for is_own, look in ((False, "stem"), (True, "stem own")):
        parts.append(element("path", d="".join(paths[is_own]), class_=look, stroke_width=wide))
    return _canvas(STEMS.width, STEMS.height, label, _grid(x, y, STEMS), parts, kind="stems")


def _atom_ticks(n_atoms: int) -> tuple[tuple[float, str], ...]:
    inside = [t for t in round_ticks(0, n_atoms, 4) if t < n_atoms]
    return tuple((t, f"{t:.0f}") for t in inside)


def _band(own: Sequence[bool], x: Axis) -> Markup:
    """A shade behind the class's own atoms, which may lie in several runs."""
    flags = [False, *map(bool, own), False]
    edges = [index for index, (a, b) in enumerate(pairwise(flags)) if a != b]
    shades = []
    for start, stop in zip(edges[::2], edges[1::2]):
        left, right = (STEMS.across(x.place(edge - 0.5)) for edge in (start, stop))
        high, low = STEMS.up(1), STEMS.up(0)
        shades.append(element(
            "rect", x=left, y=high, width=right - left, height=low - high, class_="band"
        ))  # fmt: skip
    return join(shades)


def _grid(x: Axis, y: Axis, frame: Frame) -> Markup:
    """Faint lines at the ticks of y, labels on both axes, and the titles."""
    left, right = (number(frame.across(share)) for share in (0, 1))
    parts = []
    for value, text in y.ticks:
        level = frame.up(y.place(value))
        parts.append(element("path", d=f"M{left} {number(level)}H{right}", class_="rule"))
        parts.append(element("text", text, x=frame.left - 7, y=level + 3.8, class_="tick end"))
    for value, text in x.ticks:
        across, below = frame.across(x.place(value)), frame.up(0) + 15
        parts.append(element("text", text, x=across, y=below, class_="tick middle"))
    middle, foot = frame.across(0.5), frame.height - 6
    parts.append(element("text", x.title, x=middle, y=foot, class_="axis middle"))
    if y.title:
        turn = f"translate(10 {number(frame.up(0.5))}) rotate(-90)"
        parts.append(element("text", y.title, transform=turn, class_="axis middle"))
    return join(parts)


def _canvas(width: float, height: float, label: str, *parts: object, kind: str) -> Markup:
    return element(
        "svg", parts, viewBox=f"0 0 {number(width)} {number(height)}", role="img",
        aria_label=label, class_=f"chart {kind}",
    )  # fmt: skip


def _power(power: int) -> str:
    if -3 <= power <= 3:
        return short(10.0**power)
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
