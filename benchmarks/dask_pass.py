"""The pass over a Dask array, and classes learnt by tasks, on two worker processes beside one.

Run: python -m benchmarks.dask_pass
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # a core is a worker's

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from benchmarks.command import command
from benchmarks.lines import Line
from benchmarks.many_classes import SHARD, Size, shard
from crosslabel import CrossLabelClassifier
from crosslabel.intake.lift import Lift
from crosslabel.intake.partitions import absorb_partitions
from crosslabel.intake.summary import Summary

MANY, BLOCK = Size(), 2**28
"""Classes that are learnt by tasks, and the memory limit of one."""

PARTITIONS, ROWS, FEATURES, CLASSES = 40, 8000, 600, 10


def _block(number: int) -> np.ndarray:
    """Samples of one partition, made where it lies; labels follow from the row."""
    rng = np.random.default_rng(number)
    centres = np.random.default_rng(99).normal(size=(CLASSES, FEATURES))
    return centres[np.arange(ROWS) % CLASSES] + 2 * rng.normal(size=(ROWS, FEATURES))


def _collection() -> tuple[da.Array, da.Array]:
    from dask import delayed

    blocks = [
        da.from_delayed(delayed(_block)(k), (ROWS, FEATURES), float) for k in range(PARTITIONS)
    ]
    labels = da.from_array(np.tile(np.arange(ROWS) % CLASSES, PARTITIONS), chunks=ROWS)
    return da.concatenate(blocks), labels


def _pass_seconds(n_workers: int) -> float:
    """Seconds of the pass over partitions that lie in the memory of the workers."""
    empty = Summary.empty(FEATURES, np.dtype(float), Lift(), size=100, seed=0)
    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster):
        X, y = (part.persist() for part in _collection())
        X[:, 0].sum().compute()
        absorb_partitions(X[: 2 * ROWS], y[: 2 * ROWS], None, empty)
        started = time.perf_counter()
        absorb_partitions(X, y, None, empty)
        return time.perf_counter() - started


def _rows(first: int) -> np.ndarray:
    """Samples of some of many classes, made where they lie."""
    return shard(MANY, first)[0].reshape(-1, MANY.features)


def _many() -> tuple[da.Array, da.Array]:
    """Partitions that are sorted by class."""
    from dask import delayed

    n, shape = MANY.classes, (SHARD * MANY.per_class, MANY.features)
    parts = [da.from_delayed(delayed(_rows)(k), shape, np.float32) for k in range(0, n, SHARD)]
    return da.concatenate(parts), da.from_array(
        np.repeat(np.arange(n), MANY.per_class), chunks=shape[0]
    )


def _named() -> CrossLabelClassifier:
    """What parts classes, and keeps no summary beyond the limit."""
    named = {"atoms_per_class": MANY.atoms, "ridge": 8e-3, "rule": "local", "random_state": 0}
    return CrossLabelClassifier(memory_limit=BLOCK, **named)


def _by_tasks(n_workers: int) -> tuple[float, CrossLabelClassifier]:
    """Seconds of a fit whose classes are learnt where their samples lie, and the model."""
    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster):
        X, y = (part.persist() for part in _many())
        X[:, 0].sum().compute()
        few = SHARD * MANY.per_class
        _named().fit(X[: 2 * few], y[: 2 * few])
        started, model = time.perf_counter(), _named().fit(X, y)
        return time.perf_counter() - started, model


def tasks() -> Iterator[Line]:
    """Many classes in blocks, each a task, beside the fit in memory."""
    name = f"{MANY.classes} classes by tasks"
    one, _ = _by_tasks(1)
    two, there = _by_tasks(2)
    print(f"{name}: one worker {one:.1f} s, two workers {two:.1f} s")
    yield Line(f"{name}: one worker / two workers", one / two, ">=", 1.5)
    X, y = (part.compute() for part in _many())
    apart = np.abs(there.dictionary_ - _named().fit(X, y).dictionary_).max()
    yield Line(f"{name} / in memory, largest difference", float(apart), "<=", 1e-6)


def lines() -> Iterator[Line]:
    one, two = _pass_seconds(1), _pass_seconds(2)
    print(f"one worker {one:.1f} s, two workers {two:.1f} s")
    yield Line("pass: one worker / two workers", one / two, ">=", 1.6)
    X, y = _collection()
    X, y = X[: 3 * ROWS], y[: 3 * ROWS]
    model = CrossLabelClassifier(atoms_per_class=5, ridge=8e-3, rule="local", random_state=0)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster):
        lazy = model.fit(X, y).dictionary_.copy()
        X, y = X.compute(), y.compute()
    apart = np.abs(lazy - model.fit(X, y).dictionary_).max()
    yield Line("dictionary, Dask / in memory, largest difference", float(apart), "<=", 1e-8)
    yield from tasks()


if __name__ == "__main__":
    sys.exit(command("dask_pass", "Dask", lambda given: lines()))
