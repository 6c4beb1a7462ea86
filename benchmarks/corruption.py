"""Corrupted queries, as in the SRC paper's experiments: accuracy as more of a face is lost.

Extended Yale B at 24×21, 32 clean training images per person. Pixels of queries are replaced by
uniform noise, or a block of them by a piece of an unrelated picture. Nothing is tuned to it.

Run: python -m benchmarks.corruption --plot corruption.png
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_sample_image

from benchmarks.command import command
from benchmarks.extended_yale_b import PAPER
from benchmarks.lines import Line
from crosslabel import CRC, SRC, CrossLabelClassifier
from crosslabel.core.scaling import Array
from crosslabel.datasets import load_extended_yale_b
from crosslabel.datasets.splits import per_class
from crosslabel.features import Pixels

SIZE, PER_PERSON = (24, 21), 2
NOISE, BLOCKS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (0.0, 0.1, 0.2, 0.3, 0.4)
METHODS = {
    "CrossLabel, global": lambda: CrossLabelClassifier(rule="global", random_state=0, **PAPER),
    "CrossLabel, local": lambda: CrossLabelClassifier(rule="local", random_state=0, **PAPER),
    "CRC": lambda: CRC(),
    "SRC": lambda: SRC(),
    "SRC, robust": lambda: SRC(robust=True),
}


def noisy(rows: Array, share: float, rng: np.random.Generator) -> Array:
    """Some pixels of each row, each row others, replaced by uniform noise."""
    worst = rng.random(rows.shape).argsort(axis=1) < round(share * rows.shape[1])
    return np.where(worst, rng.random(rows.shape) * rows.max(), rows)


def occluded(rows: Array, share: float, rng: np.random.Generator) -> Array:
    """A block of each image, at a random place, replaced by a piece of a picture of a flower."""
    images = rows.reshape(-1, *SIZE).copy()
    flower = load_sample_image("flower.jpg").mean(axis=2) / 255
    height, width = (round(side * np.sqrt(share)) for side in SIZE)
    for image in images:
        top, left = rng.integers(SIZE[0] - height + 1), rng.integers(SIZE[1] - width + 1)
        y, x = rng.integers(flower.shape[0] - height), rng.integers(flower.shape[1] - width)
        image[top : top + height, left : left + width] = flower[y : y + height, x : x + width]
    return images.reshape(rows.shape)


Damage = Callable[[Array, float, np.random.Generator], Array]
DAMAGES: dict[str, tuple[Damage, tuple[float, ...]]] = {
    "pixels replaced by noise": (noisy, NOISE),
    "block occluded": (occluded, BLOCKS),
}


Curves = dict[str, dict[str, list[float]]]
"""Accuracies by damage, method and share."""


def curves() -> tuple[Curves, dict[str, float]]:
    """Accuracies by damage, method and share; the processor's seconds of a query of each method."""
    data = load_extended_yale_b()
    rows = Pixels(SIZE, normalize=False).fit_transform(data.images).astype(float)
    ((train, test),) = per_class(data.target, 32, repeats=1, seed=0)
    rng = np.random.default_rng(0)
    asked = np.concatenate(
        [rng.choice(test[data.target[test] == c], PER_PERSON, replace=False) for c in range(38)]
    )
    found: Curves = {damage: {} for damage in DAMAGES}
    spent: dict[str, float] = {}
    asked_of_each = len(asked) * sum(len(shares) for _, shares in DAMAGES.values())
    for name, make in METHODS.items():
        model, seconds = make().fit(rows[train], data.target[train]), 0.0
        for damage, (spoil, shares) in DAMAGES.items():
            # The same damage for every method.
            queries = [spoil(rows[asked], share, np.random.default_rng(1)) for share in shares]
            started = time.process_time()
            found[damage][name] = [model.score(X, data.target[asked]) for X in queries]
            seconds += time.process_time() - started
        spent[name] = seconds / asked_of_each
    return found, spent


def plot(found: Curves, place: Path) -> None:
    """Curves of both damages, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, (damage, rows) in zip(figure.subplots(1, 2, sharey=True), found.items()):
        for name, values in rows.items():
            axes.plot(DAMAGES[damage][1], values, marker="o", label=name)
        axes.set(xlabel=damage, ylim=(0, 1.02))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("accuracy")
    figure.axes[0].legend()
    figure.savefig(place)


def lines(place: Path | None) -> Iterator[Line]:
    """Accuracy of each method at each share of each damage, and the milliseconds of a query."""
    found, spent = curves()
    for damage, rows in found.items():
        for name, values in rows.items():
            for share, value in zip(DAMAGES[damage][1], values):
                yield Line(f"{damage} | {name} | {share:.0%}", 100 * value)
    for name, seconds in spent.items():
        yield Line(f"{name}: ms of a query", 1e3 * seconds)
    if place is not None:
        plot(found, place)
        print(f"The curves are {place}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, help="draws the curves there")
    title = "Corrupted queries, Extended Yale B at 24×21, 32 per person"
    sys.exit(command("corruption", title, lambda given: lines(given.plot), parser))
