"""Defaults against what users would pick: one table, one picture, ranks and regrets.

Run: python -m benchmarks.suite [--sets "iris;wine"] [--methods crosslabel] [--again crosslabel]

Every result is kept in the record as it comes and not measured again: after a change to the
flagship only `--again crosslabel` is run anew. Sets that are not on this machine are skipped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmarks.lines import show
from benchmarks.records import RECORDS, recorded
from benchmarks.suite.measure import distances, novelty, quality
from benchmarks.suite.record import Record
from benchmarks.suite.report import draw, markdown
from benchmarks.suite.rivals import FLAGSHIP, METHODS, applies
from benchmarks.suite.sets import SETS, DataSet, splits
from benchmarks.suite.verdict import lines
from crosslabel.datasets.root import MissingData
from crosslabel.datasets.splits import Split
from crosslabel.files.whole import write_whole

KEPT = Path("/var/tmp/crosslabel-bench")
MANY = "names, separated by semicolons"
NOVELTY = "novelty"
"""The record's name of what keeps the samples to tell the unknown."""


def measure_cell(
    record: Record, cell: str, method: str, data: DataSet, pairs: list[Split], patience: float
) -> None:
    """Measure the splits of a cell that the record lacks; the first slow one is the last."""
    X, y, kind = data
    for number, split in enumerate(pairs):
        if record.has(cell, method, number) or record.slow(cell, method, patience):
            continue
        several = len(np.unique(y)) > 2  # of two classes, none would be left to tell apart
        if method == NOVELTY:
            found = distances(X, y, kind, split, number) if several else {}
        else:
            least = int(np.bincount(y[split[0]]).min())
            found = quality(METHODS[method](kind, least), X, y, split)
            if method == FLAGSHIP and several:
                found["novelty"] = novelty(METHODS[method](kind, least), X, y, split, number)
        record.keep(cell, method, number, found)
    print(f"{cell:<32} {method:<16} {record.summary(cell, method)}", flush=True)


def main() -> None:
    """Measure what the record lacks, then write the table and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=";".join(SETS), help=MANY)
    parser.add_argument("--methods", default=";".join([*METHODS, NOVELTY]), help=MANY)
    parser.add_argument("--again", default="", help="methods whose records are dropped first")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--patience", type=float, default=120, help="seconds one fit may take")
    parser.add_argument("--record", type=Path, default=KEPT / "suite.json")
    parser.add_argument("--features", type=Path, default=KEPT / "embeddings")
    parser.add_argument("--out", type=Path, default=KEPT, help="folder of suite.md and suite.svg")
    parser.add_argument("--for-docs", action="store_true", help="keep table and lines for the docs")
    given = parser.parse_args()
    record = Record(given.record)
    names = [name for name in SETS if name in given.sets.split(";")]
    for method in filter(None, given.again.split(";")):
        record.drop(method, names)
    for name in names:
        try:
            data = SETS[name](given.features)
        except MissingData as absent:
            print(f"{name} is skipped: {absent}")
            continue
        for size, pairs in splits(data.y, given.splits):
            wanted = [m for m in (*METHODS, NOVELTY) if m in given.methods.split(";")]
            for method in (method for method in wanted if applies(method, data.kind)):
                measure_cell(record, f"{name}: {size}", method, data, pairs, given.patience)
    table = markdown(record)
    write_whole(given.out / "suite.md", lambda file: file.write(table.encode()))
    draw(record, given.out / "suite.svg")
    print(table)
    found = lines(record)
    if given.for_docs:
        write_whole(RECORDS / "suite-cells.md", lambda file: file.write(table.encode()))
        found = recorded("suite", found)
    sys.exit(1 if show("The defaults against what users would pick", found) else 0)


if __name__ == "__main__":
    main()
