"""The nearest training sample of each class, by which methods that embed samples decide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosslabel.core.scaling import Array, squared_distances

_BLOCK = 4096
"""Queries at a time: their distances to thousands of samples then take some hundred megabytes."""


def nearest_scores(queries: Array, points: Array, parts: Sequence[slice]) -> Array:
    """−min over the points p of a class of ‖q − p‖², for each query q and each class.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_dimensions)
    points : ndarray of shape (n_points, n_dimensions)
    parts : sequence of slice
        The points of each class.

    Returns
    -------
    ndarray of shape (n_queries, n_classes)
    """
    scores = np.empty((len(queries), len(parts)))
    for start in range(0, len(queries), _BLOCK):
        rows = slice(start, start + _BLOCK)
        distances = squared_distances(queries[rows], points)
        for c, part in enumerate(parts):
            scores[rows, c] = -distances[:, part].min(axis=1)
    return scores
