"""Tables of a page: ours beside the paper's, with verdicts in words and signs, and plain ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from crosslabel.lab.report.content import Table, TableEntry, TableRow, Value
from crosslabel.lab.report.markup import Markup, element, join
from crosslabel.lab.verdicts import COMPARED

UNITS = {"%": "Per cent, mean", "s": "Seconds, median", "ms": "Milliseconds, median"}
SIGNS = {"above": "▲", "within": "●", "below": "▼"}
PROSE = 48
"""Letters from which a cell is a sentence, and its column wraps."""


def scrolling(table: Markup, label: str) -> Markup:
    """A table in a box that scrolls sideways alone, and that the keyboard reaches."""
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=label)


def caption_of(title: str, small: str | None = None) -> Markup:
    """A caption that stays in sight when its table is scrolled."""
    below = None if small is None else element("small", small)
    return element("caption", element("span", title, below))


def plain_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table of words; the first of each row names it, and a column of sentences wraps.

    Parameters
    ----------
    caption : str
    header : sequence of str
    rows : iterable of sequences of str
    """
    rows = list(rows)
    looks = ["prose" if max(map(len, column)) > PROSE else None for column in zip(header, *rows)]
    head = element(
        "tr", (element("th", word, scope="col", class_=look) for word, look in zip(header, looks))
    )
    body = (
        element(
            "tr",
            element("th", row[0], scope="row", class_=looks[0]),
            (element("td", word, class_=look) for word, look in zip(row[1:], looks[1:])),
        )
        for row in rows
    )
    table = element("table", caption_of(caption), element("thead", head), element("tbody", body))
    return scrolling(table, caption)


def draw_table(table: Table) -> Markup:
    """Ours beside the paper's, what the signs mean, and why a value is below.

    Parameters
    ----------
    table : Table
    """
    caption = caption_of(table.quantity.capitalize(), _unit(table))
    body = element("tbody", (_row(row, table) for row in table.rows))
    drawn = element("table", caption, element("thead", _header(table)), body, class_="results")
    absent = f"Not run yet: {'; '.join(table.absent)}." if table.absent else None
    below = element("p", absent, class_="legend-line") if absent else None
    return join((scrolling(drawn, table.whole_title), _legend(table), below, _reasons(table)))


def shown(value: Value, unit: str) -> str:
    """Mean and deviation as text: two decimals of a per cent, three digits of a time.

    Parameters
    ----------
    value : Value
    unit : str
    """
    digits = 2
    if unit != "%" and value.mean > 0:
        digits = max(0, 2 - math.floor(math.log10(value.mean)))
    spread = "" if value.deviation is None else f" ± {value.deviation:.{digits}f}"
    return f"{value.mean:.{digits}f}{spread}"


def has_paper(table: Table) -> bool:
    """Whether the paper gives any value for the table."""
    return any(entry.paper is not None for _, _, entry in table.entries())


def _unit(table: Table) -> str:
    return f"{UNITS[table.unit]} ± standard deviation over the splits."


def _header(table: Table) -> Markup:
    """The method, then ours; where the paper has values, a group of both for each column."""
    best = "descending" if table.unit == "%" else "ascending"
    if not has_paper(table):
        words = ("method", *table.columns)
        orders = ("ascending", *(best for _ in table.columns))
        return element("tr", (
            element("th", word, scope="col", data_sort=order, data_column=index)
            for index, (word, order) in enumerate(zip(words, orders))
        ))  # fmt: skip
    words = ("ours", "paper")
    first = element("th", "method", scope="col", rowspan=2, data_sort="ascending", data_column=0)
    groups = (
        element("th", column, scope="colgroup", colspan=len(words), class_="group")
        for column in table.columns
    )
    below = (
        element("th", word, scope="col", data_sort=best, data_column=1 + len(words) * index + place)
        for index in range(len(table.columns))
        for place, word in enumerate(words)
    )
    return join((element("tr", first, groups), element("tr", below)))


def _row(row: TableRow, table: Table) -> Markup:
    paper = has_paper(table)
    cells = []
    for entry in row.entries:
        cells.append(_ours(entry, table.unit))
        if paper:
            cells.append(_paper(entry, table.unit))
    name = element("th", row.method, scope="row", data_value=row.method.lower())
    return element("tr", name, cells, class_="flagship" if row.flagship else None)


def _ours(entry: TableEntry, unit: str) -> Markup:
    if entry.ours is None:
        none = element("span", "—", class_="none", title="not run")
        return element("td", none, _verdict(""), class_="first")
    part = None
    if entry.done < entry.wanted:
        part = element("span", f"{entry.done} of {entry.wanted} splits", class_="part")
    value = _value(entry.ours, unit)
    mark = _verdict(entry.verdict)
    return element("td", value, mark, part, class_="first", data_value=repr(entry.ours.mean))


def _verdict(name: str) -> Markup:
    """The sign and its words; the place of a sign where there is none, so that numbers align."""
    if not name:
        return element("span", class_="verdict")
    words = COMPARED[name]
    sign = element("span", SIGNS[name], aria_hidden="true")
    heard = element("span", words, class_="hidden")
    return element("span", sign, heard, class_=f"verdict {name}", title=words)


def _paper(entry: TableEntry, unit: str) -> Markup:
    if entry.paper is None:
        return element("td", element("span", "—", class_="none"), class_="paper")
    mark = element("abbr", "†", title="quoted by the paper") if entry.quoted else None
    value = _value(entry.paper, unit)
    return element("td", value, mark, class_="paper", data_value=repr(entry.paper.mean))


def _value(value: Value, unit: str) -> Markup:
    mean, _, spread = shown(value, unit).partition(" ± ")
    return join((mean, element("span", f" ± {spread}", class_="pm") if spread else None))


def _legend(table: Table) -> Markup | None:
    """The meaning of the signs that this table uses."""
    used = {entry.verdict for _, _, entry in table.entries() if entry.verdict}
    words = [
        join((element("span", SIGNS[name], class_=name, aria_hidden="true"), " ", text))
        for name, text in COMPARED.items()
        if name in used
    ]
    if any(entry.quoted for _, _, entry in table.entries()):
        words.append(Markup("† quoted by the paper from earlier work"))
    if not words:
        return None
    between = [part for word in words for part in (Markup(" · "), word)][1:]
    return element("p", between, class_="legend-line")


def _reasons(table: Table) -> Markup | None:
    """Why values are below; one sentence for all places that share the reason."""
    places: dict[str, list[str]] = {}
    for row, column, entry in table.entries():
        if entry.reason:
            places.setdefault(entry.reason, []).append(f"{row.method}, {column}")
    if not places:
        return None
    items = (
        element("li", element("strong", "; ".join(where)), ": ", reason)
        for reason, where in places.items()
    )
    return element("ul", items, class_="reasons")
