"""What rules share: classes of one size, in blocks, and queries in blocks that stay in cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import beside, is_tensor, threads_for, zeros
from crosslabel.core.scaling import Array

BLOCK = 2**19
"""Values of codes handled at a time: few enough to stay in cache between the steps of a rule."""


CLASS_BLOCK = 2**22
"""Values of atoms that a rule is prepared from at a time: what it takes beside its own arrays."""


class ClassBlock(NamedTuple):
    """Classes that follow one another: which, where their atoms lie, and of which size each is."""

    classes: slice
    atoms: slice
    sizes: tuple[int, ...]

    def padded(self, rows: Array, size: int) -> Array:
        """Their atoms as (n_classes, size, n_features), with zeros after those of small classes."""
        shape = (len(self.sizes), size, rows.shape[1])
        if min(self.sizes) == size:
            return rows.reshape(shape)
        wide = zeros(shape, rows)
        wide[beside(np.arange(size) < np.array(self.sizes)[:, None], rows)] = rows
        return wide


def class_blocks(layout: AtomLayout, n_features: int) -> Iterator[ClassBlock]:
    """All classes in turn, so many at a time that their atoms take little memory."""
    step = max(1, CLASS_BLOCK // max(1, max(layout.per_class) * n_features))
    for first in range(0, layout.n_classes, step):
        last = min(first + step, layout.n_classes)
        atoms = slice(int(layout.starts[first]), int(layout.starts[last]))
        yield ClassBlock(slice(first, last), atoms, layout.per_class[first:last])


def in_blocks(score: Callable[[Array], Array], Y: Array, width: int, n_classes: int) -> Array:
    """Apply a rule to so many queries at a time that the arrays between stay in cache.

    Parameters
    ----------
    score : callable
        From queries (n, n_features) to scores (n, n_classes).
    Y : ndarray of shape (n_queries, n_features)
    width : int
        Values that the rule computes for one query.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_queries, n_classes)
    """
    if is_tensor(Y):  # a device has no use for small batches; its caller knows what fits
        return score(Y)
    step = max(64, BLOCK // width)
    with threads_for(2.0 * Y.size * width):
        if len(Y) <= step:
            return score(Y)
        scores = np.empty((len(Y), n_classes), Y.dtype)
        for start in range(0, len(Y), step):
            scores[start : start + step] = score(Y[start : start + step])
    return scores
