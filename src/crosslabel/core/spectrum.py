"""The axes of a class: eigenvectors of its second moment n·ȳȳᵀ + S, from its statistics alone.

One decomposition of the smaller of two Gram matrices serves every ridge and number of atoms.
Classes of one size are decomposed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from crosslabel.core.backend import (
    ArrayOrTensor,
    beside,
    is_tensor,
    namespace,
    on_gpu,
    one_thread,
    take_along,
    threads_for,
)
from crosslabel.core.moments import Moments, Scatter
from crosslabel.core.scaling import Array

_TOGETHER = 2**18
"""Values of second moments that are decomposed together: few enough to stay in cache."""

_FEW = 4
"""Where fewer than one in so many axes of a large matrix are wanted, only these are found."""

_LARGE = 100
"""Features from which on this pays."""


@dataclass(frozen=True)
class Spectrum:
    """Singular values and axes of one class's samples; immutable.

    Attributes
    ----------
    values : ndarray of shape (n_axes,)
        s₁ ≥ s₂ ≥ …, in float64; only values above zero, but at least one.
    axes : ndarray of shape (n_axes, n_features)
        Orthonormal rows u_i, in the type of the statistics.
    rest : float
        Σ s_i² over the axes that were not asked for.
    """

    values: NDArray[np.float64]
    axes: Array
    rest: float


class Spectra(NamedTuple):
    """Spectra of a stack of classes: values (n, m), axes (n, m, n_features) and rest (n,).

    Axes of value zero are rows of zeros, except where a class has no other.
    """

    values: ArrayOrTensor
    axes: ArrayOrTensor
    rest: ArrayOrTensor


Point = tuple[int, float]
"""A number of atoms and a ridge."""


class Axes(NamedTuple):
    """What atoms can lie along, of classes with about as many samples as one another.

    Attributes
    ----------
    classes : ndarray of int of shape (n,)
    members : ndarray of int of shape (n, n_samples)
        Of smaller classes the last sample stands for those that are not there.
    values : ndarray of shape (n, n_axes)
        Singular values; zero beyond the rank of a class.
    combination : ndarray of shape (n, n_samples, n_axes)
        What the members of a class must be combined by to give its axes; zero beyond its rank.
    grid : sequence of Point
    filled : ndarray of shape (n, n_grid, n_axes)
        q/(q + β) at every point of the grid.
    """

    classes: NDArray[np.intp]
    members: NDArray[np.intp]
    values: ArrayOrTensor
    combination: ArrayOrTensor
    grid: Sequence[Point]
    filled: ArrayOrTensor

    def at(self, points: Sequence[Point]) -> ArrayOrTensor:
        """q/(q + β) at some points of the grid, (n, n_points, n_axes)."""
        if list(points) == list(self.grid):
            return self.filled
        places = np.array([self.grid.index(one) for one in points])
        return self.filled[:, beside(places, self.filled)]


class Alike(NamedTuple):
    """Classes whose second moments have one form: rows (n, r, n_features), or square matrices."""

    classes: NDArray[np.intp]
    moments: Array
    are_rows: bool

    def spectra(self, n_axes: int | None = None) -> Spectra:
        """The first axes of each class, or all."""
        return (row_spectra if self.are_rows else matrix_spectra)(self.moments, n_axes)


def spectra(statistics: Moments, n_axes: int | None = None) -> list[Spectrum]:
    """Singular values and axes of the samples of each class.

    Parameters
    ----------
    statistics : Moments
    n_axes : int, optional
        Keep the first so many: no more can matter than a class gets atoms.

    Returns
    -------
    list of Spectrum
        One of each class.
    """
    found: list[Spectrum] = [None] * statistics.n_classes  # type: ignore[list-item]
    dtype = statistics.means.dtype
    with one_thread():
        for group in alike(statistics):
            for c, values, axes, rest in zip(group.classes, *group.spectra(n_axes)):
                kept = max(1, int(np.count_nonzero(values)))
                found[c] = Spectrum(values[:kept], axes[:kept].astype(dtype), float(rest))
    return found


def alike(statistics: Moments, sizes: Iterable[int] | None = None) -> Iterator[Alike]:
    """Second moments of the classes in float64, stacked where they have one form (and size)."""
    groups: dict[tuple[bool, int, int], list[int]] = {}
    n_features = statistics.n_features
    for c, (scatter, size) in enumerate(
        zip(statistics.scatters, sizes or [0] * statistics.n_classes)
    ):
        is_rows = scatter.is_factor and len(scatter.array) < n_features
        groups.setdefault((is_rows, len(scatter.array), size), []).append(c)
    for (are_rows, n_rows, _), members in groups.items():
        step = max(1, _TOGETHER // ((n_rows + 1) * n_features))
        form = _moment_rows if are_rows else _moment_matrices
        for start in range(0, len(members), step):
            part = np.array(members[start : start + step])
            yield Alike(part, form(statistics, part), are_rows)


def _moment_rows(statistics: Moments, classes: NDArray[np.intp]) -> Array:
    """Rows √n ȳ and F of each class: their outer products sum to its second moment."""
    n_rows = 1 + len(statistics.scatters[classes[0]].array)
    rows = np.empty((len(classes), n_rows, statistics.n_features))
    rows[:, 0] = np.sqrt(statistics.counts[classes])[:, None] * statistics.means[classes]
    for target, c in zip(rows, classes):
        target[1:] = statistics.scatters[c].array
    return rows


def _moment_matrices(statistics: Moments, classes: NDArray[np.intp]) -> Array:
    """n·ȳȳᵀ + S of each class."""
    scaled = np.sqrt(statistics.counts[classes])[:, None] * statistics.means[classes]
    moments = scaled[:, :, None] * scaled[:, None, :]
    for target, c in zip(moments, classes):
        target += statistics.scatters[c].matrix()
    return moments


def row_spectra(rows: ArrayOrTensor, n_axes: int | None = None) -> Spectra:
    """Singular values and right vectors of each matrix in a stack, through TTᵀ.

    Parameters
    ----------
    rows : ndarray of shape (n, n_rows, n_features)
        T, with no more rows than features.
    n_axes : int, optional
    """
    xp, kept = namespace(rows), rows.shape[1] if n_axes is None else min(n_axes, rows.shape[1])
    squares, left, rest = eigenpairs(rows @ rows.swapaxes(1, 2), kept)
    # A product with reversed columns as they are would not go through BLAS.
    products = (left if is_tensor(left) else np.ascontiguousarray(left)) @ rows
    # ‖uᵀT‖ has more correct digits than the root of a small eigenvalue.
    norms = xp.sqrt(xp.einsum("nmf,nmf->nm", products, products))
    real = squares > _floor(squares, rows.shape[1])
    values = _falling(xp.where(real, norms, 0))
    axes = products
    axes *= xp.where(real, 1 / xp.where(real, norms, 1), 0)[..., None]
    # One step of Newton's towards orthonormal rows: where values are small, rounding tilts them.
    tilt = axes @ axes.swapaxes(1, 2)
    axes -= 0.5 * (tilt - real[..., None] * beside(np.eye(kept), rows)) @ axes
    # Of zeros any direction is an axis.
    axes[values[:, 0] == 0] = beside(np.eye(kept, rows.shape[2]), rows)
    return Spectra(values, _signed(axes), rest)


def matrix_spectra(moments: ArrayOrTensor, n_axes: int | None = None) -> Spectra:
    """Roots of the eigenvalues, and eigenvectors, of each symmetric matrix in a stack."""
    size = moments.shape[-1]
    kept = size if n_axes is None else min(n_axes, size)
    squares, vectors, rest = eigenpairs(moments, kept)
    real = squares > _floor(squares, size)
    axes = vectors * real[..., None]
    axes[squares[:, 0] == 0] = beside(np.eye(kept, size), moments)
    return Spectra(namespace(moments).sqrt(squares) * real, _signed(axes), rest)


def eigenpairs(grams: ArrayOrTensor, kept: int) -> Spectra:
    """The largest eigenvalues of each matrix, their vectors as rows, and the sum of the others.

    Parameters
    ----------
    grams : ndarray of shape (n, size, size)
        Symmetric, positive semi-definite to rounding.
    kept : int
        At most `size`.
    """
    xp, size = namespace(grams), grams.shape[-1]
    with threads_for(4.0 * size**3):
        if size > _LARGE and kept * _FEW < size and xp is np:
            wanted = {"subset_by_index": (size - kept, size - 1), "driver": "evr"}
            pairs = [eigh(gram, **wanted, check_finite=False) for gram in grams]
            squares, vectors = (np.array(part) for part in zip(*pairs))
            rest = np.trace(grams, axis1=1, axis2=2) - squares.sum(axis=1)
        else:
            squares, vectors = (on_gpu("eigh", grams) or xp.linalg.eigh)(grams)
            rest = xp.clip(squares[:, : size - kept], 0, None).sum(axis=1)
    last = slice(squares.shape[1] - kept, None)
    squares, vectors = (xp.flip(v[..., last], (v.ndim - 1,)) for v in (squares, vectors))
    return Spectra(xp.clip(squares, 0, None), vectors.swapaxes(1, 2), xp.clip(rest, 0, None))


def gram_axes(grams: ArrayOrTensor, kept: int) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """Singular values of samples known by their products, (n, kept), and their axes.

    An axis is told as what samples must be combined by to give it, (n, size, kept); both are zero
    beyond the rank.

    Parameters
    ----------
    grams : ndarray of shape (n, size, size)
    kept : int
        At most `size`.
    """
    xp = namespace(grams)
    squares, left, _ = eigenpairs(grams, kept)
    real = squares > _floor(squares, grams.shape[-1])
    values = xp.sqrt(xp.where(real, squares, 0.0))
    shares = real / xp.where(real, values, 1.0)
    return values, left.swapaxes(1, 2) * shares[:, None]


def _falling(values: ArrayOrTensor) -> ArrayOrTensor:
    """Values of which none is above one before it, (n, m)."""
    return values.cummin(dim=1).values if is_tensor(values) else np.minimum.accumulate(values, 1)


def _floor(squares: Array, size: int) -> Array:
    """Below which an eigenvalue is the rounding of the largest."""
    return size * np.finfo(np.float64).eps * squares[:, :1]


def _signed(axes: Array) -> Array:
    """Axes whose entry of largest magnitude is positive: an eigenvector has no sign of its own."""
    xp = namespace(axes)
    peaks = xp.abs(axes).argmax(axis=2)[..., None]
    axes *= xp.where(take_along(axes, peaks, 2) < 0, -1.0, 1.0)
    return axes


def scatter_spectrum(scatter: Scatter, n_axes: int | None = None) -> Spectrum:
    """Singular values and axes of one scatter, in float64."""
    exact = scatter.array.astype(np.float64, copy=False)
    if not len(exact):
        exact = np.zeros((1, exact.shape[1]))
    decompose = row_spectra if scatter.is_factor else matrix_spectra
    values, axes, rest = (part[0] for part in decompose(exact[None], n_axes))
    kept = max(1, int(np.count_nonzero(values)))
    return Spectrum(values[:kept], axes[:kept], float(rest))
