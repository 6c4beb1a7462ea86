"""Put the figures of the records into README and docs: `make figures`.

In a text, a figure stands between `<!--=name-->` and `<!--/-->`; `records/figures.toml` says of
each name which line of which record it is and how it is written. A table of a whole record stands
between `<!-- table: name -->` and `<!-- end -->`. Everything between such marks is written anew;
`tests/test_figures.py` fails where that would change anything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from benchmarks.records import RECORDS, Entry, read
from crosslabel.files.whole import write_whole

ROOT = Path(__file__).parent.parent
FIGURE = re.compile(r"<!--=([\w-]+)-->.*?<!--/-->", re.DOTALL)
TABLE = re.compile(r"<!-- table: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)

RIVAL = re.compile(r"\b(above|below)\b")
"""In the name of a line: its bar is what a rival reached in the same run."""


def documents(root: Path = ROOT) -> list[Path]:
    """The texts that may hold figures: README, and every page that is not generated."""
    pages = (root / "docs").rglob("*.md")
    return [root / "README.md", *sorted(p for p in pages if "auto_examples" not in p.parts)]


def figures(folder: Path = RECORDS) -> dict[str, str]:
    """Every named figure as it is written in a text."""
    wanted = tomllib.loads((folder / "figures.toml").read_text(encoding="utf-8"))
    records = {one["record"]: read(one["record"], folder) for one in wanted.values()}
    return {name: _written(one, records[one["record"]]) for name, one in wanted.items()}


def _written(wanted: Mapping[str, str], record: Mapping[str, Entry]) -> str:
    """One figure: the value of a line, what it was compared with, or its reciprocal."""
    entry = record[wanted["line"]]
    takes = {
        "value": lambda: entry.value,
        "rival": lambda: entry.bar,
        "inverse": lambda: 1 / entry.value,
        "percent": lambda: 100 * entry.value,
    }
    number = takes[wanted.get("take", "value")]()
    return format(number, wanted.get("format", ".3g")).replace("-", "−")


def table(name: str, folder: Path = RECORDS) -> str:
    """A whole record as Markdown: one that was written as a table, or lines as rows."""
    ready = folder / f"{name}.md"
    if ready.exists():
        return ready.read_text(encoding="utf-8").strip()
    rows = ["| what | measured | beside it |", "|---|---|---|"]
    for what, entry in read(name, folder).items():
        beside = f"{entry.bar:.4g}" if RIVAL.search(what) else ""
        rows.append(f"| {what} | {entry.value:.4g} | {beside} |")
    return "\n".join(rows)


def filled(text: str, known: Mapping[str, str], folder: Path = RECORDS) -> str:
    """A text with the figures of the records at its marks.

    Parameters
    ----------
    text : str
    known : mapping of str to str
        From `figures`.
    folder : path
        Of the records that tables are made from.
    """
    text = FIGURE.sub(lambda m: f"<!--={m[1]}-->{known[m[1]]}<!--/-->", text)
    return TABLE.sub(
        lambda m: f"<!-- table: {m[1]} -->\n\n{table(m[1], folder)}\n\n<!-- end -->", text
    )


def main() -> None:
    """Bring all documents up to date with the records, and say which have changed."""
    known = figures()
    for place in documents():
        old = place.read_text(encoding="utf-8")
        new = filled(old, known)
        if new != old:
            write_whole(place, lambda file, text=new: file.write(text.encode()))
            print(place.relative_to(ROOT))


if __name__ == "__main__":
    main()
