"""A 12 GB array on disk: peak memory of a fit, and its pass beside reading and one Gram product.

Run: python -m benchmarks.streaming [--rows 3000000] [--folder /var/tmp]
The array is made first and deleted at the end.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import command
from benchmarks.lines import Line

FEATURES, CLASSES, ATOMS = 1000, 20, 10
SEED = 0


def make(path: Path, n_rows: int) -> np.ndarray:
    """Noisy samples around a few directions of each class, block by block; gives their labels."""
    need, free = 4 * FEATURES * n_rows, shutil.disk_usage(path.parent).free
    if free < need + 2**30:
        raise SystemExit(
            f"{path.parent} has {free / 1e9:.1f} GB free; {need / 1e9 + 1:.1f} needed."
        )
    rng = np.random.default_rng(SEED)
    centres = rng.normal(size=(CLASSES, FEATURES)).astype(np.float32)
    labels = rng.integers(0, CLASSES, n_rows)
    out = np.lib.format.open_memmap(path, "w+", np.float32, (n_rows, FEATURES))
    del out  # the header is there; blocks are written as to any file
    noise = rng.standard_normal((40_000, FEATURES), dtype=np.float32)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - need)
        for start in range(0, n_rows, len(noise)):
            of = labels[start : start + len(noise)]
            # Each block has the noise at another place and sign: fresh samples without waiting.
            block = np.roll(noise, int(rng.integers(FEATURES)), axis=1)[: len(of)]
            block *= rng.choice([-1, 1], size=FEATURES).astype(np.float32)
            file.write((centres[of] + 2 * block).data)
    return labels


def drop_cache() -> None:
    """Let reading be from the disk again, where that is allowed."""
    try:
        Path("/proc/sys/vm/drop_caches").write_text("1")
    except OSError:
        print("the system's cache of files could not be emptied: reading may be from memory")


def timed_baseline(path: str, queue: Any) -> None:
    """Read the file block by block, and multiply each by itself."""
    from crosslabel.intake import passes, sources

    drop_cache()
    source = sources.open_source(path)
    step, total = passes.block_rows(source, 2**30), np.zeros((FEATURES, FEATURES), np.float32)
    started = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        file.seek(Path(path).stat().st_size - 4 * FEATURES * source.shape[0])
        for start in range(0, source.shape[0], step):
            block = np.empty((min(step, source.shape[0] - start), FEATURES), np.float32)
            view, done = memoryview(block).cast("B"), 0
            while done < len(view):
                done += file.readinto(view[done:])
            total += block.T @ block
    queue.put((time.perf_counter() - started, _peak()))


def timed_pass(path: str, labels: Any, queue: Any) -> None:
    """The pass alone, then the whole fit's peak memory."""
    from crosslabel import CrossLabelClassifier
    from crosslabel.intake import passes

    drop_cache()
    spent: list[float] = []
    run = passes.run

    def timed(*args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        stream = run(*args, **kwargs)
        spent.append(time.perf_counter() - started)
        return stream

    passes.run = timed
    model = CrossLabelClassifier(atoms_per_class=ATOMS, ridge=8e-3, rule="local", random_state=SEED)
    started = time.perf_counter()
    model.fit(path, labels)
    whole = time.perf_counter() - started
    queue.put((spent[0], whole, _peak(), model.n_iter_))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def _in_process(target: Any, *args: Any) -> Any:
    """Each measurement has a process of its own, so that its peak is its own."""
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=target, args=(*args, queue))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{target.__name__} failed with status {process.exitcode}")
    return queue.get()


def lines(n_rows: int, folder: str) -> Iterator[Line]:
    place = Path(tempfile.mkdtemp(prefix="crosslabel-stream-", dir=folder))
    try:
        path = place / "samples.npy"
        labels = make(path, n_rows)
        base, _ = _in_process(timed_baseline, str(path))
        spent, whole, peak, n_iter = _in_process(timed_pass, str(path), labels)
    finally:
        shutil.rmtree(place)
    size = 4e-9 * FEATURES * n_rows
    print(f"fit {whole:.1f} s ({n_iter} iterations)")
    yield Line("GB on disk", size)
    yield Line("peak memory of the fit in GB", peak, "<=", 1.5)
    yield Line("seconds of reading and one Gram product for each block", base)
    yield Line("seconds of the pass", spent)
    yield Line("throughput of the pass / reading and one Gram product", base / spent, ">=", 0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--folder", default="/var/tmp")
    sys.exit(
        command(
            "streaming", "A fit from disk", lambda given: lines(given.rows, given.folder), parser
        )
    )


if __name__ == "__main__":
    main()
