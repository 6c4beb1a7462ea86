"""What a model loses in float32 and in bfloat16: labels, the best five, probabilities.

Run: python -m benchmarks.precision [--classes 10000]
Ten thousand classes, digits, and faces where CROSSLABEL_DATA has them; each is learnt in float64.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.command import command
from benchmarks.lines import Line, lines_of
from benchmarks.many_classes import Size, samples
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_extended_yale_b
from crosslabel.datasets.splits import per_class
from crosslabel.features import Pixels, RandomFaces

RULES = ("local", "global", "global-length")
NAMED = {"ridge": 8e-3, "random_state": 0}


def compared(
    name: str, model: CrossLabelClassifier, queries: np.ndarray, y: np.ndarray
) -> Iterator[Line]:
    """Lines of a model that was learnt in float64, for queries of these labels."""
    exact, k = model.predict_topk(queries, 5), 5
    whole = 100 * np.mean(exact.labels[:, 0] == y)
    yield Line(f"precision | {name}, float64 | accuracy, %", whole)
    for dtype in ("float32", "bfloat16"):
        found, row = model.astype(dtype).predict_topk(queries, k), f"precision | {name}, {dtype}"
        alike = 100 * np.mean(found.labels[:, 0] == exact.labels[:, 0])
        pairs = zip(found.labels.tolist(), exact.labels.tolist())
        best = 100 * np.mean([len(set(a) & set(b)) / k for a, b in pairs])
        yield Line(f"{row} | accuracy, %", 100 * np.mean(found.labels[:, 0] == y))
        yield Line(f"{row} | same label, %", alike, ">=", 99.9 if dtype == "float32" else 99)
        yield Line(f"{row} | of the best five, %", best)
        apart = np.abs(found.probabilities - exact.probabilities)[found.labels == exact.labels]
        yield Line(f"{row} | probability apart, 99 of 100", np.quantile(apart, 0.99))


def many(n_classes: int) -> Iterator[Line]:
    """Subspaces with noise, a query of each class; and how many are asked a second."""
    size = Size(n_classes, 512, 4, 20)
    X, queries = (part.astype(np.float64) for part in samples(size, None))
    labels = np.repeat(np.arange(n_classes), size.per_class)
    asked = np.random.default_rng(0).permutation(n_classes)[:1000]
    for rule in RULES[:2]:
        model = CrossLabelClassifier(atoms_per_class=4, rule=rule, **NAMED).fit(X, labels)
        name = f"{n_classes} classes, {rule}"
        yield from compared(name, model, queries[asked], asked)
    single = model.astype("float32")
    for dtype, one in (("float32", single), ("bfloat16", model.astype("bfloat16"))):
        one.predict_topk(queries[:1])
        started = time.process_time()
        one.predict_topk(queries[asked])
        spent = time.process_time() - started
        kept = one.fitted_.view.prepared.projection
        held = getattr(kept, "values", kept).nbytes / 1e6
        yield Line(f"{name}, {dtype}: queries a second of the processor", len(asked) / spent)
        yield Line(f"{name}, {dtype}: MB that queries are multiplied with", held)


def digits() -> Iterator[Line]:
    """Half of scikit-learn's digits, and all defaults too."""
    X, y = load_digits(return_X_y=True)
    for rule in (*RULES, "auto"):
        named = {"random_state": 0} if rule == "auto" else {"rule": rule, **NAMED}
        model = CrossLabelClassifier(**named).fit(X[::2], y[::2])
        yield from compared(f"digits, {rule}", model, X[1::2], y[1::2])


def faces() -> Iterator[Line]:
    """Extended Yale B, 20 images of each person, random faces of log pixels."""
    data = load_extended_yale_b()
    train, test = next(iter(per_class(data.target, 20, repeats=1, seed=0)))
    pixels = Pixels((54, 48), log=True).fit_transform(data.images)
    X = RandomFaces(504, random_state=0).fit_transform(pixels).astype(np.float64)
    for rule in RULES:
        model = CrossLabelClassifier(atoms_per_class=15, rule=rule, **NAMED)
        model.fit(X[train], data.target[train])
        yield from compared(f"faces, {rule}", model, X[test], data.target[test])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=10_000)

    def lines(given: argparse.Namespace) -> Iterator[Line]:
        return lines_of([partial(many, given.classes), digits, faces])

    sys.exit(command("precision", "Precision of the dictionary", lines, parser))


if __name__ == "__main__":
    main()
