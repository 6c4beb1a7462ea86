"""10,000 classes × 10 atoms over 256 features, in the closed form: time and peak memory.

Run: python -m benchmarks.many_classes [--classes 10000]
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier

FEATURES, ATOMS, PER_CLASS = 256, 10, 30


def lines(n_classes: int) -> Iterator[Line]:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(n_classes), PER_CLASS)
    # Each class in a subspace of its own, with noise: what its atoms are to find.
    X = 0.3 * rng.standard_normal((len(labels), FEATURES), dtype=np.float32)
    spans = rng.standard_normal((n_classes, 5, FEATURES), dtype=np.float32)
    codes = rng.standard_normal((len(labels), 5), dtype=np.float32)
    for k in range(5):
        X += codes[:, k : k + 1] * spans[labels, k]
    held_out = rng.permutation(len(X))[:2000]
    train = np.setdiff1d(np.arange(len(X)), held_out)
    model = CrossLabelClassifier(atoms_per_class=ATOMS, ridge=8e-3, rule="local", random_state=0)
    started = time.perf_counter()
    model.fit(X[train], labels[train])
    spent = time.perf_counter() - started
    accuracy = model.score(X[held_out], labels[held_out])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    yield Line(f"{n_classes} classes: seconds of fit, data to model", spent, "<=", 20)
    yield Line(f"{n_classes} classes: peak memory in GB", peak, "<=", 6)
    yield Line(
        f"{n_classes} classes: accuracy on 2000 samples held out, %", 100 * accuracy, ">=", 90
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=10_000)
    sys.exit(command("bench", "Many classes", lambda given: lines(given.classes), parser))


if __name__ == "__main__":
    main()
