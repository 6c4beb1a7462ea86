"""Training in closed form where it is large: many features, many classes, one class more.

Run: python -m benchmarks.large        (minutes; on an otherwise idle machine)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import many_classes
from benchmarks.closed_form import busy_cores, defaults_over_named, under_load
from benchmarks.core import OBJECTS, Size, data, named, seconds
from benchmarks.lines import Line, lines_of, show
from crosslabel import CrossLabelClassifier

CLASSES = Size(512, 1000, 100, 10)


def many_features() -> Iterator[Line]:
    """Fit at 3000 features, 102 × 30 samples, 29 atoms, over one product of samples and atoms."""
    X, y = data(OBJECTS)
    atoms = np.ascontiguousarray(X[: OBJECTS.n_classes * OBJECTS.atoms].T)
    with threadpool_limits(1):
        product, fit = seconds(
            lambda: X @ atoms,
            lambda: named("global", OBJECTS.atoms).fit(X, y),
            repeats=3,
            clock=time.process_time,
        )
        model = named("global", OBJECTS.atoms).fit(X, y)
        (first,) = seconds(lambda: model.predict(X[:1]), repeats=1, clock=time.process_time)
    told = f"one product {product:.2f} s, fit {fit:.2f} s, first query after it {first:.2f} s"
    print(f"  {told}", flush=True)
    yield Line("fit, global rule / one product, objects, one thread", fit / product, "<=", 3)


def defaults() -> Iterator[Line]:
    """One fit with defaults over the same fit with everything named."""
    X, y = data(OBJECTS)
    yield defaults_over_named("3000 features, 102 × 30", X, y, repeats=1)


def busy_neighbour() -> Iterator[Line]:
    """Default threads over one thread while other processes hold all cores but one."""
    X, y = data(OBJECTS)
    with busy_cores():
        yield under_load(
            "fit, objects, global rule named", lambda: named("global", OBJECTS.atoms).fit(X, y), 2
        )


def one_class_more() -> Iterator[Line]:
    """Adding a class to 1,000 by `partial_fit`, over a fit of them all."""
    X, y = data(CLASSES._replace(n_classes=CLASSES.n_classes + 3))
    old = y < CLASSES.n_classes
    model = CrossLabelClassifier(
        atoms_per_class=CLASSES.atoms, ridge=8e-3, rule="local", scale="unit", offset=0.0,
        kernel="linear", keep_summary=True, kept_samples=CLASSES.atoms, random_state=0,
    )  # fmt: skip
    with threadpool_limits(1):
        begun = time.process_time()
        model.fit(X[old], y[old])
        whole = time.process_time() - begun
        added = []
        for label in range(CLASSES.n_classes, y.max() + 1):
            new = y == label
            begun = time.process_time()
            model.partial_fit(X[new], y[new])
            added.append(time.process_time() - begun)
    print(f"  fit {whole:.2f} s, one class more {1e3 * min(added):.1f} ms", flush=True)
    yield Line("one class more than 1,000 / fit of all", min(added) / whole, "<=", 0.01)


def ten_thousand_classes() -> Iterator[Line]:
    """10,000 classes × 10 atoms over 256 features."""
    yield from many_classes.lines()


PARTS = (many_features, defaults, busy_neighbour, one_class_more, ten_thousand_classes)

if __name__ == "__main__":
    sys.exit(1 if show("Large problems", lines_of(PARTS)) else 0)
