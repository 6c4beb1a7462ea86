"""Scores of samples by models that have not seen them, for a whole grid of settings at once.

One fold is left out; one eigendecomposition of each class's Gram matrix then serves every number
of atoms and ridge, and one pooled scatter every shrinkage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from crosslabel.core.discriminant import UNVARIED, Contrasts, Discriminant, positive, solved
from crosslabel.core.joint import evidence
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.spectral import energies
from crosslabel.flagship.lifts import Inner

_FEW = 4
"""Where fewer than one in so many axes of a large class are wanted, only these are found."""
_LARGE = 100
_TOGETHER = 2**18
"""Values of samples whose classes are decomposed together: few enough to stay in cache."""
_MANY = 500
"""Samples from which on a kernel's products are found when they are asked for, not all at once."""
_CHUNK = 32
"""Samples whose products with each other are found at once, for those with themselves."""


class Axes(NamedTuple):
    """Singular values of a class and what its samples must be combined by to give its axes."""

    members: Labels
    values: Array
    combination: Array


@dataclass(frozen=True)
class Samples:
    """Training samples in the space of one lift, known by their inner products; immutable.

    Attributes
    ----------
    scaled : ndarray of shape (n_samples, n_features)
        Rows before the kernel.
    labels, fold : ndarray of int of shape (n_samples,)
        A sample of fold −1 is never left out.
    weights : ndarray of shape (n_samples,)
    kernel : callable, optional
        From two arrays of rows to their inner products; plain products if not given.
    own_variances : bool, default=False
        Whether discriminants are shrunk to the variances of the features, one by one.
    known : callable, optional
        From two lists of samples to their inner products, where these follow from others.
    """

    scaled: Array
    labels: Labels
    fold: Labels
    weights: Array
    kernel: Callable[[Array, Array], Array] | None = None
    own_variances: bool = False
    known: Inner | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.labels.max()) + 1

    @property
    def is_wide(self) -> bool:
        """Whether there are fewer samples than coordinates."""
        return self.kernel is not None or self.scaled.shape[1] > len(self.scaled)

    @cached_property
    def gram(self) -> Array:
        """All inner products."""
        if self.known is not None:
            everyone = np.arange(len(self.labels))
            return self.known(everyone, everyone)
        return self._products(self.scaled, self.scaled)

    @cached_property
    def energy(self) -> Array:
        """Squared norms."""
        if self.kernel is not None and self._takes_all:
            return np.diagonal(self.gram)
        if self.kernel is not None:
            parts = np.array_split(self.scaled, len(self.scaled) // _CHUNK + 1)
            return np.concatenate([np.diagonal(self.kernel(part, part)) for part in parts])
        return np.einsum("ij,ij->i", self.scaled, self.scaled)

    @cached_property
    def totals(self) -> tuple[Array, ...]:
        """Counts and sums of the classes and the second moment of all samples."""
        return _sums(self.scaled, self.labels, self.weights, self.n_classes)

    def inner(self, some: Labels, others: Labels) -> Array:
        """Inner products of some samples with others."""
        if self._takes_all:
            # By rows first, then by columns: in half the time of both at once.
            return self.gram[some][:, others]
        if self.known is not None:
            return self.known(some, others)
        return self._products(self.scaled[some], self.scaled[others])

    @property
    def _takes_all(self) -> bool:
        """Whether all inner products are found at once.

        Every fold asks for most pairs of long rows. A kernel may be left out after the first fold,
        which asks for few of many.
        """
        few = _MANY if self.known is None else 2 * _MANY
        wanted = "gram" in vars(self) or self.kernel is None or len(self.scaled) <= few
        return self.is_wide and wanted

    def _products(self, some: Array, others: Array) -> Array:
        return some @ others.T if self.kernel is None else self.kernel(some, others)

    def axes(self, number: int, most: int) -> list[Axes]:
        """Of each class without one fold, the axes that its atoms can lie along."""
        seen = self.seen(number)
        ends = np.cumsum(np.bincount(self.labels[seen], minlength=self.n_classes))
        members = np.split(seen, ends[:-1])
        sizes = np.diff(ends, prepend=0)
        found: list[Axes] = [None] * self.n_classes  # type: ignore[list-item]
        for size in np.unique(sizes):
            alike = np.flatnonzero(sizes == size)
            step = max(1, _TOGETHER // max(1, int(size) * self.scaled.shape[1]))
            for start in range(0, len(alike), step):
                part = alike[start : start + step]
                several = self._axes_of(np.stack([members[c] for c in part]), most)
                for c, one in zip(part, several):
                    found[c] = one
        return found

    def _axes_of(self, members: Labels, most: int) -> list[Axes]:
        """Of classes with as many samples as one another, a row of samples for each."""
        n, roots = members.shape[1], np.sqrt(self.weights[members])[:, :, None]
        blocks = self._blocks(members) * roots * roots.transpose(0, 2, 1)
        if n > _LARGE and most * _FEW < n:
            wanted = {"subset_by_index": (n - most, n - 1), "check_finite": False}
            squares, left = map(np.stack, zip(*(eigh(block, **wanted) for block in blocks)))
        else:
            squares, left = np.linalg.eigh(blocks)
        squares, left = squares[:, ::-1][:, :most], left[:, :, ::-1][:, :, :most]
        real = squares > n * np.finfo(float).eps * np.maximum(squares[:, :1], 0)
        values = np.sqrt(squares, where=real, out=np.ones_like(squares))
        combinations = roots * left / values[:, None]
        found = zip(members, values, combinations, real.sum(axis=1).tolist())
        return [Axes(own, each[:k], by[:, :k]) for own, each, by, k in found]

    def _blocks(self, members: Labels) -> Array:
        """Inner products within each row of samples."""
        if self._takes_all:
            return self.gram[members[:, :, None], members[:, None, :]]
        if self.kernel is not None:
            return np.stack([self.inner(own, own) for own in members])
        rows = self.scaled[members]
        return rows @ rows.transpose(0, 2, 1)

    def left_out(self, number: int) -> Labels:
        """Samples of one fold."""
        return np.flatnonzero(self.fold == number)

    def seen(self, number: int) -> Labels:
        """Samples of the other folds, class by class."""
        seen = np.flatnonzero(self.fold != number)
        return seen[np.argsort(self.labels[seen], kind="stable")]


def _sums(rows: Array, labels: Labels, weights: Array, n_classes: int) -> tuple[Array, ...]:
    counts = np.bincount(labels, weights, n_classes).astype(np.float64)
    member = np.zeros((n_classes, len(rows)))
    member[labels, np.arange(len(rows))] = weights
    roots = rows if (weights == 1).all() else np.sqrt(weights)[:, None] * rows
    return counts, member @ rows, roots.T @ roots


def local_evidence(
    samples: Samples, number: int, axes: Sequence[Axes], grid: Sequence[tuple[int, float]]
) -> Array:
    """Evidence of each class by its own atoms alone, for every (number of atoms, ridge).

    r_c(y) = ‖y‖² − Σ_i (1 − (β/(q_i + β))²) (u_iᵀy)²: one small product for the whole grid.

    Returns
    -------
    ndarray of shape (n_grid, n_left_out, n_classes)
    """
    queries = samples.left_out(number)
    energy = samples.energy[queries]
    seen = np.concatenate([one.members for one in axes])
    products = samples.inner(queries, seen)
    parts = _slices([one.members for one in axes])
    residuals = np.empty((len(axes), len(grid), len(queries)))
    for c, (share, one, own) in enumerate(zip(_shrinkage(axes, grid), axes, parts)):
        along, left = products[:, own] @ one.combination, 1 - share[:, : len(one.values)]
        residuals[c] = energy - (1 - left**2) @ (along**2).T
    return np.stack([evidence(r, energy) for r in residuals.transpose(1, 2, 0)])


def _slices(parts: Iterable[NDArray[np.generic]]) -> list[slice]:
    """Where each part lies when all are put one after the other."""
    return [slice(a, b) for a, b in pairwise(accumulate(map(len, parts), initial=0))]


def _shrinkage(axes: Sequence[Axes], grid: Sequence[tuple[int, float]]) -> Array:
    """q/(q + β) of every class, grid point and axis; axes that a class lacks have value zero."""
    # At least one: a class of zeros has no axis, and energies need one to lie along.
    values = np.zeros((len(axes), 1, max(1, *(len(one.values) for one in axes))))
    for row, one in zip(values[:, 0], axes):
        row[: len(one.values)] = one.values
    most, ridge = (np.array(part) for part in zip(*grid))
    sizes = np.array([len(one.members) for one in axes])
    filled = energies(values, np.minimum(most, sizes[:, None]), ridge[None])
    return filled / (filled + ridge[:, None])


def global_evidence(
    samples: Samples, number: int, axes: Sequence[Axes], n_atoms: int, ridge: float
) -> dict[str, Array]:
    """Evidence by codes over all atoms: as they are, and over the length of the code.

    x̂ = (DᵀD + βI)⁻¹Dᵀy, and class c explains D_c x̂_c of the query; its mass is ‖x̂_c‖².

    Returns
    -------
    dict of ndarray of shape (n_left_out, n_classes)
        By the name of the rule.
    """
    out, shares = samples.left_out(number), _shrinkage(axes, [(n_atoms, ridge)])[:, 0]
    blocks, spent = [], []
    for one, share in zip(axes, shares):
        filled = ridge / (1 - share[: len(one.values)]) - ridge  # w = q/(q + β)
        block = np.sqrt(filled) * one.combination
        # Samples of zeros have no axis: an atom of no energy keeps their place.
        empty = not len(one.values)
        spent.append(np.zeros(1) if empty else filled)
        blocks.append(np.zeros((len(one.members), 1)) if empty else block)
    q, parts = np.concatenate(spent), [own.start for own in _slices(spent)]
    coded = _codes_from_products if samples.is_wide else _codes_from_features
    along, codes = coded(samples, out, axes, blocks, ridge)
    # Atoms of a class lie along its axes: ‖D_cᵀx‖² = Σ q x².
    energy = samples.energy[out]
    residual = energy[:, None] + np.add.reduceat(codes * (q * codes - 2 * along), parts, axis=1)
    mass = np.add.reduceat(codes**2, parts, axis=1)
    bare = evidence(residual, energy)
    length = 0.5 * np.log(np.maximum(mass, 1e-18))
    return {"global-residual": bare, "global-length": bare + length}


def _codes_from_products(
    samples: Samples, out: Labels, axes: Sequence[Axes], blocks: Sequence[Array], ridge: float
) -> tuple[Array, Array]:
    """Products of queries with the atoms, and codes, by inner products of samples alone."""
    seen = np.concatenate([one.members for one in axes])
    rows, columns = _slices(blocks), _slices([block.T for block in blocks])

    def on_atoms(products: Array) -> Array:
        found = np.empty((len(products), columns[-1].stop))
        for own, atoms, block in zip(rows, columns, blocks):
            np.matmul(products[:, own], block, out=found[:, atoms])
        return found

    along = on_atoms(samples.inner(out, seen))
    gram = on_atoms(on_atoms(samples.inner(seen, seen)).T)
    gram[np.diag_indices_from(gram)] += ridge
    return along, solved(gram, along.T).T


def _codes_from_features(
    samples: Samples, out: Labels, axes: Sequence[Axes], blocks: Sequence[Array], ridge: float
) -> tuple[Array, Array]:
    """The same by the system of the features, which are fewer: z = (DDᵀ + βI)⁻¹y, x̂ = Dᵀz."""
    rows = samples.scaled
    D = np.concatenate([block.T @ rows[one.members] for one, block in zip(axes, blocks)])
    matrix = D.T @ D
    matrix[np.diag_indices_from(matrix)] += ridge
    return rows[out] @ D.T, solved(matrix, rows[out].T).T @ D.T


def discriminants(samples: Samples, number: int, shrinkages: Sequence[float]) -> Array:
    """g_c of each left-out sample, for every shrinkage.

    Returns
    -------
    ndarray of shape (n_shrinkages, n_left_out, n_classes)
    """
    if samples.is_wide and not samples.own_variances:
        seen = samples.seen(number)
        classes = Contrasts.of(samples.labels[seen], samples.weights[seen], samples.n_classes)
        gram, asked = samples.inner(seen, seen), samples.inner(seen, samples.left_out(number))
        return classes.discriminants(gram, asked, shrinkages, len(samples.labels))
    out, rows = samples.left_out(number), samples.scaled
    queries = rows[out]
    taken = _sums(queries, samples.labels[out], samples.weights[out], samples.n_classes)
    counts, sums, moment = (whole - part for whole, part in zip(samples.totals, taken))
    # A class whose only samples are left out has no mean: it keeps the one of all.
    means = np.where(counts[:, None] > 0, sums, sums.sum(axis=0))
    means /= np.where(counts > 0, counts, counts.sum())[:, None]
    total = max(counts.sum(), np.finfo(float).tiny)
    within = (moment - (means * np.maximum(counts, 0)[:, None]).T @ means) / total
    size, energy = len(within), np.trace(moment) / total
    varies = np.trace(within) > UNVARIED * energy
    within, scale = (within, np.trace(within) / size) if varies else (0 * within, energy or 1.0)
    target = positive(np.diagonal(within)) if samples.own_variances and varies else scale
    found = np.empty((len(shrinkages), len(queries), len(means)))
    for place, shrinkage in enumerate(shrinkages):
        shifted = within.copy()
        shifted[np.diag_indices(size)] += shrinkage * target
        weights = solved(shifted, means.T)
        found[place] = queries @ weights - 0.5 * np.einsum("cf,fc->c", means, weights)
    return found


def discriminant_of_all(samples: Samples, shrinkage: float, dtype: np.dtype) -> Discriminant | None:
    """The discriminant of all samples from products that folds have asked for; None for others."""
    if samples.kernel is not None or samples.own_variances or not samples.is_wide:
        return None
    order = np.argsort(samples.labels, kind="stable")
    classes = Contrasts.of(samples.labels[order], samples.weights[order], samples.n_classes)
    gram = samples.inner(order, order)
    found = classes.discriminant(gram, samples.scaled[order], shrinkage, len(order))
    return Discriminant(found.weights.astype(dtype), found.offsets.astype(dtype))
