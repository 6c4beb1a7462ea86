"""How soon a finite suppression is done from the closed form, beside a start from k-means.

Run: python -m benchmarks.finite [--part 4] [--whole]
A problem of Caltech101's shape with a part of its features, classes and atoms; with `--whole` also
that size itself, for the iterations after which `tol` stops.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from crosslabel import CrossLabelClassifier

FEATURES, CLASSES, SAMPLES, ATOMS, SHARED = 3000, 102, 30, 29, 100
SETTINGS = {"suppression": 2e3, "ridge": 8e-3, "rule": "local", "random_state": 0}


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=4)
    parser.add_argument("--whole", action="store_true")
    given = parser.parse_args()
    means, spent = fitted(given.part, init="kmeans", max_iter=200, tol=0)
    trace = means.objective_trace_
    print(f"k-means: {spent:.1f} s of the processor for {len(trace)} iterations", flush=True)
    for n in (1, 2, 5, 20, 50, 200):
        print(f"  objective after {n:3}: {trace[n - 1]:.4f}", flush=True)
    closed, spent = fitted(given.part, max_iter=20, tol=0)
    print(f"closed form: {spent:.1f} s of the processor for 20 iterations", flush=True)
    for n in (1, 2, 5, 20):
        value = closed.objective_trace_[n - 1]
        same = int(np.searchsorted(-trace, -value)) + 1
        words = f"k-means is there after {same}" if same <= len(trace) else "k-means never is"
        print(f"  objective after {n:3}: {value:.4f}; {words}", flush=True)
    ahead, spent = fitted(given.part, solver="accelerated", max_iter=40, tol=0)
    below = np.flatnonzero(ahead.objective_trace_ <= trace[-1]) + 1
    words = f"as low as k-means in the end after {below[0] if len(below) else 'more'}"
    print(f"accelerated: {spent:.1f} s of the processor for 40 iterations; {words}", flush=True)
    for n in (1, 2, 5, 20, 40):
        print(f"  objective after {n:3}: {ahead.objective_trace_[n - 1]:.4f}", flush=True)
    for part in [given.part, 1] if given.whole else [given.part]:
        model, spent = fitted(part)
        print(f"1/{part} of the size, tol=1e-4: {model.n_iter_} iterations, {spent:.1f} s: "
              f"{np.round(model.objective_trace_, 3).tolist()}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
