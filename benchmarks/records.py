"""What was measured, kept in `benchmarks/records/`: the one source of every figure in the docs.

A record is a JSON file of lines, each with its value, its bar, and the day, machine, threads,
command and commit of its measurement. Every benchmark writes its own with `--record`;
`python -m benchmarks.figures` fills documents from them.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_info

from benchmarks.lines import Line
from crosslabel.files.whole import write_whole

RECORDS = Path(__file__).parent / "records"
SPREAD = re.compile(r" \(± ([\d.]+)\)$")
"""At the end of a line's name: its standard deviation."""


class Entry(NamedTuple):
    """A line as it was recorded."""

    value: float
    relation: str = ""
    bar: float = math.nan
    spread: float = math.nan
    date: str = ""
    machine: str = ""
    threads: int = 0
    command: str = ""
    commit: str = ""
    note: str = ""


def key_of(what: str) -> str:
    """What a line is called in a record: without the deviation, which changes with each run."""
    return SPREAD.sub("", what)


def this_machine() -> str:
    """GPU, processor, cores and versions, for those who compare."""
    return (
        f"{_gpu()}{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )


def _gpu() -> str:
    """The GPU that torch has found, if torch was asked for and found one."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return ""
    return f"{torch.cuda.get_device_name()}, torch {torch.__version__}, "


def _processor() -> str:
    """The processor's own name, where the system tells it."""
    place = Path("/proc/cpuinfo")
    told = re.search(r"model name\s*: (.+)", place.read_text()) if place.exists() else None
    return told[1] if told else platform.processor() or platform.machine()


def this_command() -> str:
    """The command that runs, as it can be typed again."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    name = spec.name.removesuffix(".__main__") if spec else Path(sys.argv[0]).name
    return " ".join(["python -m", name, *sys.argv[1:]])


def this_commit() -> str:
    """The commit of the checkout, with a + where files have changed since; "" outside of one."""
    root = Path(__file__).parent
    words = ["git", "describe", "--always", "--abbrev=10", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def measured_here(line: Line) -> Entry:
    """A line with the day, machine, threads, command and commit of now."""
    spread = SPREAD.search(line.what)
    return Entry(
        float(line.value),
        line.relation,
        float(line.bar),
        float(spread[1]) if spread else math.nan,
        datetime.now(UTC).date().isoformat(),
        this_machine(),
        max((pool["num_threads"] for pool in threadpool_info()), default=1),
        this_command(),
        this_commit(),
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
        known[key_of(line.what)] = measured_here(line)
        write(place, known)
        yield line


def write(place: Path, known: dict[str, Entry]) -> None:
    """A record, a line of the file for each line of it; what nothing is known of is left out."""
    lines = (
        f"{json.dumps(what, ensure_ascii=False)}: {json.dumps(_told(entry), ensure_ascii=False)}"
        for what, entry in known.items()
    )
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_whole(place, lambda file: file.write(text.encode()))


def _told(entry: Entry) -> dict[str, Any]:
    empty = ("", 0)
    return {
        name: value
        for name, value in entry._asdict().items()
        if name == "value" or not (value in empty or value != value)
    }
