"""Samples that are there twice: equal ones, and nearly equal ones under different labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crosslabel.core.moments import Labels
from crosslabel.core.ordering import row_hashes
from crosslabel.core.scaling import Array
from crosslabel.flagship.held_out import Samples

NEAR = 0.5
"""Of the usual distance to the nearest sample, below which two samples are nearly equal."""


class Twins(NamedTuple):
    """Two samples that are nearly equal.

    Attributes
    ----------
    first, second : int
    distance : float
        Over the usual distance of a sample from the nearest other: 0 for equal samples.
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
    """Pairs of different classes that are far nearer than a sample's nearest usually is.

    Parameters
    ----------
    samples : Samples

    Returns
    -------
    list of Twins
        The nearest first.
    """
    energy, labels = samples.energy, samples.labels
    squares = energy[:, None] + energy - 2 * samples.gram
    np.fill_diagonal(squares, np.inf)
    usual = float(np.median(squares.min(axis=1)))
    squares[labels[:, None] == labels] = np.inf
    rows, columns = np.nonzero(squares < NEAR**2 * usual)
    upper = rows < columns
    rows, columns = rows[upper], columns[upper]
    lengths = np.sqrt(np.maximum(squares[rows, columns], 0) / (usual or 1.0))
    order = np.argsort(lengths, kind="stable")
    return [Twins(int(rows[k]), int(columns[k]), float(lengths[k])) for k in order]
