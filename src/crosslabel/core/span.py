"""Few rows of many features in as many coordinates as there are rows.

Imports numpy and core only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crosslabel.core.scaling import Array


class Spanned(NamedTuple):
    """Rows as coordinates along orthonormal axes, which keep every product between rows."""

    rows: Array
    axes: Array | None  # (n_rows, n_features); None where the rows stayed as they were

    def lifted(self, rows: Array) -> Array:
        """Rows in these coordinates as features again."""
        return rows if self.axes is None else rows @ self.axes


def spanned(rows: Array) -> Spanned:
    """Coordinates of rows in the space that they span, where that has fewer than their features.

    What depends on products alone, and moves within the span, is the same in either; it costs as
    many numbers a row as there are rows.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)

    Returns
    -------
    Spanned
        Rows and axes with rows · axes = the given rows; those themselves where they are as many as
        the features or more.
    """
    if len(rows) >= rows.shape[1]:
        return Spanned(rows, None)
    axes, coordinates = np.linalg.qr(rows.T)
    return Spanned(np.ascontiguousarray(coordinates.T), np.ascontiguousarray(axes.T))
