"""Extended Yale B: forget a person and refit, beside a full fit from the images of the others.

Run: python -m benchmarks.forgetting
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks.lines import Line, show
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_extended_yale_b
from crosslabel.features import Pixels, RandomFaces

SIZE = (54, 48)


def _pipeline() -> object:
    """The paper's parameters; a projection that does not depend on the images."""
    model = CrossLabelClassifier(atoms_per_class=15, rule="global", random_state=0)
    return make_pipeline(Pixels(SIZE), RandomFaces(504, random_state=0), model)


def lines() -> Iterator[Line]:
    started = time.perf_counter()
    data = load_extended_yale_b()
    images, target = np.asarray(data.images), data.target
    load = time.perf_counter() - started
    whole = _pipeline().fit(images, target)
    gone = target[0]
    rest = target != gone
    ratios, full, short = [], [], []
    for _ in range(3):
        started = time.perf_counter()
        _pipeline().fit(images[rest], target[rest])
        full.append(time.perf_counter() - started)
        model = whole.fit(images, target)[-1]
        started = time.perf_counter()
        model.forget_class(gone, refit=False).refit()
        short.append(time.perf_counter() - started)
        ratios.append(short[-1] / full[-1])
    # The same features to the bit: a product over other rows rounds otherwise, as does the start.
    rows = whole[:-1].transform(images)
    fresh = _pipeline()[-1].fit(rows[rest], target[rest])
    model.fit(rows, target).forget_class(gone)
    apart = np.abs(model.dictionary_ - fresh.dictionary_).max()
    print(
        f"reading the files {load:.1f} s; fit from images in memory {np.median(full):.2f} s, "
        f"forget_class and refit {np.median(short):.2f} s"
    )
    with_files = np.median(short) / (np.median(full) + load)
    yield Line("forget_class and refit / full fit from image files", float(with_files), "<=", 0.25)
    yield Line("… / full fit from images in memory", float(np.median(ratios)), "<=", 1.0)
    yield Line("dictionary, largest difference to never seen", float(apart), "<=", 1e-8)


if __name__ == "__main__":
    sys.exit(1 if show("Forgetting a person", lines()) else 0)
