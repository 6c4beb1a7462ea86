"""Matrices whose values are kept in bfloat16, the upper half of a float32, for half the memory.

NumPy does not know the type: there the upper halves are words of 16 bits.
"""

from __future__ import annotations

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, is_tensor, namespace, zeros
from crosslabel.core.scaling import Array

TOGETHER = 2**20
"""Values that are widened at a time, for a product: few enough to stay in cache."""


class HalfMatrix:
    """A matrix rounded to bfloat16, whose products are those of float32.

    A value keeps eight binary digits: it is off by up to 2⁻⁹ of itself. In a product with a query
    of many features most of these errors cancel.

    Parameters
    ----------
    matrix : ndarray or tensor of shape (n_rows, n_columns)
        In float32.
    """

    __array_ufunc__ = None  # or NumPy would take `Y @ matrix` for its own

    def __init__(self, matrix: ArrayOrTensor) -> None:
        self.shape = tuple(matrix.shape)
        self.values = matrix.bfloat16() if is_tensor(matrix) else _upper_halves(matrix)

    def widened(self, columns: slice) -> ArrayOrTensor:
        """Some columns in float32."""
        part: ArrayOrTensor = self.values[:, columns]
        if is_tensor(part):
            return part.float()
        return (part.astype(np.uint32) << np.uint32(16)).view(np.float32)

    def __rmatmul__(self, Y: ArrayOrTensor) -> ArrayOrTensor:
        """Y · matrix, in float32."""
        xp, (n_rows, n_columns) = namespace(Y), self.shape
        found = zeros((len(Y), n_columns), Y)
        # On a device calls cost more than what does not fit into a cache.
        step = max(1, (TOGETHER << 6 if is_tensor(Y) else TOGETHER) // max(1, n_rows))
        for first in range(0, n_columns, step):
            columns = slice(first, min(first + step, n_columns))
            xp.matmul(Y, self.widened(columns), out=found[:, columns])
        return found


def _upper_halves(matrix: Array) -> np.ndarray:
    """The nearest bfloat16 of each value; of two that are as near the one whose last bit is 0."""
    words = matrix.astype(np.float32, copy=False).view(np.uint32)
    last = (words >> np.uint32(16)) & np.uint32(1)
    return ((words + np.uint32(0x7FFF) + last) >> np.uint32(16)).astype(np.uint16)
