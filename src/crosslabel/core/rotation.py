"""The free rotation of a class's atoms: unit norms, and atoms that look like samples.

Only DᵀD matters to the objective, so D may be replaced by RD for any orthogonal R. Whatever DᵀD
with trace k is, some R gives each of the k atoms norm one (Schur and Horn); of those we want one
whose atoms look like given rows. All functions work on stacks of classes at once.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import (
    ArrayOrTensor,
    beside,
    in_float64,
    namespace,
    on_gpu,
    one_thread,
    take_along,
)
from crosslabel.core.scaling import Array

_ROUNDS = 4
"""Of weights: more bring the atoms no nearer to be seen."""

EQUAL = 2.0**40
"""The cosine transform makes rows of one norm, and rounding shall not choose between them."""

_RANGE = 0.1, 10.0
"""Of the changes of a weight in one round: a row of no length must not get all."""


def unit_atoms(
    energies: ArrayOrTensor,
    axes: ArrayOrTensor,
    n_atoms: int,
    means: ArrayOrTensor,
    likeness: ArrayOrTensor | None = None,
) -> ArrayOrTensor:
    """k unit-norm rows D with DᵀD = Σ q_i u_iᵀu_i, as near to given rows as a rotation brings them.

    Parameters
    ----------
    energies : ndarray of shape (..., n_axes)
        q ≥ 0 with sum k; at most k axes.
    axes : ndarray of shape (..., n_axes, n_features)
        Orthonormal rows u_i; where q_i is zero the row may be anything.
    n_atoms : int
        k.
    means : ndarray of shape (..., n_features)
        Without likeness, no atom points away from its class's mean.
    likeness : ndarray of shape (..., n_atoms, n_features), optional
        What the atoms shall look like. Without it they are the first axis, in equal parts, plus
        and minus the others.

    Returns
    -------
    ndarray of shape (..., n_atoms, n_features)
    """
    xp = namespace(axes)
    roots = xp.sqrt(energies)[..., None, :]
    if likeness is None:
        coordinates = beside(cosines(n_atoms, axes.shape[-2]), axes) * roots
    else:
        aims = likeness @ axes.swapaxes(-1, -2)
        coordinates = nearest(aims, roots)
    coordinates = (on_gpu("unit_norms", coordinates) or unit_norms)(coordinates, EQUAL)
    if likeness is None:
        along = (coordinates @ (axes @ means[..., None]))[..., 0]
    else:
        along = xp.einsum("...km,...km->...k", coordinates, aims)
    coordinates[along < 0] *= -1
    atoms = coordinates @ axes
    # The axes are orthonormal to rounding, and so far are the norms of the atoms.
    atoms /= xp.sqrt(xp.einsum("...f,...f->...", atoms, atoms))[..., None]
    return atoms


def procrustes(products: ArrayOrTensor) -> ArrayOrTensor:
    """argmax over R with orthonormal columns of tr(RᵀC): the R that brings A nearest to B.

    ‖B − RA‖² is ‖B‖² + ‖A‖² − 2 tr(RᵀBAᵀ), so that C = BAᵀ says all.
    """
    left, _, right = namespace(products).linalg.svd(products, full_matrices=False)
    return left @ right


def nearest(aims: ArrayOrTensor, roots: ArrayOrTensor) -> ArrayOrTensor:
    """Rows R diag(√q) near to the aims and to unit norm, for R with orthonormal columns.

    At the nearest rows of unit norm, R solves the Procrustes problem of the aims times one weight
    each, the multiplier of its norm: those of long rows fall and those of short ones rise.
    """
    xp, polar = namespace(aims), on_gpu("polar", aims)
    # A GPU's may leave out columns that no energy lies along.
    turned = partial(polar, needed=(roots != 0).sum((-1, -2))) if polar else procrustes
    weights = xp.ones_like(aims[..., :1])
    for _ in range(_ROUNDS):
        rows = turned(weights * aims * roots) * roots
        squares = xp.einsum("...km,...km->...k", rows, rows)[..., None]
        weights /= xp.clip(squares, *_RANGE)
    return rows


def cosines(n_rows: int, n_columns: int) -> Array:
    """The first columns of the orthogonal matrix of the cosine transform; the first is constant.

    Every row has the same part of the first column and different signs of the others.
    """
    angles = np.pi / n_rows * np.outer(np.arange(n_rows) + 0.5, np.arange(n_columns))
    columns = np.sqrt(2 / n_rows) * np.cos(angles)
    columns[:, 0] = np.sqrt(1 / n_rows)
    return columns


def unit_norms(rows: Array, equal: float = EQUAL) -> Array:
    """Rotate k rows with ‖·‖_F² = k among themselves until each has norm one.

    In each of k − 1 steps the shortest and the longest row turn in their plane until the one whose
    norm is nearer to one has it; of the two angles that do so the smaller is taken.

    Parameters
    ----------
    rows : ndarray of shape (..., n_rows, n_columns)
    equal : float, default=EQUAL
        Squares of norms that differ by less than its inverse count as equal, and the first is
        taken.

    Returns
    -------
    ndarray of the same shape
    """
    xp, stack = namespace(rows), rows.reshape(-1, *rows.shape[-2:]) + 0  # a copy
    squares = xp.einsum("bkm,bkm->bk", stack, stack)
    each = beside(np.arange(len(stack)), rows)
    for _ in range(stack.shape[1] - 1):
        coarse = xp.round(squares * equal)
        near, far = coarse.argmin(axis=1), coarse.argmax(axis=1)
        swap = 1 - squares[each, near] > squares[each, far] - 1
        near, far = xp.where(swap, far, near), xp.where(swap, near, far)
        a, b = stack[each, near], stack[each, far]
        tangent = _tangent(squares[each, near], squares[each, far], xp.einsum("bm,bm->b", a, b))
        cosine = (1 / xp.sqrt(1 + tangent**2))[:, None]
        sine = tangent[:, None] * cosine
        stack[each, near] = cosine * a + sine * b
        stack[each, far] = cosine * b - sine * a
        squares[each, far] += squares[each, near] - 1
        squares[each, near] = 1
    return stack.reshape(rows.shape)


def _tangent(a: Array, b: Array, product: Array) -> Array:
    """The smaller root t of ‖x + ty‖² = 1 + t², for ‖x‖² = a and ‖y‖² = b on either side of one."""
    xp = namespace(a)
    discriminant = xp.clip(product**2 + (1 - a) * (b - 1), 0, None)
    divisor = product + xp.copysign(xp.sqrt(discriminant), product)
    # A divisor of zero: both have norm one already.
    return xp.where(divisor != 0, (1 - a) / xp.where(divisor != 0, divisor, 1), 0)


def exemplars(samples: ArrayOrTensor, n_rows: int) -> ArrayOrTensor:
    """Few samples that stand for all: each explains the most of what those before it leave.

    Greedy choice of columns of the Gram matrix G: the sample with the largest ‖G_:i‖²/G_ii, then
    the same with what is orthogonal to it. Where the samples span fewer directions than rows are
    asked for, the chosen ones come again.

    Parameters
    ----------
    samples : ndarray of shape (..., n_samples, n_features)
        At least one sample of a class, or of each of several classes of one size.
    n_rows : int

    Returns
    -------
    ndarray of int of shape (..., n_rows)
        Indices into the samples.
    """
    xp, exact = namespace(samples), in_float64(samples).reshape(-1, *samples.shape[-2:])
    with one_thread():  # a small product for each class: threads would wait for one another
        gram = exact @ exact.swapaxes(1, 2)
    floor = samples.shape[-2] * xp.finfo(samples.dtype).eps ** 0.5
    floor = floor * xp.amax(gram.diagonal(0, 1, 2), axis=1)
    chosen, found = (on_gpu("greedy", gram) or greedy)(gram, floor, n_rows)
    again = beside(np.arange(n_rows), samples) % xp.clip(found, 1, None)[:, None]
    return take_along(chosen, again, 1).reshape(*samples.shape[:-2], n_rows)


def greedy(
    gram: ArrayOrTensor, floor: ArrayOrTensor, n_rows: int
) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """Which columns of each Gram matrix explain the most in turn, and how many are worth it.

    Parameters
    ----------
    gram : ndarray of shape (n, size, size)
        Overwritten.
    floor : ndarray of shape (n,)
        A column of a square up to this has no direction of its own.
    n_rows : int

    Returns
    -------
    chosen : ndarray of int of shape (n, n_rows)
        Zero where there are fewer columns.
    found : ndarray of int of shape (n,)
    """
    xp, (n_classes, size, _) = namespace(gram), gram.shape
    each, chosen = (beside(a, gram) for a in _indices(n_classes, n_rows))
    found = xp.zeros_like(each)
    for step in range(min(n_rows, size)):
        rest = gram.diagonal(0, 1, 2)
        open_ = rest > floor[:, None]
        explained = xp.einsum("bij,bij->bj", gram, gram)
        gains = xp.where(open_, explained / xp.where(open_, rest, 1), -1.0)
        best = gains.argmax(axis=1)
        found += open_.any(axis=1)
        chosen[:, step] = best
        column = gram[each, :, best]
        scale = xp.where(gains[each, best] > 0, rest[each, best], np.inf)
        gram -= column[:, :, None] * (column / scale[:, None])[:, None, :]
    return chosen, found


def _indices(n_classes: int, n_rows: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The classes, and a place for what is chosen of each."""
    return np.arange(n_classes), np.zeros((n_classes, n_rows), dtype=np.intp)
