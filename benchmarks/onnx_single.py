"""One query at a time: onnxruntime on an exported model beside our own `predict`.

Run: python -m benchmarks.onnx_single
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnxruntime
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier, to_onnx
from crosslabel.features import RandomFaces

ROUNDS, CALLS = 40, 50


def seconds(*functions: Callable[[], Any]) -> list[float]:
    """Best time of a call to each function, measured in turns so that a noisy moment hits all."""
    best = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for k, function in enumerate(functions):
            started = time.perf_counter()
            for _ in range(CALLS):
                function()
            best[k] = min(best[k], (time.perf_counter() - started) / CALLS)
    return best


def ratio(name: str, model: Any, X: np.ndarray, dtype: str) -> Line:
    """Time of onnxruntime for one query over that of `predict`."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # as few as our own predict takes for one query
    content = to_onnx(model, dtype=dtype).SerializeToString()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    query, single = X[:1].copy(), X[:1].astype(dtype)
    ours, theirs = seconds(
        lambda: model.predict(query), lambda: session.run(["label"], {"X": single})
    )
    print(f"  {name}, {dtype}: predict {1e6 * ours:.0f} µs, onnxruntime {1e6 * theirs:.0f} µs")
    return Line(f"{name}, {dtype}: onnxruntime / predict", theirs / ours, "<=", 1.0)


def faces(n_people: int = 38, n_each: int = 32, n_pixels: int = 2592) -> tuple[np.ndarray, ...]:
    """Rows of the size of Extended Yale B; what they hold does not change the time."""
    rng = np.random.default_rng(0)
    return rng.random((n_people * n_each, n_pixels)), np.repeat(np.arange(n_people), n_each)


def lines() -> Iterator[Line]:
    X, y = load_digits(return_X_y=True)
    pixels, people = faces()
    for rule in ("global", "local"):
        small = CrossLabelClassifier(ridge=0.1, rule=rule, random_state=0).fit(X, y)
        shared = CrossLabelClassifier(ridge=0.1, rule=rule, shared_atoms=10, random_state=0).fit(
            X, y
        )
        pipeline = make_pipeline(
            RandomFaces(504, random_state=0),
            CrossLabelClassifier(ridge=0.1, rule=rule, random_state=0),
        ).fit(pixels, people)
        for dtype in ("float32", "float64"):
            yield ratio(f"digits, {rule}", small, X, dtype)
            yield ratio(f"digits, 10 shared atoms, {rule}", shared, X, dtype)
            yield ratio(f"38 people, random faces 504, {rule}", pipeline, pixels, dtype)


if __name__ == "__main__":
    raise SystemExit(command("onnx_single", "ONNX at batch 1", lambda given: lines()))
