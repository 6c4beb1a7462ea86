"""Tables of a page: ours beside the paper's, with verdicts in words and signs, and plain ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crosslabel.report.content import VERDICTS, Entry, Row, Table, Value
from crosslabel.report.markup import Markup, element, join

SIGNS = {"above": "▲", "within": "●", "below": "▼"}


def scrolling(table: Markup, label: str) -> Markup:
    """A table in a box that scrolls sideways alone, and that the keyboard reaches."""
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=label)


def plain_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table of words; the first of each row names it.

    Parameters
    ----------
    caption : str
    header : sequence of str
    rows : iterable of sequences of str
    """
    head = element("tr", (element("th", word, scope="col") for word in header))
    body = (
        element(
            "tr", element("th", row[0], scope="row"), (element("td", word) for word in row[1:])
        )
        for row in rows
    )
    table = element(
        "table", element("caption", caption), element("thead", head), element("tbody", body)
    )
    return scrolling(table, caption)


def draw_table(table: Table) -> Markup:
    """Ours beside the paper's, what the signs mean, and why a value is below.

    Parameters
    ----------
    table : Table
    """
    caption = element("caption", table.title, element("small", _unit(table)))
    body = element("tbody", (_row(row, table) for row in table.rows))
    drawn = element("table", caption, element("thead", _header(table)), body, class_="results")
    return join((scrolling(drawn, table.title), _legend(table), _reasons(table)))


def shown(value: Value, decimals: int) -> str:
    """Mean and deviation as text, with as many decimals as small values need."""
    digits = decimals
    while value.mean and abs(value.mean) < 10 ** (1 - digits) and digits < 6:
        digits += 1
    spread = "" if value.deviation is None else f" ± {value.deviation:.{digits}f}"
    return f"{value.mean:.{digits}f}{spread}"


def has_paper(table: Table) -> bool:
    """Whether the paper gives any value for the table."""
    return any(entry.paper is not None for _, _, entry in table.entries())


def _unit(table: Table) -> str:
    means = {"%": "Accuracy in per cent", "s": "Seconds", "ms": "Milliseconds"}
    splits = "mean ± standard deviation over the splits"
    return f"{means.get(table.unit, table.unit)}, {splits}."


def _header(table: Table) -> Markup:
    """A group for each column, with ours and the paper's below; the method before all."""
    paper = has_paper(table)
    words = ("ours", "paper") if paper else ("ours",)
    first = element(
        "th", "method", scope="col", rowspan=2, data_sort="ascending", data_column=0
    )
    best = "descending" if table.unit == "%" else "ascending"
    groups = (
        element("th", column, scope="colgroup", colspan=len(words), class_="group")
        for column in table.columns
    )
    below = (
        element(
            "th", word, scope="col", data_sort=best, data_column=1 + len(words) * index + place
        )
        for index in range(len(table.columns))
        for place, word in enumerate(words)
    )
    return join((element("tr", first, groups), element("tr", below)))


def _row(row: Row, table: Table) -> Markup:
    paper = has_paper(table)
    cells = []
    for entry in row.entries:
        cells.append(_ours(entry, table.decimals))
        if paper:
            cells.append(_paper(entry, table.decimals))
    name = element("th", row.method, scope="row", data_value=row.method.lower())
    # The header sorts by the name of the method through its cell, as for any other column.
    return element("tr", name, cells, class_="flagship" if row.flagship else None)


def _ours(entry: Entry, decimals: int) -> Markup:
    if entry.ours is None:
        return element("td", element("span", "—", class_="none", title="not run"), class_="first")
    part = None
    if entry.done < entry.wanted:
        part = element("span", f"{entry.done} of {entry.wanted} splits", class_="part")
    mark = None
    if entry.verdict:
        words = VERDICTS[entry.verdict]
        mark = element(
            "span",
            element("span", SIGNS[entry.verdict], aria_hidden="true"),
            element("span", words, class_="hidden"),
            class_=f"verdict {entry.verdict}", title=words,
        )  # fmt: skip
    value = _value(entry.ours, decimals)
    return element("td", value, mark, part, class_="first", data_value=repr(entry.ours.mean))


def _paper(entry: Entry, decimals: int) -> Markup:
    if entry.paper is None:
        return element("td", element("span", "—", class_="none"), class_="paper")
    mark = element("abbr", "†", title="quoted by the paper") if entry.quoted else None
    value = _value(entry.paper, decimals)
    return element("td", value, mark, class_="paper", data_value=repr(entry.paper.mean))


def _value(value: Value, decimals: int) -> Markup:
    mean, _, spread = shown(value, decimals).partition(" ± ")
    return join((mean, element("span", f" ± {spread}", class_="pm") if spread else None))


def _legend(table: Table) -> Markup | None:
    """The meaning of the signs that this table uses."""
    used = {entry.verdict for _, _, entry in table.entries() if entry.verdict}
    words = [
        join((element("span", SIGNS[name], class_=name, aria_hidden="true"), " ", text))
        for name, text in VERDICTS.items()
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
