"""The figures that the documents state: taken from records, and written into tables of Markdown.

    python -m crosslabel.lab.documented [--store DIR]
    python -m crosslabel.lab.documented --fill DIR

With a store, its records join those of other machines in `docs/measurements/cells.jsonl` (`kept`),
and means over all of them go into `docs/measurements/paper.json`, where a figure over more splits
stays. Then the tables of `docs/method/reproduce.md` are made anew from that file. `--fill` gives a
store what the records of other machines have, so that nothing is computed twice.

A figure stands under the key of its cell on the first split. Where a spec or the numerics have
changed since, no key fits, and the cell says that it was not run: a document never shows what
today's code was not seen to compute.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from crosslabel.files.whole import write_whole
from crosslabel.lab.kept import Kept, fill, merged, read_kept, write_kept
from crosslabel.lab.measured import over_splits
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Store, key_of
from crosslabel.lab.spec import Cell, Method, Spec, TableSetting
from crosslabel.lab.spec_files import load_specs

DOCS = Path(__file__).parents[3] / "docs"
CELLS, MEASURED = "measurements/cells.jsonl", "measurements/paper.json"
PAGE = "method/reproduce.md"
COLUMNS = 4  # settings beside each other; where a spec has more, each is a row
MARKED = re.compile(r"<!-- measured: (\S+) (\S+) -->\n.*?<!-- end -->", re.DOTALL)


@dataclass(frozen=True)
class Figure:
    """One method at one setting, over the splits that were run.

    Attributes
    ----------
    key : str
        Of its cell on the first split.
    place : str
        Names of table, method and setting, for the reader.
    splits : int
        How many were run.
    means : dict of str to float
        Of each quantity of the table: mean, or of times the median; per cent or seconds.
    deviations : dict of str to float
        Of those quantities, where two splits or more were run.
    chosen : dict of str to float
        Parameters that training data chose.
    """

    key: str
    place: str
    splits: int
    means: Mapping[str, float]
    deviations: Mapping[str, float]
    chosen: Mapping[str, object]


def first_cell(spec: Spec, method: Method, setting: TableSetting) -> Cell:
    """The cell on the first split."""
    return Cell(spec, method, setting, 0, spec.indices[0] if spec.indices else "")


def figures(specs: Sequence[Spec], kept: Store | Kept) -> Iterator[Figure]:
    """Every method at every setting of which there is a record.

    Parameters
    ----------
    specs : sequence of Spec
    kept : Store or Kept

    Yields
    ------
    Figure
    """
    for spec in specs:
        records = kept.found(spec.cells())
        found = {name: over_splits(spec, records, name) for name in spec.quantities}
        for place, one in found[spec.quantities[0]].items():
            if one.n:
                method, setting = spec.method[place[0]], spec.setting[place[1]]
                record = next(
                    r for c, r in records.items() if (c.method, c.setting) == (method, setting)
                )
                yield Figure(
                    key_of(first_cell(spec, method, setting)),
                    f"{spec.name}, {method.name}, {setting.name}",
                    one.n,
                    {name: _short(found[name][place].value) for name in found},
                    {n: _short(found[n][place].deviation) for n in found if one.n > 1},
                    {name: record.parameters[name] for name in method.search},
                )


def _short(value: float) -> float:
    return float(f"{value:.4g}") if abs(value) < 1 else round(value, 2)


def read(place: Path) -> dict[str, Figure]:
    """Figures of a file by key."""
    entries = json.loads(place.read_text("utf-8"))
    return {entry["key"]: Figure(**entry) for entry in entries}


def joined(
    specs: Sequence[Spec], earlier: Mapping[str, Figure], new: Mapping[str, Figure]
) -> list[Figure]:
    """Figures of today's keys in the order of the specs: of two the one over more splits.

    Parameters
    ----------
    specs : sequence of Spec
    earlier, new : mapping of str to Figure
        By key; where both have as many splits, the new one is taken.

    Returns
    -------
    list of Figure
    """
    firsts = (first_cell(spec, m, s) for spec in specs for m in spec.methods for s in spec.settings)
    found = []
    for key in dict.fromkeys(map(key_of, firsts)):
        both = [known[key] for known in (new, earlier) if key in known]
        if both:
            found.append(max(both, key=lambda one: one.splits))  # of equals the first
    return found


def table(spec: Spec, known: Mapping[str, Figure], quantity: str) -> str:
    """A table of Markdown: ours beside the published value, or that it was not run.

    Parameters
    ----------
    spec : Spec
    known : mapping of str to Figure
        By key.
    quantity : str

    Returns
    -------
    str
    """
    methods, settings = list(spec.methods), list(spec.settings)
    content = {
        (m.name, s.name): _entry(spec, m, s, known, quantity) for m in methods for s in settings
    }
    if len(settings) <= COLUMNS:
        rows = [[m.label, *(content[m.name, s.name] for s in settings)] for m in methods]
        head = ["method", *(s.label for s in settings)]
    else:
        rows = [[s.label, *(content[m.name, s.name] for m in methods)] for s in settings]
        head = ["", *(m.label for m in methods)]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _entry(
    spec: Spec, method: Method, setting: TableSetting, known: Mapping[str, Figure], quantity: str
) -> str:
    if not method.runs_at(setting):
        return "–"
    said = spec.said(quantity).get((method.name, setting.name))
    theirs = "" if said is None else f" ({_number(said.value, said.deviation, quantity)})"
    figure = known.get(key_of(first_cell(spec, method, setting)))
    if figure is None:
        return f"not run{theirs}"
    ours = _number(figure.means[quantity], figure.deviations.get(quantity), quantity)
    part = "" if figure.splits == spec.splits else f", {figure.splits} of {spec.splits} splits"
    strong = f"**{ours}**" if said is not None and _reaches(figure, said.value, quantity) else ours
    return f"{strong}{part}{theirs}"


def _reaches(figure: Figure, published: float, quantity: str) -> bool:
    """Whether an accuracy is at least the paper's; seconds of two machines are not compared."""
    return not QUANTITIES[quantity].is_time and figure.means[quantity] >= published


def _number(value: float, deviation: float | None, quantity: str) -> str:
    kind = QUANTITIES[quantity]
    if kind.is_time:
        return f"{value * kind.shown_scale:.3g} {kind.unit}"
    return f"{value:.2f}" + ("" if deviation is None else f" ± {deviation:.2f}")


def with_tables(text: str, specs: Sequence[Spec], known: Mapping[str, Figure]) -> str:
    """A document whose marked places hold their tables.

    A place is `<!-- measured: table-2 accuracy -->`, what stands there, and `<!-- end -->`.

    Parameters
    ----------
    text : str
    specs : sequence of Spec
    known : mapping of str to Figure

    Returns
    -------
    str
    """
    named = {spec.name: spec for spec in specs}

    def filled(found: re.Match[str]) -> str:
        content = table(named[found[1]], known, found[2])
        return f"<!-- measured: {found[1]} {found[2]} -->\n\n{content}\n\n<!-- end -->"

    return MARKED.sub(filled, text)


def bring_in(specs: Sequence[Spec], store: Store) -> None:
    """Let a store's records join those of other machines, and take the means over all of them."""
    kept = merged(specs, read_kept(DOCS / CELLS), store)
    write_kept(kept, DOCS / CELLS)
    measured = DOCS / MEASURED
    new = {one.key: one for one in figures(specs, kept)}
    known = joined(specs, read(measured) if measured.exists() else {}, new)
    lines = (json.dumps(asdict(one), sort_keys=True) for one in known)
    content = "[\n" + ",\n".join(lines) + "\n]\n"
    write_whole(measured, lambda file: file.write(content.encode()))


def main() -> None:
    """Bring the figures and tables of the documents up to date, or fill a store."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--store", type=Path, help="folder of records, to take them from")
    parser.add_argument("--fill", type=Path, help="folder of records, to give it those kept here")
    given, specs = parser.parse_args(), load_specs()
    if given.fill is not None:
        count = fill(specs, read_kept(DOCS / CELLS), Store(given.fill))
        print(f"{given.fill} was given {count} records.")
    if given.store is not None:
        bring_in(specs, Store(given.store))
    page = DOCS / PAGE
    text = with_tables(page.read_text("utf-8"), specs, read(DOCS / MEASURED))
    write_whole(page, lambda file: file.write(text.encode()))


if __name__ == "__main__":
    main()
