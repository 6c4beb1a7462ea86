"""Put the figures of the records into README and docs: `make figures`.

In a text, a figure stands between `<!--=name-->` and `<!--/-->`; `records/figures.toml` says of
each name which line of which record it is and how it is written; of a record that is a table, which
row and column. A table stands between `<!-- table: name -->` and `<!-- end -->`
(`benchmarks.tables`). Everything between such marks is written anew; `tests/test_figures.py` fails
where that would change anything, and where a page says a measured figure outside of them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from benchmarks.records import RECORDS, Entry, read
from benchmarks.tables import cell, table
from crosslabel.files.whole import write_whole

ROOT = Path(__file__).parent.parent
FIGURE = re.compile(r"<!--=([\w-]+)-->.*?<!--/-->", re.DOTALL)
TABLE = re.compile(r"<!-- table: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def documents(root: Path = ROOT) -> list[Path]:
    """The texts that may hold figures: README, and every page that is not generated."""
    pages = (root / "docs").rglob("*.md")
    return [root / "README.md", *sorted(p for p in pages if "auto_examples" not in p.parts)]


def figures(folder: Path = RECORDS) -> dict[str, str]:
    """Every named figure as it is written in a text."""
    wanted = tomllib.loads((folder / "figures.toml").read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for record, named in wanted.items():
        if (folder / f"{record}.md").exists():
            text = table(record, folder)
            found |= {name: cell(text, *place) for name, place in named.items()}
        else:
            lines = read(record, folder)
            found |= {name: _written(lines[line], *how) for name, (line, *how) in named.items()}
    return found


def _written(entry: Entry, form: str, take: str = "value") -> str:
    """One figure: the value of a line, its deviation, what it was compared with, or a multiple."""
    takes = {
        "value": lambda: entry.value,
        "rival": lambda: entry.bar,
        "spread": lambda: entry.spread,
        "inverse": lambda: 1 / entry.value,
        "percent": lambda: 100 * entry.value,
    }
    return format(takes[take](), form).replace("-", "−")


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
