"""How soon a finite suppression is done from the closed form, beside a start from k-means.

Run: python -m benchmarks.finite [--part 4] [--whole]
A problem of Caltech101's shape with a part of its features, classes and atoms; with `--whole` that
size itself instead, for the objective after some iterations and the time of 20.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier

FEATURES, CLASSES, SAMPLES, ATOMS, SHARED = 3000, 102, 30, 29, 100
SETTINGS = {"suppression": 2e3, "ridge": 8e-3, "rule": "local", "random_state": 0}
SHOWN = (1, 2, 5, 20)


def samples(part: int) -> tuple[np.ndarray, np.ndarray]:
    """Noisy samples about a mean for each class, as `benchmarks.gpu` has them."""
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(CLASSES // part), SAMPLES)
    means = 1 + random.standard_normal((CLASSES // part, FEATURES // part))
    return means[y] + 1.5 * random.standard_normal((len(y), FEATURES // part)), y


def fitted(part: int, **more: object) -> tuple[CrossLabelClassifier, float]:
    """A model of a part of the size, and the processor's seconds that it took."""
    X, y = samples(part)
    sizes = {"atoms_per_class": ATOMS, "shared_atoms": SHARED // part}
    started = time.process_time()
    model = CrossLabelClassifier(**{**SETTINGS, **sizes, **more}).fit(X, y)
    return model, time.process_time() - started


def beside_kmeans(part: int) -> Iterator[Line]:
    """Objectives from either start, and how many iterations from k-means each is worth."""
    means = fitted(part, init="kmeans", max_iter=200, tol=0)[0].objective_trace_
    closed = fitted(part, max_iter=20, tol=0)[0].objective_trace_
    for n in SHOWN:
        yield Line(f"objective | {n} | from k-means", means[n - 1])
        yield Line(f"objective | {n} | from the closed form, the default", closed[n - 1])
        same = int(np.searchsorted(-means, -closed[n - 1])) + 1
        if same <= len(means):
            yield Line(f"objective | {n} | k-means is there after", same)
    yield Line("objective | 200 | from k-means", means[-1])
    yield Line("200 from k-means below 20 from the closed form, %", below(means[-1], closed[-1]))
    yield Line("5 above 20 iterations from the closed form, %", -below(closed[4], closed[-1]))
    ahead = fitted(part, solver="accelerated", max_iter=40, tol=0)[0].objective_trace_
    for n in (1, 20, 40):
        yield Line(f"accelerated: {n} below 200 from k-means, %", below(ahead[n - 1], means[-1]))


def below(one: float, other: float) -> float:
    """How far one objective lies below another, in per cent."""
    return 100 * (1 - one / other)


def whole_size() -> Iterator[Line]:
    """The problem itself, with `tol` as it is by default."""
    model, seconds = fitted(1)
    trace = model.objective_trace_
    for n in SHOWN:
        yield Line(f"whole size: objective after {n}", trace[n - 1])
    yield Line("whole size: the last iteration lowers it by, %", below(trace[-1], trace[-2]))
    enough = np.flatnonzero(1 - trace[1:] / trace[:-1] < 1e-3)
    yield Line("whole size: iterations with tol=1e-3", enough[0] + 2 if len(enough) else len(trace))
    yield Line("whole size: seconds of 20 iterations", seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=4)
    parser.add_argument("--whole", action="store_true")
    return command(
        "finite",
        "A finite suppression",
        lambda given: whole_size() if given.whole else beside_kmeans(given.part),
        parser,
    )


if __name__ == "__main__":
    sys.exit(main())
