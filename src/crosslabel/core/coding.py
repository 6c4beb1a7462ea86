"""Codes in closed form: plain ridge codes, and codes suppressed on other classes' atoms.

The one K×K (or, with more atoms than features, M×M) factorisation of a dictionary serves all
classes; what differs between classes is a small system over the atoms that a class may use freely.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import (
    add_to_diagonal,
    in_float64,
    inverse_from_cholesky,
    solve_columns,
    solve_lower,
    solve_upper,
    threads_for,
)
from crosslabel.core.code_blocks import (
    Block,
    consecutive,
    joined,
    neumann_steps,
    shared_factorisations,
)
from crosslabel.core.free_systems import FreeSystems
from crosslabel.core.gram import cholesky_of_gram, row_blocks, smaller_gram
from crosslabel.core.scaling import Array
from crosslabel.core.staircase import times

DIGIT = 10
"""How often the norm of G may lie within τ before I − τ(G + τI)⁻¹ loses more than one digit."""


class RidgeFactor:
    """(DDᵀ + τI)⁻¹ for a dictionary of row atoms D, through the smaller of its two Gram matrices.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    shift : float
        τ ≥ 0; zero only if the atoms are linearly independent.

    Attributes
    ----------
    coder : ndarray of shape (n_atoms, n_features)
        Φ = (DDᵀ + τI)⁻¹D, so that the ridge codes of rows Y are YΦᵀ.
    smoother : ndarray of shape (n_atoms, n_atoms)
        N = DDᵀ(DDᵀ + τI)⁻¹ in float64, so that (DDᵀ + τI)⁻¹ = (I − N)/τ.
    """

    def __init__(self, dictionary: Array, shift: float) -> None:
        n_atoms, n_features = dictionary.shape
        self.shift, self.dtype = shift, dictionary.dtype
        # The K×K factorisation is in float64 whatever the samples are.
        in_features = n_atoms > n_features and shift > 0
        factorise = _in_feature_space if in_features else _in_atom_space
        coder, self.smoother = factorise(dictionary.astype(np.float64, copy=False), shift)
        self.coder = coder.astype(self.dtype, copy=False)

    def codes(self, Y: Array) -> Array:
        """min over x of ‖y − xD‖² + τ‖x‖² for each row y."""
        return times(Y, self.coder)

    def systems(self, blocks: Sequence[Block], layout: AtomLayout) -> FreeSystems:
        """What turns these codes into suppressed ones, for rows in blocks."""
        return FreeSystems(self.shift, self.smoother, blocks, layout, self.dtype)


def _in_feature_space(D: Array, shift: float) -> tuple[Array, Array]:
    """Φ = EL⁻¹ and N = EEᵀ, with E = DL⁻ᵀ and LLᵀ = DᵀD + τI."""
    L = cholesky_of_gram(D.T @ D, shift, len(D))
    E = solve_lower(D, L)
    return solve_upper(E, L), E @ E.T


def _in_atom_space(D: Array, shift: float) -> tuple[Array, Array]:
    """Φ and N from LLᵀ = G + τI, G = DDᵀ, in the form that cancels no digits at this τ."""
    G = D @ D.T
    L = cholesky_of_gram(G, shift, len(D))
    if all(shift > DIGIT * np.abs(row).sum() for row in G):  # τ ≫ ‖G‖: N is small
        R = solve_lower(G, L)
        N = (G - R @ R.T) / shift
        return (D - N @ D) / shift, N
    H = inverse_from_cholesky(L)
    coder = H @ D
    H *= -shift
    return coder, add_to_diagonal(H, 1.0)


def ridge_codes(Y: Array, dictionary: Array, ridge: float) -> Array:
    """min over x of ‖y − xD‖² + β‖x‖² for each row y: x = yDᵀ(DDᵀ + βI)⁻¹.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_features)
    dictionary : ndarray of shape (n_atoms, n_features)
    ridge : float
        β ≥ 0.

    Returns
    -------
    ndarray of shape (n_rows, n_atoms)
    """
    if len(Y) >= len(dictionary):
        return Y @ ridge_coder(dictionary, ridge).T
    # Few rows: the factor is solved for them alone.
    D, rows = dictionary, Y.astype(np.float64, copy=False)
    codes = np.empty((len(Y), len(D)), np.result_type(Y, D))
    with threads_for(2.0 * D.size * min(D.shape)):
        L, in_features = _ridge_cholesky(D, ridge)
        if in_features:
            solved = solve_upper(solve_lower(rows, L), L)
            for part in row_blocks(D):
                codes[:, part] = solved @ D[part].astype(np.float64, copy=False).T
        else:
            codes[:] = solve_upper(solve_lower(rows @ D.astype(np.float64, copy=False).T, L), L)
    return codes


def _ridge_cholesky(D: Array, ridge: float) -> tuple[Array, bool]:
    """L of the smaller of DᵀD + βI and DDᵀ + βI; whether it is the first, over features."""
    gram, in_features = smaller_gram(D, ridge)
    return cholesky_of_gram(gram, ridge, len(D)), in_features


class RidgeCoder:
    """Φ = (DDᵀ + βI)⁻¹D, some atoms at a time: with many atoms it is never held whole.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    ridge : float
        β ≥ 0.
    """

    def __init__(self, dictionary: Array, ridge: float) -> None:
        self.dictionary = dictionary
        self.work = 2.0 * dictionary.shape[0] * dictionary.shape[1] * min(dictionary.shape)
        with threads_for(self.work):
            self.factor, self.in_features = _ridge_cholesky(dictionary, ridge)
            whole = not self.in_features
            self.whole = solve_columns(in_float64(dictionary), self.factor) if whole else None

    def __call__(self, atoms: slice) -> Array:
        """The rows of Φ of these atoms, in float64."""
        if self.whole is not None:
            return self.whole[atoms]
        rows = in_float64(self.dictionary[atoms])
        with threads_for(self.work):
            return solve_upper(solve_lower(rows, self.factor), self.factor)


def ridge_coder(dictionary: Array, ridge: float) -> Array:
    """Φ = (DDᵀ + βI)⁻¹D: the ridge codes of rows Y are YΦᵀ.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    ridge : float
        β ≥ 0.

    Returns
    -------
    ndarray of shape (n_atoms, n_features)
    """
    coder = RidgeCoder(dictionary, ridge)
    if coder.whole is not None:
        return np.ascontiguousarray(coder.whole, dtype=dictionary.dtype)
    found = np.empty_like(dictionary, order="C")
    for part in row_blocks(dictionary):
        found[part] = coder(part)
    return found


def suppressed_codes(
    Y: Array, blocks: Sequence[Block], dictionary: Array, layout: AtomLayout, suppression: float
) -> Array:
    """min over x of ‖y − xD‖² + ρ‖x‖² + λ‖x_R‖², R the atoms of other classes than the row's own.

    With τ = λ + ρ, u = yDᵀ(G + τI)⁻¹ and N = G(G + τI)⁻¹, S the free atoms:
    x_S = (λN_SS + ρI)⁻¹ τu_S and x_R = u_R − (λ/τ) N_RS x_S.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_features)
    blocks : sequence of Block
        Every row of Y belongs to one block; ρ ≥ 0 may differ between blocks.
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    suppression : float
        λ ≥ 0.

    Returns
    -------
    ndarray of shape (n_rows, n_atoms)
        The exact minimisers.
    """
    codes = np.empty((len(Y), len(dictionary)), dtype=Y.dtype)
    for shift, group in shared_factorisations(blocks, suppression, len(dictionary)):
        factor = RidgeFactor(dictionary, shift)
        rows = joined([block.rows for block in group])
        codes[rows] = _group_codes(Y[rows], factor, group, layout, suppression)
    return codes


def _group_codes(
    Y: Array, factor: RidgeFactor, blocks: Sequence[Block], layout: AtomLayout, suppression: float
) -> Array:
    """Codes of rows whose τ_c = λ + ρ_c lies near the τ of the factor.

    On the atoms R the factor is off by δ = τ_c − τ, which is made good where it is not zero.
    """
    blocks = consecutive(blocks)
    codes = factor.systems(blocks, layout).solve(factor.codes(Y))
    offsets = {block.shift: suppression + block.shift - factor.shift for block in blocks}
    off = [block for block in blocks if offsets[block.shift]]
    if off:
        rows = joined([block.rows for block in off])
        off = consecutive(off)
        delta = np.zeros((off[-1].rows.stop, codes.shape[1]), Y.dtype)
        for block in off:
            delta[block.rows, layout.shared :] = offsets[block.shift]
            delta[block.rows, layout.own(block.label)] = 0
        systems = factor.systems(off, layout)
        codes[rows] = _refined(codes[rows], delta, factor, systems)
    return codes


def _refined(start: Array, delta: Array, factor: RidgeFactor, systems: FreeSystems) -> Array:
    """(M + diag δ)⁻¹ M x⁰ for each row x⁰, with M the system at τ on R and ρ_c on S.

    By conjugate gradients with M as the preconditioner: as the eigenvalues of M⁻¹ diag δ lie in few
    clusters, they take fewer steps than the series in it, whose number bounds them.
    """
    offset = float(np.abs(delta).max())
    if offset == 0:  # of a single class all atoms are free
        return start
    N = factor.smoother.astype(start.dtype, copy=False)

    def solved(rows: Array) -> Array:
        return systems.solve((rows - rows @ N) / factor.shift)

    x, rest = start, -delta * start
    ahead = solved(rest)
    direction, image, energy = ahead, rest, _products(rest, ahead)  # image: M · direction
    # ‖M⁻¹ diag δ‖ ≤ δ/τ: relative to that part of x⁰ on which δ acts, this is rounding.
    goal = energy * (np.finfo(start.dtype).eps * factor.shift / offset) ** 2
    for _ in range(int(neumann_steps(offset, factor.shift))):
        if (energy <= goal).all():
            break
        whole = image + delta * direction
        step = energy / _positive(_products(direction, whole))
        x, rest = x + step * direction, rest - step * whole
        ahead, before = solved(rest), energy
        energy = _products(rest, ahead)
        onward = energy / _positive(before)
        direction, image = ahead + onward * direction, rest + onward * image
    return x


def _products(a: Array, b: Array) -> Array:
    """Inner products of rows, as a column."""
    return np.einsum("ij,ij->i", a, b)[:, None]


def _positive(values: Array) -> Array:
    """The same, with one in place of what is not positive: there is nothing left to divide."""
    return np.where(values > 0, values, 1)
