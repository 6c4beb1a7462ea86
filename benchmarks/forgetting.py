"""Extended Yale B: forget a person and refit, beside a full fit from the images of the others.

With classes that are learnt apart (solver="class") and with the exact solver, where all depend on
all.

Run: python -m benchmarks.forgetting
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from benchmarks.lines import Line, show
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_extended_yale_b
from crosslabel.features import Pixels, RandomFaces

SIZE, ATOMS = (54, 48), 15


def _pipeline(solver: str) -> object:
    """The paper's parameters; a projection that does not depend on the images."""
    model = CrossLabelClassifier(
        atoms_per_class=ATOMS, rule="global", solver=solver, random_state=0
    )
    return make_pipeline(Pixels(SIZE), RandomFaces(504, random_state=0), model)


def lines() -> Iterator[Line]:
    started = time.perf_counter()
    data = load_extended_yale_b()
    images, target = np.asarray(data.images), data.target
    load = time.perf_counter() - started
    print(f"reading the files {load:.1f} s")
    for solver, bar in (("class", 0.25), ("exact", 0.25)):
        yield from of_solver(solver, bar, images, target, load)


def of_solver(
    solver: str, bar: float, images: np.ndarray, target: np.ndarray, load: float
) -> Iterator[Line]:
    whole = _pipeline(solver).fit(images, target)
    gone = target[0]
    rest = target != gone
    full, short = [], []
    for _ in range(3):
        started = time.perf_counter()
        _pipeline(solver).fit(images[rest], target[rest])
        full.append(time.perf_counter() - started)
        model = whole.fit(images, target)[-1]
        started = time.perf_counter()
        model.forget_class(gone)
        short.append(time.perf_counter() - started)
    print(
        f"{solver}: fit from images in memory {np.median(full):.2f} s, "
        f"forget_class and refit {np.median(short):.2f} s"
    )
    ratio = np.median(short) / (np.median(full) + load)
    yield Line(f"{solver}: forget_class and refit / fit from images", float(ratio), "<=", bar)
    apart = _apart(whole, images, target)
    yield Line(f"{solver}: dictionary, difference to never seen", apart, "<=", 1e-8)


def _apart(pipeline: object, images: np.ndarray, target: np.ndarray) -> float:
    """Largest difference to a model that never saw the person, from the same start."""
    # The same features to the bit: a product over other rows rounds otherwise.
    rows, rest = pipeline[:-1].transform(images), target != target[0]
    people = np.unique(target)
    start = np.concatenate([rows[target == person][:ATOMS] for person in people])
    others = start[np.repeat(people != target[0], ATOMS)]
    model = clone(pipeline[-1]).set_params(init=start).fit(rows, target)
    never = clone(model).set_params(init=others).fit(rows[rest], target[rest])
    model.set_params(init=others).forget_class(target[0])
    return float(np.abs(model.dictionary_ - never.dictionary_).max())


if __name__ == "__main__":
    sys.exit(1 if show("Forgetting a person", lines()) else 0)
