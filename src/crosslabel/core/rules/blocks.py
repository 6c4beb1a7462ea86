"""What rules share: classes of one size, and queries in blocks that stay in cache."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import is_tensor, threads_for
from crosslabel.core.scaling import Array

BLOCK = 2**19
"""Values of codes handled at a time: few enough to stay in cache between the steps of a rule."""


def padded(rows: Array, layout: AtomLayout) -> tuple[Array, int]:
    """Atoms with zeros after those of small classes, so that all classes have one size.

    Parameters
    ----------
    rows : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout

    Returns
    -------
    rows : ndarray of shape (n_shared + n_classes · size, n_features)
    size : int
    """
    size = max(layout.per_class)
    if min(layout.per_class) == size:
        return rows, size
    wide = np.zeros((layout.shared + layout.n_classes * size, rows.shape[1]), rows.dtype)
    wide[: layout.shared] = rows[: layout.shared]
    for c, n_atoms in enumerate(layout.per_class):
        start = layout.shared + c * size
        wide[start : start + n_atoms] = rows[layout.own(c)]
    return wide, size


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
