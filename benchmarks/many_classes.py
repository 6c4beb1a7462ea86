"""Very many classes in the closed form: time, peak memory and exact top-5 queries a second.

Run: python -m benchmarks.many_classes [--classes 10000]
     python -m benchmarks.many_classes --classes 100000 --features 512 --atoms 4 --per-class 20 \
         --folder /var/tmp/many
With a folder, samples are made and learnt from on disk, in shards: no more than one is ever held.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier

DIMENSIONS, NOISE = 5, 0.3
"""Each class in a subspace of its own, with noise: what its atoms are to find."""

QUERIES, SHARD = 2000, 1000
"""Samples held out, and classes of a shard."""


class Size(NamedTuple):
    """How many classes, and what each of them is like; one more sample of each is held out."""

    classes: int = 10_000
    features: int = 256
    atoms: int = 10
    per_class: int = 30


USUAL = Size()


def shard(size: Size, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of some classes (n, per_class, features), and a query of each."""
    rng = np.random.default_rng(first)
    n = min(SHARD, size.classes - first)
    spans = rng.standard_normal((n, DIMENSIONS, size.features), dtype=np.float32)
    codes = rng.standard_normal((n, size.per_class + 1, DIMENSIONS), dtype=np.float32)
    X = codes @ spans
    X += NOISE * rng.standard_normal(X.shape, dtype=np.float32)
    return X[:, 1:], X[:, 0]


def samples(size: Size, folder: Path | None) -> tuple[np.ndarray | Path, np.ndarray]:
    """Samples in memory or in shards on disk, and a query of each class."""
    parts, queries = list[np.ndarray](), list[np.ndarray]()
    for first in range(0, size.classes, SHARD):
        X, asked = shard(size, first)
        queries.append(asked)
        rows = X.reshape(-1, size.features)
        if folder is None:
            parts.append(rows)
        else:
            np.save(folder / f"{first:09}.npy", rows)
    return (np.concatenate(parts) if folder is None else folder), np.concatenate(queries)


def peak() -> float:
    """The most memory that this process has held so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def lines(size: Size = USUAL, folder: Path | None = None) -> Iterator[Line]:
    """Fit and ask; seconds are of the clock, and of the processor beside them."""
    X, queries = samples(size, folder)
    labels = np.repeat(np.arange(size.classes), size.per_class)
    name = f"{size.classes} classes × {size.atoms} atoms, {size.features} features"
    model = CrossLabelClassifier(
        atoms_per_class=size.atoms, ridge=8e-3, rule="local", random_state=0
    )
    started, worked = time.perf_counter(), time.process_time()
    model.fit(X, labels)
    spent, work = time.perf_counter() - started, time.process_time() - worked
    yield Line(f"{name}: seconds of fit, data to model", spent, "<=", 20 if not folder else 900)
    yield Line(f"{name}: seconds of the processor", work, "<=", 20 if not folder else 900)
    yield Line(f"{name}: peak memory in GB after the fit", peak(), "<=", 6 if not folder else 8)
    asked = np.random.default_rng(0).permutation(size.classes)[:QUERIES]
    model.predict_topk(queries[asked[:1]])  # prepares the rule
    started, worked = time.perf_counter(), time.process_time()
    found = model.predict_topk(queries[asked], k=5)
    spent, work = time.perf_counter() - started, time.process_time() - worked
    first = 100 * np.mean(found.labels[:, 0] == asked)
    yield Line(f"{name}: queries a second, exact top 5", len(asked) / spent)
    yield Line(f"{name}: the same by processor seconds", len(asked) / work)
    yield Line(f"{name}: accuracy on {len(asked)} samples held out, %", first, ">=", 90)
    yield Line(f"{name}: peak memory in GB in all", peak(), "<=", 6 if not folder else 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for field, value in Size._field_defaults.items():
        parser.add_argument(f"--{field.replace('_', '-')}", type=int, default=value)
    parser.add_argument("--folder", type=Path, help="where the samples go; removed at the end")
    sys.exit(command("bench", "Many classes", measured, parser))


def measured(given: argparse.Namespace) -> Iterator[Line]:
    """Of samples in memory, or in a folder for the time of the run."""
    size = Size(*(getattr(given, field) for field in Size._fields))
    if given.folder is None:
        yield from lines(size)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=given.folder) as place:
        yield from lines(size, Path(place))


if __name__ == "__main__":
    main()
