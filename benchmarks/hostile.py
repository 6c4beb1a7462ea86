"""Thousands of hostile model files with a right checksum: loaded, and asked one query each.

Every class that may be loaded is met with changed values, shapes, types and settings
(`benchmarks.consistent`), in a child process that has 512 MB beyond the file
(`benchmarks.asking`). No file may end the process, take more than two seconds or that memory, or
give a score that is not finite.

Run: make hostile, or python -m benchmarks.hostile --count 20000
"""

from __future__ import annotations

import argparse
import json
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.command import command
from benchmarks.consistent import hostile
from benchmarks.lines import Line
from benchmarks.loadable import Loadable, loadable
from benchmarks.mutate import cpu_seconds

SECONDS = 2.0
PATIENCE = 10.0  # seconds of processor time after which a case is ended
FROZEN = 600.0  # wall time: a worker may be stopped and continued from outside
SOUND = ("refused", "answered", "error in words")


class Outcome(NamedTuple):
    """How a case ended."""

    number: int
    name: str
    changes: str
    ending: str
    seconds: float = 0.0
    message: str = ""
    grown: float = 0.0

    @property
    def is_bad(self) -> bool:
        """Whether the process ended, or the file took too much, or a score is not finite."""
        return self.ending.split()[0] in ("CRASHED", "HUNG", "OVER", "NOT") or (
            self.seconds > SECONDS
        )


def case(number: int, sound: list[Loadable]) -> tuple[Loadable, str, bytes]:
    """The model, the changes and the bytes of a case; the same for the same number."""
    random = np.random.default_rng(number)
    chosen = sound[number % len(sound)]
    return chosen, *hostile(chosen.content, random)


def outcomes(numbers: range, sound: list[Loadable]) -> Iterator[Outcome]:
    """How each case ends; a worker that dies or is stopped is followed by another."""
    worker: subprocess.Popen[bytes] | None = None
    try:
        for number in numbers:
            chosen, changes, content = case(number, sound)
            worker = worker or _worker()
            answer = _answer(worker, chosen.asks.encode(), content)
            if isinstance(answer, str):
                worker.communicate()
                worker, answer = None, {"ending": answer}
            yield Outcome(number, chosen.name, changes, **answer)
    finally:
        if worker is not None:
            worker.communicate()


def _worker() -> subprocess.Popen[bytes]:
    started = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.asking"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert started.stdout is not None
    ready = started.stdout.readline()
    assert ready == b"ready\n", ready
    return started


def _answer(worker: subprocess.Popen[bytes], asks: bytes, content: bytes) -> dict[str, Any] | str:
    """What a worker says of a file, or how it ended."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    spent, since = cpu_seconds(worker.pid), time.monotonic()
    sizes = len(asks).to_bytes(8, "little") + len(content).to_bytes(8, "little")
    try:
        worker.stdin.write(sizes + asks + content)
        worker.stdin.flush()
    except BrokenPipeError:
        return f"CRASHED {worker.wait()}"
    while not select.select([worker.stdout], [], [], 0.5)[0]:
        if cpu_seconds(worker.pid) - spent > PATIENCE or time.monotonic() - since > FROZEN:
            worker.kill()
            return "HUNG"
    line = worker.stdout.readline()
    return json.loads(line) if line else f"CRASHED {worker.wait()}"


def measured(first: int, count: int, kept: Path | None) -> Iterator[Line]:
    """Lines of the report; bad files are kept in a folder."""
    sound = loadable()
    endings: Counter[str] = Counter()
    bad, slowest, largest = 0, 0.0, 0.0
    for outcome in outcomes(range(first, first + count), sound):
        endings[outcome.ending] += 1
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.grown)
        if outcome.is_bad:
            bad += 1
            print(*outcome, flush=True)
            if kept is not None:
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{outcome.number}.skops").write_bytes(case(outcome.number, sound)[2])
        if endings.total() % 1000 == 0:
            so_far = f"slowest {slowest:.2f} s, largest {largest / 1e6:.0f} MB"
            print(f"{endings.total()} files, {bad} bad, {so_far}", file=sys.stderr, flush=True)
    print(*(f"{n:>8} {ending}" for ending, n in endings.most_common()), sep="\n")
    yield Line("files", endings.total(), ">=", count)
    yield Line("classes and settings that they were made from", len(sound), ">=", 40)
    yield Line("ended the process, took too much, or gave scores not finite", bad, "<=", 0)
    yield Line("slowest, seconds of processor time", slowest, "<=", SECONDS)
    yield Line("most memory beyond the file, MB", largest / 1e6, "<=", 512)


def main() -> int:
    parser = argparse.ArgumentParser(description="Load and ask thousands of hostile model files.")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="Number of the first file.")
    parser.add_argument("--keep", type=Path, default=None, help="Folder for files that did harm.")
    return command(
        "hostile",
        "hostile model files",
        lambda given: measured(given.first, given.count, given.keep),
        parser,
    )


if __name__ == "__main__":
    sys.exit(main())
