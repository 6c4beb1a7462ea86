"""Codes in closed form: plain ridge codes, and codes suppressed on other classes' atoms.

The one K×K (or, with more atoms than features, M×M) factorisation of a dictionary serves all
classes; what differs between classes is a small system over the atoms that a class may use freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import (
    add_to_diagonal,
    in_float64,
    inverse_from_cholesky,
    one_thread,
    solve_columns,
    solve_lower,
    solve_upper,
    threads_for,
)
from crosslabel.core.code_blocks import (
    Block,
    Index,
    UndeterminedCodesError,
    consecutive,
    joined,
    n_rows_of,
    neumann_steps,
    shared_factorisations,
)
from crosslabel.core.gram import cholesky_of_gram, row_blocks, smaller_gram
from crosslabel.core.scaling import Array
from crosslabel.core.staircase import times


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


def _in_feature_space(D: Array, shift: float) -> tuple[Array, Array]:
    """Φ = EL⁻¹ and N = EEᵀ, with E = DL⁻ᵀ and LLᵀ = DᵀD + τI."""
    L = cholesky_of_gram(D.T @ D, shift, len(D))
    E = solve_lower(D, L)
    return solve_upper(E, L), E @ E.T


def _in_atom_space(D: Array, shift: float) -> tuple[Array, Array]:
    """Φ and N from LLᵀ = G + τI, G = DDᵀ, in the form that cancels no digits at this τ."""
    G = D @ D.T
    L = cholesky_of_gram(G, shift, len(D))
    if all(shift > np.abs(row).sum() for row in G):  # τ > ‖G‖: N is small
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

    On the atoms R the factor is off by δ = τ_c − τ; the series x ← x⁰ − M⁻¹ δ x_R, with M the
    system at τ on R and ρ_c on S, removes that exactly in a few terms.
    """
    blocks = consecutive(blocks)
    codes = _solve(factor.codes(Y), factor, _batches(factor, blocks, layout), layout.shared)
    offsets = {block.shift: suppression + block.shift - factor.shift for block in blocks}
    off = [block for block in blocks if offsets[block.shift]]
    if off:
        rows = joined([block.rows for block in off])
        off, start = consecutive(off), codes[rows]
        batches, owns = _batches(factor, off, layout), [layout.own(b.label) for b in off]
        delta = np.repeat([offsets[b.shift] for b in off], [n_rows_of(b) for b in off])
        delta = delta[:, None].astype(Y.dtype)
        N = factor.smoother.astype(Y.dtype, copy=False)
        refined = start
        steps = max(neumann_steps(offset, factor.shift) for offset in offsets.values())
        for _ in range(int(steps)):
            excess = delta * refined
            for block, own in zip(off, owns):
                excess[block.rows, own] = 0
            excess[:, : layout.shared] = 0
            ridge = (excess - excess @ N) / factor.shift
            refined = start - _solve(ridge, factor, batches, layout.shared)
        codes[rows] = refined
    return codes


class _Batch(NamedTuple):
    """Blocks of one shape, solved together.

    Attributes
    ----------
    rows : slice or ndarray of int
        The rows of all blocks, block after block.
    free : ndarray of int of shape (n_blocks, 1, n_free)
        The atoms S of each block, shared ones first.
    levels : ndarray of shape (n_blocks, 1, 1)
        λ as the factor's τ has it: τ − ρ.
    inverses : ndarray of shape (n_blocks, n_free, n_free)
        τ(λN_SS + ρI)⁻¹.
    smoothers : ndarray of shape (n_blocks, n_own, n_atoms)
        The rows of N that belong to each block's own atoms.
    """

    rows: slice | Index
    free: Index
    levels: Array
    inverses: Array
    smoothers: Array


def _batches(factor: RidgeFactor, blocks: Sequence[Block], layout: AtomLayout) -> list[_Batch]:
    shapes: dict[tuple[int, int], list[Block]] = {}
    for block in blocks:
        if block.shift != factor.shift:  # with λ = 0 the ridge codes are the codes
            shape = (n_rows_of(block), layout.per_class[block.label])
            shapes.setdefault(shape, []).append(block)
    with one_thread():
        return [_batch(factor, alike, layout) for alike in shapes.values()]


def _batch(factor: RidgeFactor, blocks: Sequence[Block], layout: AtomLayout) -> _Batch:
    labels = [block.label for block in blocks]
    free = np.array([layout.free(label) for label in labels])
    shifts = np.array([block.shift for block in blocks])[:, None, None]
    levels = factor.shift - shifts
    systems = levels * factor.smoother[free[:, :, None], free[:, None, :]]
    systems += shifts * np.eye(free.shape[1])
    _check_determined(systems, blocks)
    dtype = factor.dtype
    inverses = (factor.shift * np.linalg.inv(systems)).astype(dtype, copy=False)
    own = joined([layout.own(label) for label in labels])
    smoothers = factor.smoother[own].astype(dtype, copy=False)
    smoothers = smoothers.reshape(len(blocks), layout.per_class[labels[0]], -1)
    rows = joined([block.rows for block in blocks])
    return _Batch(rows, free[:, None, :], levels.astype(dtype), inverses, smoothers)


def _check_determined(systems: Array, blocks: Sequence[Block]) -> None:
    """Refuse systems whose smallest Cholesky pivot is at the rounding level of their diagonal."""
    n_free = systems.shape[1]
    try:
        pivots = np.diagonal(np.linalg.cholesky(systems), axis1=1, axis2=2) ** 2
    except np.linalg.LinAlgError:
        pivots = np.array([np.linalg.eigvalsh(system) for system in systems])
    diagonals = np.diagonal(systems, axis1=1, axis2=2)
    floors = n_free * np.finfo(float).eps * diagonals.max(axis=1, initial=0.0)
    singular = np.flatnonzero((pivots <= floors[:, None]).any(axis=1))
    if singular.size:
        block = blocks[singular[0]]
        raise UndeterminedCodesError(block.label, n_free, block.shift)


def _solve(u: Array, factor: RidgeFactor, batches: Sequence[_Batch], n_shared: int) -> Array:
    """Turn ridge codes u at τ into suppressed codes, in place."""
    shared = factor.smoother[:n_shared].astype(u.dtype, copy=False)
    for batch in batches:
        x = u[batch.rows].reshape(len(batch.free), -1, u.shape[1])
        free = np.broadcast_to(batch.free, (*x.shape[:2], batch.free.shape[2]))
        x_free = np.take_along_axis(x, free, axis=2) @ batch.inverses
        # N is symmetric: N_RS x_S, transposed to rows, is x_S N_SR.
        scaled = (batch.levels / factor.shift) * x_free
        if n_shared:
            x -= scaled[..., :n_shared] @ shared
        with one_thread():
            x -= scaled[..., n_shared:] @ batch.smoothers
        np.put_along_axis(x, free, x_free, axis=2)
        if not isinstance(batch.rows, slice):
            u[batch.rows] = x.reshape(-1, u.shape[1])
    return u
