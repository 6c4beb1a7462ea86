"""The moments of codes at λ = 0, where they need no product with the samples.

Without suppression all rows of one shift ρ are coded by one matrix Φ = (DDᵀ + ρI)⁻¹D, whatever
their classes: X = YΦᵀ. So XᵀX = ΦSΦᵀ and XᵀY = ΦS with the moment S = YᵀY, which no iteration
changes. In the coordinates of its eigenvectors it is diagonal, and to multiply with it is to scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from crosslabel.core.backend import in_float64, solve_columns, solve_lower, solve_upper
from crosslabel.core.code_blocks import Block, joined, n_rows_of
from crosslabel.core.gram import cholesky_of_gram, smaller_gram
from crosslabel.core.scaling import Array

WORTH = 2
"""How often the products with the rows, N·K, make up for the eigenvectors of the moment, M²."""


class Unsuppressed(NamedTuple):
    """Rows of two shifts at most, as there are where all classes are of one size.

    Attributes
    ----------
    axes : ndarray of shape (n_features, n_features)
        Orthonormal rows: the coordinates that all else is in.
    shift : float
        ρ of most rows.
    moment : ndarray of shape (n_features,)
        The diagonal S of those.
    other_shift : float
    others : ndarray of shape (n_others, n_features)
        The rows of the other shift.
    """

    axes: Array
    shift: float
    moment: Array
    other_shift: float
    others: Array

    @classmethod
    def of(cls, rows: Array, blocks: Sequence[Block], n_atoms: int) -> Self | None:
        """None where there are more shifts, or so few rows that the axes are not worth their time.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_features)
        blocks : sequence of Block
        n_atoms : int
        """
        sizes: dict[float, int] = {}
        for block in blocks:
            sizes[block.shift] = sizes.get(block.shift, 0) + n_rows_of(block)
        if len(sizes) > 2 or rows.shape[1] ** 2 > WORTH * len(rows) * n_atoms:
            return None
        shifts = sorted(sizes, key=lambda shift: -sizes[shift])
        most, others = (
            rows[joined([b.rows for b in blocks if b.shift == shift] or [slice(0, 0)])]
            for shift in (shifts[0], shifts[-1] if len(shifts) > 1 else None)
        )
        exact = in_float64(most)
        moment, axes = np.linalg.eigh(exact.T @ exact)
        moment, axes = (found.astype(rows.dtype) for found in (moment.clip(min=0), axes.T))
        return cls(axes, shifts[0], moment, shifts[-1], others @ axes.T)

    def code_moments(self, D: Array) -> tuple[Array, Array]:
        """XᵀX and XᵀY of the codes of all rows."""
        gram, in_features = smaller_gram(D, min(self.shift, self.other_shift))
        L, atoms = cholesky_of_gram(gram, self.shift, len(D)), in_float64(D)
        coder = solve_upper(solve_lower(atoms, L), L) if in_features else solve_columns(atoms, L)
        coder = coder.astype(D.dtype, copy=False)
        half = coder * np.sqrt(self.moment)
        A, B = half @ half.T, np.multiply(coder, self.moment, out=coder)
        if len(self.others):
            L, Y = cholesky_of_gram(gram, self.other_shift, len(D)), in_float64(self.others)
            if in_features:
                X = solve_upper(solve_lower(Y, L), L) @ atoms.T
            else:
                X = solve_upper(solve_lower(Y @ atoms.T, L), L)
            X = X.astype(D.dtype, copy=False)
            A += X.T @ X
            B += X.T @ self.others
        return A, B
