"""What one process measures of one method on one problem.

Imports numpy only: peers bring their own.

python -m benchmarks.peers.PEER METHOD problem.npz result.json
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MANY = 10_000  # queries of the batch
ENOUGH, MOST = 2.0, 10  # seconds or repetitions of a fit, whose least time counts
PATIENCE = 60.0  # seconds that the batch may take before it is reckoned from the test samples


def run(methods: dict[str, Callable[[int, int], Any]]) -> None:
    """Fit and query the method named on the command line, and write what it took."""
    name, problem, result = sys.argv[1:]
    with np.load(problem) as stored:
        X, y, Z, truth, atoms = (stored[key] for key in ("X", "y", "Z", "truth", "atoms"))
    model = methods[name](int(atoms), len(np.unique(y)))
    before = _memory("VmRSS")
    fits = [_timed_fit(model, X, y)]
    while sum(wall for wall, _ in fits) < ENOUGH and len(fits) < MOST:
        fits.append(_timed_fit(model, X, y))
    wall, processor = map(min, zip(*fits))
    trained = time.perf_counter()
    accuracy = float(np.mean(model.predict(Z) == truth))
    tested = time.perf_counter() - trained
    singles = []
    for k in range(min(20, len(Z))):
        begun = time.perf_counter()
        model.predict(Z[k : k + 1])
        singles.append(time.perf_counter() - begun)
    reckoned = tested / len(Z) * MANY > PATIENCE
    many = tested / len(Z) * MANY if reckoned else _batch(model, Z)
    measured = {
        "accuracy": accuracy,
        "fit_seconds": wall,
        "fit_processor_seconds": processor,
        "one_query_seconds": float(np.median(singles)),
        "many_queries_seconds": many,
        "many_reckoned": reckoned,
        "peak_bytes": _memory("VmHWM") - before,
    }
    Path(result).write_text(json.dumps(measured))


def _timed_fit(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Seconds on the clock, and of processor time."""
    begun, spent = time.perf_counter(), time.process_time()
    model.fit(X, y)
    return time.perf_counter() - begun, time.process_time() - spent


def _batch(model: Any, Z: np.ndarray) -> float:
    queries = np.resize(Z, (MANY, Z.shape[1]))
    begun = time.perf_counter()
    model.predict(queries)
    return time.perf_counter() - begun


def _memory(line: str) -> int:
    """Memory of the process by one line of its status, in bytes.

    Not by `resource`: a process inherits the peak of the one that started it.
    """
    for entry in Path("/proc/self/status").read_text().splitlines():
        if entry.startswith(line):
            return int(entry.split()[1]) * 1024
    raise KeyError(line)
