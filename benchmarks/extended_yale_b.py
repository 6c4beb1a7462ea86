"""Extended Yale B, 32 training images per person: what log pixels and random faces give.

Run: python -m benchmarks.extended_yale_b
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_extended_yale_b
from crosslabel.datasets.splits import per_class
from crosslabel.features import Eigenfaces, Pixels, RandomFaces

SIZE = (54, 48)
SPLITS = 10
# The paper's parameters for this data set; nothing is tuned here.
PAPER = {"atoms_per_class": 15, "ridge": 8e-3, "suppression": 2e3, "grouping": 2e-2}

FEATURES = {
    "eigenfaces 300": lambda seed: [Pixels(SIZE), Eigenfaces(300)],
    "log pixels, eigenfaces 300": lambda seed: [Pixels(SIZE, log=True), Eigenfaces(300)],
    "random faces 504": lambda seed: [Pixels(SIZE), RandomFaces(504, random_state=seed)],
    "log pixels, random faces 504": lambda seed: [
        Pixels(SIZE, log=True),
        RandomFaces(504, random_state=seed),
    ],
}


def lines() -> Iterator[Line]:
    """Mean accuracy of the global rule on each feature."""
    data = load_extended_yale_b()
    for name, make in FEATURES.items():
        scores = []
        for seed, (train, test) in enumerate(per_class(data.target, 32, repeats=SPLITS, seed=0)):
            model = CrossLabelClassifier(rule="global", random_state=seed, **PAPER)
            pipeline = make_pipeline(*make(seed), model)
            pipeline.fit(data.images[train], data.target[train])
            scores.append(pipeline.score(data.images[test], data.target[test]))
        what = f"{name}: accuracy, % (± {100 * np.std(scores):.2f})"
        yield Line(what, 100 * float(np.mean(scores)))


if __name__ == "__main__":
    title = f"Extended Yale B, 32 per person, {SPLITS} splits, global rule"
    sys.exit(command("extended_yale_b", title, lambda given: lines()))
