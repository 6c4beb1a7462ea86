"""Class labels of batches that know nothing of each other: one sorted union, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ClassLabels = NDArray[Any]
"""Labels of samples, or of classes: numbers of any type, text, or objects."""

_FAMILY = {"b": "numbers", "i": "numbers", "u": "numbers", "f": "numbers"}
_FAMILY |= {"U": "text", "O": "text"}


def union(a: ClassLabels, b: ClassLabels) -> ClassLabels:
    """Sorted union of two sets of class labels; numbers and text do not mix.

    Parameters
    ----------
    a, b : ndarray
        Sorted and distinct; an empty one has no type.
    """
    if len(a) == 0 or len(b) == 0:
        return b if len(a) == 0 else a
    kinds = [_FAMILY.get(x.dtype.kind, str(x.dtype)) for x in (a, b)]
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"Labels so far are {kinds[0]}, such as {a.tolist()[0]!r}, but these are {kinds[1]}, "
            f"such as {b.tolist()[0]!r}. Use one type of label throughout."
        )
    if a.shape == b.shape and a.dtype == b.dtype and (a == b).all():
        return a
    return np.union1d(a, b)


def places(labels: ClassLabels, classes: ClassLabels) -> NDArray[np.intp]:
    """Index of each label in sorted classes that hold them all."""
    if len(labels) == 0:
        return np.zeros(0, np.intp)
    return np.searchsorted(classes, labels)


def to_array(classes: ClassLabels) -> ClassLabels:
    """Labels as an array that a file can hold: text as text, whatever held it."""
    if classes.dtype.kind != "O":
        return classes
    other = next((x for x in classes.tolist() if not isinstance(x, str)), None)
    if other is not None:
        raise ValueError(f"Labels in a file are numbers or text; got {other!r}.")
    return classes.astype(str)
