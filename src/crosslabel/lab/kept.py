"""Records that outlive a machine: one short line a cell, in a file that the repository holds.

A store is large, and its atoms show faces; both stay where they were computed. A line has what
tables need of a record: numbers, parameters that were chosen, day and machine. What a cell says of
itself is not repeated, since the line stands under its key. So a row of fifty splits that one
machine began is ended by another, which fills its own store from the lines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from crosslabel.files.whole import write_whole
from crosslabel.lab.choice import keep_choice
from crosslabel.lab.records import Extra, Record, Store, key_of
from crosslabel.lab.spec import Cell, Spec

TIMES = ("fit_seconds", "query_seconds", "cell_seconds")  # kept to four digits
SAME = ("accuracy", "mean_per_class", "seed", "finished", "version", "input_hash")
EXTRA = ("n_samples", "n_test", "n_features", "n_classes", "chosen")
Line = Mapping[str, object]


class Kept:
    """Lines of cells by key, and the machines that they name.

    Parameters
    ----------
    lines : iterable of dict, default=()
        Of a file, in any order: those with a `key` are cells, the others machines.
    """

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        every = list(lines)
        self.cells = {str(one["key"]): one for one in every if "key" in one}
        self.machines = {str(one["name"]): one["machine"] for one in every if "key" not in one}

    def put(self, cell: Cell, record: Record) -> None:
        """Keep what tables need of a record, in place of an earlier line of its cell."""
        machine = json.dumps(record.machine, sort_keys=True)
        name = hashlib.blake2b(machine.encode(), digest_size=4).hexdigest()
        self.machines[name] = record.machine
        key, content = key_of(cell), record.as_dict()
        self.cells[key] = {
            "key": key,
            "place": list(cell.place),
            **{one: content[one] for one in SAME},
            **{one: float(f"{getattr(record, one):.4g}") for one in TIMES},
            "found": {one: record.parameters[one] for one in cell.method.search},
            "extra": {one: value for one, value in record.extra.items() if one in EXTRA},
            "machine": name,
        }

    def get(self, cell: Cell) -> Record | None:
        """The record of a cell without what is kept for figures, or None where there is no line."""
        line = self.cells.get(key_of(cell))
        if line is None:
            return None
        content = {one: line[one] for one in (*SAME, *TIMES)} | {
            "table": cell.spec.name,
            "method": cell.method.name,
            "setting": cell.setting.name,
            "split": cell.split,
            "n_train": cell.setting.n_train,
            "estimator": cell.method.estimator,
            "parameters": {**cell.parameters, **cast("Line", line["found"])},
            "machine": self.machines[str(line["machine"])],
            "extra": cast(Extra, line["extra"]),
        }
        return Record(**content)  # type: ignore[arg-type]

    def found(self, cells: Iterable[Cell]) -> dict[Cell, Record]:
        """Records of those of the cells that have a line."""
        records = ((cell, self.get(cell)) for cell in cells)
        return {cell: record for cell, record in records if record is not None}

    def lines(self) -> Iterator[Line]:
        """Machines that a cell names, then the cells."""
        named = {str(line["machine"]) for line in self.cells.values()}
        for name in sorted(named):
            yield {"name": name, "machine": self.machines[name]}
        yield from self.cells.values()


def read_kept(place: Path) -> Kept:
    """The lines of a file; none where it is absent."""
    text = place.read_text("utf-8") if place.exists() else ""
    return Kept(map(json.loads, text.splitlines()))


def write_kept(kept: Kept, place: Path) -> None:
    """Write every line."""
    text = "".join(
        json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in kept.lines()
    )
    write_whole(place, lambda file: file.write(text.encode()))


def merged(specs: Sequence[Spec], kept: Kept, store: Store) -> Kept:
    """Lines of today's cells in the order of the specs: a store's record before an earlier line.

    Parameters
    ----------
    specs : sequence of Spec
    kept : Kept
    store : Store

    Returns
    -------
    Kept
    """
    found = Kept()
    for cell in (cell for spec in specs for cell in spec.cells()):
        record = store.get(cell) or kept.get(cell)
        if record is not None:
            found.put(cell, record)
    return found


def fill(specs: Sequence[Spec], kept: Kept, store: Store) -> int:
    """Give a store the records that it lacks, and the choices that they were computed with.

    Figures of codes are made from more than a line has: their cells are to be computed again.

    Parameters
    ----------
    specs : sequence of Spec
    kept : Kept
    store : Store

    Returns
    -------
    int
        How many records it was given.
    """
    given, numbers_alone = 0, [spec for spec in specs if "codes" not in spec.keep]
    for cell, record in kept.found(cell for spec in numbers_alone for cell in spec.cells()).items():
        if store.get(cell) is None:
            store.put(cell, record)
            given += 1
        values = {name: cast(float, record.parameters[name]) for name in cell.method.search}
        keep_choice(cell, values, store.choices)
    return given
