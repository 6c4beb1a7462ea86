"""Blocks of atoms that repel each other, moved in turn: the dictionary update of DLSI and COPAR.

Imports numpy and core only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.core.unit_ball import DenseForm, QuadraticForm, spectral_bound, update_atoms

SWEEPS = 2
"""Over the atoms of a block, each time that it moves."""


class Blocks:
    """min over D of terms in each block's atoms + η Σ_{i≠j} ‖D_iD_jᵀ‖², block by block; here η = 0.

    Parameters
    ----------
    D : ndarray of shape (n_atoms, n_features)
        Atoms, each in the unit ball; the blocks change them in place.
    """

    def __init__(self, D: Array) -> None:
        self.D = D

    @property
    def gram(self) -> Array:
        """DDᵀ of the atoms as they are."""
        return self.D @ self.D.T

    def update(self, own: slice, A: Array, B: Array) -> None:
        """Lower tr(dᵀAd) − 2 tr(Bᵀd) and the repulsion over the atoms d of one block."""
        atoms = update_atoms(self.D[own], A, B, form=self._outside(own), sweeps=SWEEPS)
        self._move(own, atoms)

    def _outside(self, own: slice) -> QuadraticForm | None:
        """What repels a block: 2η Σ D_jᵀD_j over all others, as each pair counts twice."""
        return None

    def _move(self, own: slice, atoms: Array) -> None:
        self.D[own] = atoms


class FewFeatures(Blocks):
    """`Blocks` with the sum of all 2η·D_jᵀD_j at hand: features squared numbers.

    Parameters
    ----------
    D : ndarray of shape (n_atoms, n_features)
    incoherence : float
        η.
    """

    def __init__(self, D: Array, incoherence: float) -> None:
        super().__init__(D)
        self.weight = 2 * incoherence
        self.form = self.weight * (D.T @ D)

    def _outside(self, own: slice) -> QuadraticForm:
        """The sum, less the block's part until that moves."""
        atoms = self.D[own]
        self.form -= (self.weight * atoms.T) @ atoms
        return DenseForm(self.form, spectral_bound(self.form))

    def _move(self, own: slice, atoms: Array) -> None:
        super()._move(own, atoms)
        self.form += (self.weight * atoms.T) @ atoms


class Outside(NamedTuple):
    """The form w·CᵀC of the atoms C outside of a block, by its products with rows."""

    atoms: Array  # of all blocks
    own: slice
    weight: float
    bound: float  # of its largest eigenvalue

    def slopes(self, rows: Array) -> Array:
        """Rows times the form."""
        products = rows @ self.atoms.T
        products[:, self.own] = 0
        products *= self.weight
        return products @ self.atoms


class ManyFeatures(Blocks):
    """`Blocks` by the K × K products of the atoms, where their features are more.

    A sum of D_jᵀD_j would be formed, bounded and multiplied at the price of features squared for
    each block; its Frobenius norm and trace are also those of the products.

    Parameters
    ----------
    D : ndarray of shape (n_atoms, n_features)
    incoherence : float
        η.
    """

    def __init__(self, D: Array, incoherence: float) -> None:
        super().__init__(D)
        self.weight = 2 * incoherence
        self.products = D @ D.T
        self.square = float(np.vdot(self.products, self.products))
        # Signs of the leading eigenvector, nearly: no row sum of ΣDᵀD is below an entry of ΣDᵀDv.
        self.signs = np.where(D.sum(axis=1) @ D < 0, -1.0, 1.0)
        self.signed = (D @ self.signs) @ D

    @property
    def gram(self) -> Array:
        """DDᵀ of the atoms as they are."""
        return self.products

    def _outside(self, own: slice) -> QuadraticForm:
        return Outside(self.D, own, self.weight, self.weight * self._bound(own))

    def _bound(self, own: slice) -> float:
        """`spectral_bound` of what is hardly ever formed: row sums of like atoms are larger."""
        squares, atoms = self.products.diagonal(), self.D[own]
        trace = squares.sum() - squares[own].sum()
        least = float(min(np.sqrt(max(0.0, self.square - self._share(own))), trace))
        if np.abs(self.signed - (atoms @ self.signs) @ atoms).max() >= least:
            return least
        return spectral_bound(self.D.T @ self.D - atoms.T @ atoms)

    def _move(self, own: slice, atoms: Array) -> None:
        before = self._share(own)
        self.signed += (atoms @ self.signs) @ atoms - (self.D[own] @ self.signs) @ self.D[own]
        super()._move(own, atoms)
        self.products[own] = atoms @ self.D.T
        self.products[:, own] = self.products[own].T
        self.square += self._share(own) - before

    def _share(self, own: slice) -> float:
        """What a block adds to the squares of all products."""
        rows, within = self.products[own], self.products[own, own]
        return float(2 * np.vdot(rows, rows) - np.vdot(within, within))


def blocks(D: Array, incoherence: float) -> Blocks:
    """A copy of the atoms whose blocks move in turn.

    Parameters
    ----------
    D : ndarray of shape (n_atoms, n_features)
    incoherence : float
        η.

    Returns
    -------
    Blocks
    """
    if incoherence == 0:
        return Blocks(D.copy())
    kind = FewFeatures if len(D) > D.shape[1] else ManyFeatures
    return kind(D.copy(), incoherence)
