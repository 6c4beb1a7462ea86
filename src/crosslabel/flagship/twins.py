"""Samples that are there twice: equal ones, and nearly equal ones under different labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crosslabel.core.moments import Labels
from crosslabel.core.ordering import row_hashes
from crosslabel.core.scaling import Array
from crosslabel.flagship.held_out import Samples

NEAR = 0.7
"""Of the usual distance to the nearest sample, below which two samples are nearly equal.

In the embeddings of 240 photos, copies that were cropped, shrunk, darkened or coded anew lie at 0.1
to 0.7 of it, and the nearest photos of other classes beyond 1.1."""


_CHUNK = 128
"""Samples whose distances to all others are found at once: few enough to stay in cache."""


class Twins(NamedTuple):
    """Two samples that are nearly equal.

    Attributes
    ----------
    first, second : int
    distance : float
        Over the usual distance of a sample from the nearest other: 0 for equal samples.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import audit
    >>> X, y = load_digits(return_X_y=True)
    >>> X[1] = X[0] + 0.01  # nearly a copy, under another label
    >>> pair = audit(X, y).near[0]
    >>> sorted([int(pair.first), int(pair.second)]), bool(pair.distance < 0.1)
    ([0, 1], True)
    """

    first: int
    second: int
    distance: float


def equal_groups(X: Array) -> list[Labels]:
    """Groups of equal rows, each in the order of the rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    """
    hashes = row_hashes(X)
    order = np.argsort(hashes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(hashes[order])) + 1)
    found = [group for group in groups if len(group) > 1 and (X[group] == X[group[0]]).all()]
    return sorted(found, key=lambda group: int(group[0]))


def near_twins(samples: Samples) -> list[Twins]:
    """Samples whose nearest is of another class, and far nearer than a nearest one usually is.

    Parameters
    ----------
    samples : Samples

    Returns
    -------
    list of Twins
        The nearest first, each pair once.
    """
    energy, labels, gram = samples.energy, samples.labels, samples.gram
    nearest, least = np.zeros(len(labels), np.intp), np.zeros(len(labels))
    for start in range(0, len(labels), _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, len(labels)))
        squares = energy[rows, None] + energy - 2 * gram[rows]
        squares[np.arange(len(rows)), rows] = np.inf
        nearest[rows] = squares.argmin(axis=1)
        least[rows] = np.maximum(squares.min(axis=1), 0)
    usual = float(np.median(least))
    close = (labels != labels[nearest]) & (least <= NEAR**2 * usual)
    pairs = {
        (min(a, b), max(a, b)): float(np.sqrt(least[a] / (usual or 1.0)))
        for a, b in zip(np.flatnonzero(close).tolist(), nearest[close].tolist())
    }
    found = [Twins(a, b, distance) for (a, b), distance in pairs.items()]
    return sorted(found, key=lambda pair: (pair.distance, pair.first, pair.second))
