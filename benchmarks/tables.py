"""Tables of the docs from records: a record's lines one below the other, or a grid of them.

A table that is named in `records/tables.toml` is a grid: of a record's lines that are called
"part | row | column", those of one part; or, with "lines", those lines of a record that this
regular expression is found in. Any other name is that of a record.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.records import RECORDS, Entry, read

RIVAL = re.compile(r"\b(above|below)\b")
"""In the name of a line: its bar is what a rival reached in the same run."""


def table(name: str, folder: Path = RECORDS) -> str:
    """A table in Markdown: a grid, one that a benchmark wrote as a table, or lines as rows.

    Parameters
    ----------
    name : str
        Of a grid in `tables.toml`, or of a record.
    folder : path
        Of the records.
    """
    grids = folder / "tables.toml"
    wanted = tomllib.loads(grids.read_text(encoding="utf-8")) if grids.exists() else {}
    part = wanted.get(name, {"record": name, "lines": ""})
    if "lines" not in part:
        return grid(part, read(part["record"], folder))
    ready = folder / f"{name}.md"
    if ready.exists():
        return ready.read_text(encoding="utf-8").strip()
    lines = {
        what: entry
        for what, entry in read(part["record"], folder).items()
        if re.search(part["lines"], what)
    }
    has_rivals = any(map(RIVAL.search, lines))
    rows = ["| what | measured |", "|---|---|"]
    rows += [f"| {what} | {entry.value:.4g} |" for what, entry in lines.items()]
    if has_rivals:
        beside = [f"{e.bar:.4g}" if RIVAL.search(what) else "" for what, e in lines.items()]
        rows = [f"{row} {more} |" for row, more in zip(rows, ["beside it", "---", *beside])]
    return "\n".join(rows)


def cell(text: str, row: str, column: str) -> str:
    """What stands in a table, by the names of its row and its column.

    Parameters
    ----------
    text : str
        Markdown, of several tables perhaps: the first that has both names counts.
    row, column : str
    """
    for block in text.split("\n\n"):
        head, *lines = [line.strip("|").split("|") for line in block.splitlines()]
        columns = [name.strip() for name in head]
        for name, *rest in lines if column in columns else []:
            if name.strip() == row:
                return rest[columns.index(column) - 1].strip().replace("-", "−")
    raise KeyError(f"no table has a row {row!r} with a column {column!r}")


def grid(wanted: Mapping[str, Any], record: Mapping[str, Entry]) -> str:
    """Lines of one part as rows and columns, in the order in which they were measured.

    Parameters
    ----------
    wanted : mapping
        "part"; "form", how a number is written, as "{:.1f} %", or a mapping of columns to such;
        "corner", what stands above the names of the rows.
    record : mapping of str to Entry
    """
    cells: dict[str, dict[str, Entry]] = {}
    for what, entry in record.items():
        part, *place = what.split(" | ")
        if part == wanted["part"]:
            cells.setdefault(place[0], {})[place[1]] = entry
    columns = dict.fromkeys(column for row in cells.values() for column in row)
    forms = wanted["form"]
    forms = dict.fromkeys(columns, forms) if isinstance(forms, str) else forms
    head = [wanted.get("corner", ""), *columns]
    rows = [
        [name, *(forms[c].format(row[c].value) if c in row else "–" for c in columns)]
        for name, row in cells.items()
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])
