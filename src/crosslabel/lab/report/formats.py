"""Tables as Markdown, CSV and LaTeX.

Markdown and LaTeX hold what the page shows: a row for each method, ours beside the paper's. CSV has
one line for each value at full precision, so that it can be read back.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Callable, Sequence
from io import StringIO

from crosslabel.lab.report.content import Table, TableEntry, Value
from crosslabel.lab.report.html_tables import SIGNS, has_paper, shown
from crosslabel.lab.verdicts import COMPARED

FIELDS = (
    "table", "method", "column", "unit", "ours", "ours_deviation", "splits_done", "splits_wanted",
    "paper", "paper_deviation", "quoted", "verdict", "reason",
)  # fmt: skip


def markdown(tables: Sequence[Table]) -> str:
    """Tables with aligned columns, and the reasons below each.

    Parameters
    ----------
    tables : sequence of Table
    """
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: Table) -> str:
    header, rows = _words(table, SIGNS)
    cells = [[text.replace("|", "\\|") for text in row] for row in (header, *rows)]
    widths = [max(3, *(_width(row[i]) for row in cells)) for i in range(len(header))]
    left = [width if i == 0 else 0 for i, width in enumerate(widths)]
    lines = [_aligned(cells[0], widths, left)]
    lines.append("|" + "|".join(_rule(i, width) for i, width in enumerate(widths)) + "|")
    lines += [_aligned(row, widths, left) for row in cells[1:]]
    notes = [f"- {where}: {reason}" for where, reason in _reasons(table)]
    after = [*notes, ""] if notes else []
    return "\n".join([f"### {table.whole_title} ({table.unit})", "", *lines, "", *after])


def _aligned(row: Sequence[str], widths: Sequence[int], left: Sequence[int]) -> str:
    padded = (
        text + " " * (width - _width(text)) if flush else " " * (width - _width(text)) + text
        for text, width, flush in zip(row, widths, left)
    )
    return "| " + " | ".join(padded) + " |"


def _rule(index: int, width: int) -> str:
    return "-" * (width + 2) if index == 0 else "-" * (width + 1) + ":"


def _width(text: str) -> int:
    """Columns of a terminal: marks that stand on other letters take none, wide letters two."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def comma_separated(tables: Sequence[Table]) -> str:
    """One line for each value, at full precision, with a header.

    Parameters
    ----------
    tables : sequence of Table
    """
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(FIELDS)
    for table in tables:
        for row, column, entry in table.entries():
            writer.writerow([table.name, row.method, column, table.unit, *_numbers(entry)])
    return file.getvalue()


def _numbers(entry: TableEntry) -> list[str | int]:
    quoted = "quoted" if entry.quoted else ""
    paper = _pair(entry.paper)
    return [
        *_pair(entry.ours), entry.done, entry.wanted, *paper, quoted, entry.verdict, entry.reason,
    ]  # fmt: skip


def _pair(value: Value | None) -> tuple[str, str]:
    """Mean and deviation, all their digits."""
    if value is None:
        return "", ""
    return repr(value.mean), "" if value.deviation is None else repr(value.deviation)


def latex(tables: Sequence[Table]) -> str:
    r"""Tables for a paper that loads booktabs: \input the result.

    Parameters
    ----------
    tables : sequence of Table
    """
    return "\n".join(_latex(table) for table in tables)


def _latex(table: Table) -> str:
    step = 2 if has_paper(table) else 1
    header, rows = _words(table, dict.fromkeys(COMPARED, ""))
    n_columns = len(header)
    title = escaped(f"{table.whole_title} ({table.unit})")
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{title}}}"]
    lines += [rf"\label{{tab:{table.name}}}", rf"\begin{{tabular}}{{l{'r' * (n_columns - 1)}}}"]
    lines.append(r"\toprule")
    if step == 2:
        groups = " & ".join(rf"\multicolumn{{2}}{{c}}{{{escaped(c)}}}" for c in table.columns)
        lines.append(rf"& {groups} \\")
        under = ("ours", "paper") * len(table.columns)
        lines.append(" & ".join(["method", *under]) + r" \\")
    else:
        lines.append(" & ".join(["method", *map(escaped, table.columns)]) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(escaped(text) for text in row) + r" \\" for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Text that LaTeX prints as it stands.

    Parameters
    ----------
    text : str
    """
    return "".join(LATEX.get(letter, letter) for letter in text)


LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$", "—": "---", "–": "--", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$",
    "λ": r"$\lambda$", "γ": r"$\gamma$", "β": r"$\beta$", "†": r"$^\dagger$", "−": "$-$",
    "\u00a0": "~", "\u202f": r"\,", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def _words(table: Table, signs: dict[str, str]) -> tuple[list[str], list[list[str]]]:
    """Header and rows as text: ours, and where the paper has values, the paper's."""
    paper = has_paper(table)
    header = ["method"]
    for column in table.columns:
        header += [f"{column}, ours", f"{column}, paper"] if paper else [column]
    rows = []
    for row in table.rows:
        words = [row.method]
        for entry in row.entries:
            words.append(_ours(entry, table.unit, signs))
            if paper:
                mark = "†" if entry.quoted else ""
                words.append("—" if entry.paper is None else shown(entry.paper, table.unit) + mark)
        rows.append(words)
    return header, rows


def _ours(entry: TableEntry, unit: str, signs: dict[str, str]) -> str:
    if entry.ours is None:
        return "—"
    part = f" ({entry.done} of {entry.wanted})" if entry.done < entry.wanted else ""
    sign = f" {signs[entry.verdict]}" if signs.get(entry.verdict) else ""
    return shown(entry.ours, unit) + part + sign


def _reasons(table: Table) -> list[tuple[str, str]]:
    return [
        (f"{row.method}, {column}", entry.reason)
        for row, column, entry in table.entries()
        if entry.reason
    ]


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "md": markdown,
    "csv": comma_separated,
    "latex": latex,
}
