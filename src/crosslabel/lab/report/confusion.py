"""A confusion matrix one can walk in: a drawing, its numbers for the script, and a table beside it.

Without the script the drawing and the table remain. The script (`page.js`) lets the pointer and the
arrow keys move over the cells; it says each cell's sentence in a tip and in a live region.
"""

from __future__ import annotations

import json

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.lab.report.content import Confusion
from crosslabel.lab.report.html_tables import plain_table
from crosslabel.lab.report.markup import Markup, element, join

FIELD = 280.0  # side of the square of cells
MOST_NAMED = 20  # classes; with more of them the names and numbers could not be read
MOST_PAIRS = 15
MOST_LETTERS = 14  # of a name beside the drawing


def draw(confusion: Confusion) -> Markup:
    """The matrix with its caption, live region and table.

    Parameters
    ----------
    confusion : Confusion
    """
    hint = "Point at a cell, or walk through them with the arrow keys."
    shares = row_shares(confusion.counts)
    said = f"{np.trace(confusion.counts) / confusion.counts.sum():.1%} recognised. {hint}"
    box = element(
        "div",
        _drawing(confusion, shares),
        element("div", class_="tip", aria_hidden="true"),
        element("script", Markup(_data(confusion)), type="application/json"),
        class_="matrix", tabindex=0, role="application",
        aria_label=f"Confusion matrix, {confusion.title}. Arrow keys walk through the cells.",
    )  # fmt: skip
    caption = element(
        "figcaption", element("strong", confusion.title),
        ". Rows: the class of the samples; columns: what they were taken for.",
    )  # fmt: skip
    live = element("p", said.replace("%", " %"), class_="said", aria_live="polite")
    return element(
        "figure", box, live, caption, _alternative(confusion, shares), class_="confusion"
    )


def row_shares(counts: Array) -> Array:
    """Counts as shares of their row; an empty row stays zero."""
    totals = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)


def pairs(confusion: Confusion) -> list[tuple[str, str, float, float]]:
    """Confusions, most frequent first: class, what it was taken for, count, share."""
    shares = row_shares(confusion.counts)
    off = confusion.counts - np.diag(np.diag(confusion.counts))
    order = np.argsort(-off, axis=None, kind="stable")[: np.count_nonzero(off)]
    found = []
    for place in order:
        row, column = divmod(int(place), len(confusion.names))
        names = confusion.names[row], confusion.names[column]
        found.append((*names, float(off[row, column]), float(shares[row, column])))
    return found


def _geometry(n_classes: int) -> tuple[float, float, float]:
    """Left and upper edge of the cells, and the side of one."""
    return (82.0 if n_classes <= MOST_NAMED else 18.0), 4.0, FIELD / n_classes


def _data(confusion: Confusion) -> str:
    left, top, size = _geometry(len(confusion.names))
    counts = [[round(float(c), 4) for c in row] for row in confusion.counts]
    whole = [[int(c) if c.is_integer() else c for c in row] for row in counts]
    data = {"left": left, "top": top, "size": size, "names": confusion.names, "counts": whole}
    # "</script>" in a name would end the element.
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _drawing(confusion: Confusion, shares: Array) -> Markup:
    n_classes = len(confusion.names)
    left, top, size = _geometry(n_classes)
    named = n_classes <= MOST_NAMED
    gap = 1.0 if named else 0.0
    parts = [element("rect", x=left, y=top, width=FIELD, height=FIELD, class_="field")]
    for row, column in np.argwhere(shares > 0):
        share, hit = float(shares[row, column]), row == column
        x, y = left + column * size, top + row * size
        shade = _shade(share, hit)
        parts.append(element(
            "rect", x=x + gap / 2, y=y + gap / 2, width=size - gap, height=size - gap,
            class_="hit" if hit else "miss", fill_opacity=shade,
        ))  # fmt: skip
        if named and share >= 0.0095:
            parts.append(element(
                "text", f"{100 * share:.0f}", x=x + size / 2, y=y + size / 2 + 2.6,
                class_="number on" if shade > 0.5 else "number", font_size=7.5,
            ))  # fmt: skip
    parts.append(_names(confusion.names) if named else _sides())
    parts.append(element("rect", x=left, y=top, width=size, height=size, class_="cursor"))
    longest = max(len(name[:MOST_LETTERS]) for name in confusion.names)
    height = top + FIELD + (10 + 5.3 * longest if named else 18)
    return element("svg", parts, viewBox=f"0 0 {left + FIELD:g} {height:g}", aria_hidden="true")


def _shade(share: float, hit: bool) -> float:
    """Opacity of a cell: none between 0.42 and 0.8, where no number on it could be read."""
    if not hit:
        return min(0.42, 0.1 + 0.5 * share**0.5)
    return 0.1 + 0.53 * share if share < 0.6 else 0.8 + 0.5 * (share - 0.6)


def _names(names: tuple[str, ...]) -> Markup:
    left, top, size = _geometry(len(names))
    parts = []
    for index, name in enumerate(names):
        middle = (index + 0.5) * size
        words = name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
        parts.append(element(
            "text", words, x=left - 5, y=top + middle + 3, text_anchor="end", font_size=9.5
        ))  # fmt: skip
        turn = f"translate({left + middle + 3:.1f} {top + FIELD + 6:.1f}) rotate(-90)"
        parts.append(element("text", words, transform=turn, text_anchor="end", font_size=9.5))
    return join(parts)


def _sides() -> Markup:
    turn = f"translate(11 {4 + FIELD / 2:g}) rotate(-90)"
    down = element(
        "text", "class of the samples", transform=turn, text_anchor="middle", font_size=9.5
    )
    across = element(
        "text", "taken for", x=18 + FIELD / 2, y=FIELD + 17, text_anchor="middle", font_size=9.5
    )
    return join((down, across))


def _alternative(confusion: Confusion, shares: Array) -> Markup:
    """What the drawing shows, as tables: the most frequent confusions, and each class's recall."""
    worst = plain_table(
        f"Most frequent confusions, {confusion.title}",
        ("class", "taken for", "samples", "share"),
        [
            (one, other, f"{count:g}", f"{100 * share:.1f} %")
            for one, other, count, share in pairs(confusion)[:MOST_PAIRS]
        ],
    )
    totals = confusion.counts.sum(axis=1)
    recall = plain_table(
        f"Recall of each class, {confusion.title}",
        ("class", "samples", "recognised"),
        [
            (name, f"{total:g}", f"{100 * share:.1f} %")
            for name, total, share in zip(confusion.names, totals, np.diag(shares))
        ],
    )
    return element("details", element("summary", "The matrix as tables"), worst, recall)
