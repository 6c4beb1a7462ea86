"""Extended Yale B: forget a person and refit, beside a full fit from the images of the others.

With classes that are learnt apart (suppression=inf) and with a finite suppression, where all depend
on all.

Run: python -m benchmarks.forgetting
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_extended_yale_b
from crosslabel.features import Pixels, RandomFaces

SIZE, ATOMS = (54, 48), 15


def _pipeline(suppression: float) -> object:
    """The paper's parameters; a projection that does not depend on the images."""
    model = CrossLabelClassifier(
        atoms_per_class=ATOMS, ridge=8e-3, suppression=suppression, rule="global",
        keep_summary=True, random_state=0,
    )  # fmt: skip
    return make_pipeline(Pixels(SIZE), RandomFaces(504, random_state=0), model)


def lines() -> Iterator[Line]:
    started = time.perf_counter()
    data = load_extended_yale_b()
    images, target = np.asarray(data.images), data.target
    load = time.perf_counter() - started
    for suppression in (math.inf, 2e3):
        yield from with_suppression(suppression, images, target, load)


def with_suppression(
    suppression: float, images: np.ndarray, target: np.ndarray, load: float
) -> Iterator[Line]:
    whole = _pipeline(suppression).fit(images, target)
    gone = target[0]
    rest = target != gone
    full, short = [], []
    for _ in range(3):
        started = time.perf_counter()
        _pipeline(suppression).fit(images[rest], target[rest])
        full.append(time.perf_counter() - started)
        model = whole.fit(images, target)[-1]
        started = time.perf_counter()
        model.forget_class(gone)
        short.append(time.perf_counter() - started)
    name = f"suppression {suppression:g}"
    whole_seconds, seconds = float(np.median(full)) + load, float(np.median(short))
    yield Line(f"{name}: seconds of a fit from image files", whole_seconds)
    yield Line(f"{name}: seconds of forget_class and refit", seconds)
    ratio = seconds / whole_seconds
    yield Line(f"{name}: forget_class and refit / fit from images", ratio, "<=", 0.25)
    apart = _apart(whole, images, target)
    yield Line(f"{name}: dictionary, difference to never seen", apart, "<=", 1e-8)


def _apart(pipeline: object, images: np.ndarray, target: np.ndarray) -> float:
    """Largest difference to a model that never saw the person."""
    # The same features to the bit: a product over other rows rounds otherwise.
    rows, rest = pipeline[:-1].transform(images), target != target[0]
    model = clone(pipeline[-1]).fit(rows, target).forget_class(target[0])
    never = clone(model).fit(rows[rest], target[rest])
    return float(np.abs(model.dictionary_ - never.dictionary_).max())


if __name__ == "__main__":
    sys.exit(command("forgetting", "Forgetting a person", lambda given: lines()))
