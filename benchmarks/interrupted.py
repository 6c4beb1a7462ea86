"""Writers that are killed, meet a full disk, or write the same file at a time: is anything lost?

Everything that the library keeps for later is written again and again over an older version of it
in a child process, and read when that was interrupted. What is read must be the older or the newer
version, whole, each time. Full disks are limits on the length of a file, which need no rights.

Run: python -m benchmarks.interrupted --trials 50
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from benchmarks.command import command
from benchmarks.lines import Line
from benchmarks.loadable import LABELS, ROWS
from crosslabel import ClassStatistics, CrossLabelClassifier
from crosslabel.features.extraction import extract
from crosslabel.files import Model, load, save
from crosslabel.lab.records import Record, Store, machine
from crosslabel.lab.spec_files import load_specs

VERSIONS = (1, 2)
LATEST = 0.03  # seconds after which a writer is killed at the latest: several files later
READS = 20  # while two write


class Kept(NamedTuple):
    """Something that is kept in a folder: how a version is written, and which one is read."""

    write: Callable[[Path, int], object]
    read: Callable[[Path], object]


def _model() -> Kept:
    fitted = CrossLabelClassifier(random_state=0).fit(ROWS, LABELS)
    models = {v: Model(fitted, list("abc"), "features", "none", {"note": v}) for v in VERSIONS}
    return Kept(
        lambda folder, version: save(models[version], folder / "m"),
        lambda folder: load(folder / "m").summary["note"],
    )


def _statistics() -> Kept:
    made = {v: ClassStatistics.from_samples(v * ROWS, LABELS, normalize=False) for v in VERSIONS}
    largest = {float(np.abs(s.means).max()): v for v, s in made.items()}
    return Kept(
        lambda folder, version: made[version].save(folder / "s"),
        lambda folder: largest[float(np.abs(ClassStatistics.load(folder / "s").means).max())],
    )


def _record() -> Kept:
    cell = next(iter(load_specs()[0].cells()))
    first = Record(
        *cell.place[:3], cell.split, cell.seed, None, cell.method.estimator, cell.parameters,
        accuracy=0.5, mean_per_class=0.5, fit_seconds=1.0, query_seconds=1.0, cell_seconds=1.0,
        finished="", version="0", machine=machine(), input_hash="0",
        extra={"n_samples": 1, "n_test": 1},
    )  # fmt: skip
    records = {float(v): replace(first, accuracy=float(v)) for v in VERSIONS}
    return Kept(
        lambda folder, version: Store(folder).put(cell, records[version]),
        lambda folder: getattr(Store(folder).get(cell), "accuracy", None),
    )


def _features() -> Kept:
    """Rows of a cache: what is missing is computed again, so that only a wrong row is lost."""

    def rows(folder: Path, version: int) -> list[np.ndarray]:
        if version == VERSIONS[1]:  # or nothing would be written after the first time
            for place in folder.glob("rows/*/*.npy"):
                place.unlink(missing_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a cache that cannot be written is told of
            return extract(np.cumsum, list(ROWS[:3]), cache=folder / "rows")

    def read(folder: Path) -> int:
        np.testing.assert_array_equal(rows(folder, VERSIONS[0]), np.cumsum(ROWS[:3], axis=1))
        return VERSIONS[0]

    return Kept(rows, read)


KEPT = {
    "model": _model,
    "statistics": _statistics,
    "record": _record,
    "features": _features,
}


def is_whole(kept: Kept, folder: Path) -> bool:
    """Whether one of the versions can be read."""
    try:
        return kept.read(folder) in VERSIONS
    # The finding of the benchmark: whatever reading raises.
    except Exception as error:
        print(f"LOST {type(error).__name__}: {error}", flush=True)
        return False


def _child(task: Callable[[], object]) -> int:
    """Process that does a task; forked, since importing the libraries takes longer than a trial."""
    number = os.fork()
    if number:
        return number
    try:
        task()
    finally:
        os._exit(0)


def _forever(kept: Kept, folder: Path) -> NoReturn:
    for version in cycle(VERSIONS):
        kept.write(folder, version)
    raise AssertionError("a cycle has no end")


def killed(kept: Kept, folder: Path, random: np.random.Generator) -> bool:
    """Kill a writer after a while."""
    writer = _child(lambda: _forever(kept, folder))
    time.sleep(random.uniform(0, LATEST))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    return is_whole(kept, folder)


def full_disk(kept: Kept, folder: Path, random: np.random.Generator) -> bool:
    """Write where no file may be longer than a share of what it was."""
    length = max(place.stat().st_size for place in folder.rglob("*") if place.is_file())
    limit = int(random.uniform(0, 1) * length)

    def task() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        kept.write(folder, VERSIONS[1])

    writer = _child(task)
    os.waitpid(writer, 0)
    return is_whole(kept, folder) and not list(folder.rglob(".part-*"))


def two_writers(kept: Kept, folder: Path, random: np.random.Generator) -> bool:
    """Read while two write the same."""
    writers = [_child(lambda: _forever(kept, folder)) for _ in range(2)]
    try:
        return all(is_whole(kept, folder) for _ in range(READS))
    finally:
        for writer in writers:
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)


TRIALS = {"kill -9": killed, "full disk": full_disk, "two writers": two_writers}


def measured(trials: int) -> Iterator[Line]:
    """So many trials of each kind, over all that is kept in turn."""
    made = {name: make() for name, make in KEPT.items()}
    for kind, trial in TRIALS.items():
        lost: Counter[str] = Counter()
        parts = 0
        for number in range(trials):
            name = list(made)[number % len(made)]
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                made[name].write(folder, VERSIONS[0])
                lost[name] += not trial(made[name], folder, np.random.default_rng(number))
                parts += len(list(folder.rglob(".part-*")))
        yield Line(f"{kind}: trials", trials, ">=", trials)
        yield Line(f"{kind}: lost or half written", lost.total(), "<=", 0)
        if trial is killed and trials >= 20:  # else no writer was met amid its work
            yield Line(f"{kind}: writers that were met amid a file", parts, ">=", 1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Interrupt writers, and see whether all is there.")
    parser.add_argument("--trials", type=int, default=50, help="Of each kind.")
    return command(
        "interrupted", "interrupted writers", lambda given: measured(given.trials), parser
    )


if __name__ == "__main__":
    sys.exit(main())
