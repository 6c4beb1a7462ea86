"""What the flagship is made of, seen by running it: its own classes, and the files it visits."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import crosslabel
from crosslabel import CrossLabelClassifier


def own_classes() -> list[str]:
    """Classes of this package that the flagship is made of, itself among them."""
    return [
        f"{each.__module__}.{each.__name__}"
        for each in CrossLabelClassifier.__mro__
        if each.__module__.split(".")[0] == "crosslabel"
    ]


def visited(action: Callable[[], object]) -> list[str]:
    """Files of the package in which a function runs while `action` does."""
    home = Path(crosslabel.__file__).parent
    seen: set[str] = set()

    def trace(frame: FrameType, event: str, argument: object) -> None:
        seen.add(frame.f_code.co_filename)

    before = sys.gettrace()
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
        threading.settrace(before)
    found = (Path(each) for each in seen)
    return sorted(str(each.relative_to(home)) for each in found if each.is_relative_to(home))


def visits() -> tuple[list[str], list[str]]:
    """Files that `fit` and `predict` of a default classifier visit, without their imports.

    A first model, which is not looked at, has imported all that the second one needs.
    """
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 12)
    X = random.normal(size=(30, 200))[y] + 0.3 * random.normal(size=(360, 200))
    CrossLabelClassifier().fit(X, y).predict(X)
    model = CrossLabelClassifier()
    return visited(lambda: model.fit(X, y)), visited(lambda: model.predict(X))
