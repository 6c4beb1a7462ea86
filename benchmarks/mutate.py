"""Load thousands of mutated model files: no code runs, no crash, no hang, bounded memory.

A worker (`benchmarks.attempts`) loads them with 1 GB of address space; a hook of Python's own audit
watches for whatever starts a process, opens a connection, unpickles or writes a file. A case may
take 5 s of processor time. Each must end in a `ModelFileError`, or in a model from a file whose
checksum holds.

Run: python -m benchmarks.mutate --count 20000
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.attempts import CANARY, MEMORY
from benchmarks.command import command
from benchmarks.lines import Line
from benchmarks.mutations import MUTATIONS
from crosslabel import RCR, CrossLabelClassifier, CrossLabelClassifierCV, Model
from crosslabel.features import Eigenfaces, Pixels
from crosslabel.files.model import encoded

SECONDS = 5.0
FROZEN = 600.0  # wall time: a worker may be stopped and continued from outside
SOUND = ("refused", "loaded")


class Outcome(NamedTuple):
    """How a case ended: as one of `SOUND`, or as it should not."""

    number: int
    mutation: str
    ending: str
    seconds: float = 0.0
    message: str = ""
    peak: float = 0.0


def sound_files() -> list[bytes]:
    """Small models of several kinds, from noise."""
    random = np.random.default_rng(0)
    images, y = random.random((24, 12, 12)).astype(np.float32), np.repeat(np.arange(4), 6)
    X = images.reshape(24, -1)
    flagship = CrossLabelClassifier(atoms_per_class=2, shared_atoms=1, random_state=0)
    pixels = make_pipeline(Pixels((8, 8)), Eigenfaces(12), flagship).fit(images, y)
    grid = {"ridges": [0.01], "suppressions": [10.0], "groupings": [0.1], "atoms_per_class": [2]}
    return [
        encoded(Model(pixels, list("abcd"), "images", "eigenfaces", {"seed": 0})),
        encoded(CrossLabelClassifierCV(**grid, random_state=0).fit(X, y)),
        encoded(RCR().fit(X, y)),
        encoded(make_pipeline(StandardScaler(), SVC()).fit(X, y)),
    ]


def case(number: int, files: list[bytes]) -> tuple[str, bytes]:
    """The mutation and the bytes of a case; the same for the same number."""
    random = np.random.default_rng(number)
    name = list(MUTATIONS)[number % len(MUTATIONS)]
    return name, MUTATIONS[name](files[random.integers(len(files))], random)


def outcomes(numbers: range, files: list[bytes]) -> Iterator[Outcome]:
    """How each case ends; a worker that dies or is stopped is followed by another."""
    Path(CANARY).unlink(missing_ok=True)
    worker = None
    for number in numbers:
        name, content = case(number, files)
        if worker is None:
            worker = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.attempts", str(len(files))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            # The first file loads the libraries, so that no case pays for them.
            for sound in files:
                answer = _answer(worker, sound)
                assert isinstance(answer, dict), answer
                assert answer["ending"] == "loaded", answer
        answer = _answer(worker, content)
        if isinstance(answer, dict):
            yield Outcome(number, name, **answer)
        else:
            yield Outcome(number, name, answer)
            worker = None
    if worker is not None:
        worker.communicate()


def _answer(worker: subprocess.Popen[bytes], content: bytes) -> dict[str, Any] | str:
    """What a worker says of a file, or how it ended."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    spent, since = cpu_seconds(worker.pid), time.monotonic()
    try:
        worker.stdin.write(len(content).to_bytes(8, "little") + content)
        worker.stdin.flush()
    except BrokenPipeError:
        return f"CRASHED {worker.wait()}"
    while not select.select([worker.stdout], [], [], 1.0)[0]:
        if cpu_seconds(worker.pid) - spent > SECONDS or time.monotonic() - since > FROZEN:
            worker.kill()
            worker.wait()
            return "HUNG"
    line = worker.stdout.readline()
    return json.loads(line) if line else f"CRASHED {worker.wait()}"


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(count: int) -> Iterator[Line]:
    endings: Counter[tuple[str, str]] = Counter()
    slowest, largest, bad = 0.0, 0.0, 0
    for outcome in outcomes(range(count), sound_files()):
        endings[outcome.mutation, outcome.ending] += 1
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.peak)
        if endings.total() % 1000 == 0:
            print(f"{endings.total()} files, {bad} bad", file=sys.stderr, flush=True)
        if outcome.ending not in SOUND:
            bad += 1
            print(*outcome[:3], outcome.message, flush=True)
    for name in MUTATIONS:
        told = {ending: n for (mutation, ending), n in endings.items() if mutation == name}
        print(f"{name:<20}" + ", ".join(f"{n} {ending}" for ending, n in sorted(told.items())))
    print()
    yield Line("cases", sum(endings.values()), ">=", count)
    told = Counter(ending for _, ending in endings.elements())
    yield Line("refused", told["refused"])
    yield Line("loaded from a file whose checksum holds", told["loaded"])
    yield Line("neither refused nor loaded from a file whose checksum holds", bad, "<=", 0)
    yield Line("slowest case, seconds of processor time", slowest, "<=", SECONDS)
    yield Line(
        "peak memory of the worker with its libraries, MB", largest / 1e6, "<=", MEMORY / 1e6
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Load thousands of mutated model files.")
    parser.add_argument("--count", type=int, default=20_000)
    return command("mutate", "mutated model files", lambda given: measured(given.count), parser)


if __name__ == "__main__":
    sys.exit(main())
