"""What was measured, kept in `benchmarks/records/`: the one source of every figure in the docs.

A record is a JSON file of lines, each with its value, its bar and the day and machine of its
measurement. `python -m benchmarks --record` and `python -m benchmarks.suite --for-docs` write
them; `python -m benchmarks.figures` fills documents from them.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy
import sklearn

from benchmarks.lines import Line
from crosslabel.files.whole import write_whole

RECORDS = Path(__file__).parent / "records"


class Entry(NamedTuple):
    """A line as it was recorded."""

    value: float
    relation: str
    bar: float
    date: str
    machine: str


def key_of(what: str) -> str:
    """What a line is called in a record: without the deviation, which changes with each run."""
    return re.sub(r" \(± [\d.]+\)$", "", what)


def this_machine() -> str:
    """Processor and versions, for those who compare."""
    return (
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )


def read(name: str, folder: Path = RECORDS) -> dict[str, Entry]:
    """The lines of a record by what they measure.

    Parameters
    ----------
    name : str
        As "bench".
    folder : path
    """
    content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return {what: Entry(**entry) for what, entry in content.items()}


def recorded(name: str, lines: Iterable[Line], folder: Path = RECORDS) -> Iterator[Line]:
    """Lines as they come, each put into the record as soon as it is measured.

    Parameters
    ----------
    name : str
        Of the record; lines that are not measured again stay as they were.
    lines : iterable of Line
    folder : path
    """
    place = folder / f"{name}.json"
    known = read(name, folder) if place.exists() else {}
    for line in lines:
        known[key_of(line.what)] = Entry(
            float(line.value),
            line.relation,
            float(line.bar),
            datetime.now(UTC).date().isoformat(),
            this_machine(),
        )
        _write(place, known)
        yield line


def _write(place: Path, known: dict[str, Entry]) -> None:
    lines = (
        f"{json.dumps(what, ensure_ascii=False)}: {json.dumps(entry._asdict(), ensure_ascii=False)}"
        for what, entry in known.items()
    )
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_whole(place, lambda file: file.write(text.encode()))
