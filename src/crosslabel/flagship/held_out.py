"""Scores of samples by models that have not seen them, for a whole grid of settings at once.

One fold is left out; the axes of the classes then serve every number of atoms and ridge, and one
pooled scatter every shrinkage. Rows may be a tensor: all that is reckoned of them is then too,
where they lie; labels, folds and weights are always arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from crosslabel.core.backend import (
    ArrayOrTensor,
    add_to_diagonal,
    beside,
    is_tensor,
    namespace,
    part_sums,
    zeros,
)
from crosslabel.core.backend import energies as squared_norms
from crosslabel.core.discriminant import UNVARIED, Contrasts, positive, solved
from crosslabel.core.joint import evidence
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.spectral import energies
from crosslabel.core.spectrum import Axes, Point, gram_axes
from crosslabel.flagship.lifts import Inner

_TOGETHER = 2**18
"""Values of samples whose classes are decomposed together: few enough to stay in cache."""
_THERE = 2**8
"""Times `_TOGETHER` and `_MANY` on a device: calls cost more there than a cache saves."""
_LEAST = 8
"""Samples that a device fills small classes up to: so many sizes are told apart no longer."""
_MANY = 500
"""Samples from which on a kernel's products are found when they are asked for, not all at once."""
_CHUNK = 32
"""Samples whose products with each other are found at once, for those with themselves."""


@dataclass(frozen=True)
class Samples:
    """Training samples in the space of one lift, known by their inner products; immutable.

    Attributes
    ----------
    scaled : ndarray or tensor of shape (n_samples, n_features)
        Rows before the kernel, in float64.
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

    scaled: ArrayOrTensor
    labels: Labels
    fold: Labels
    weights: Array
    kernel: Callable[[ArrayOrTensor, ArrayOrTensor], ArrayOrTensor] | None = None
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
    def gram(self) -> ArrayOrTensor:
        """All inner products."""
        if self.known is not None:
            everyone = np.arange(len(self.labels))
            return self.known(everyone, everyone)
        return self._products(self.scaled, self.scaled)

    @cached_property
    def energy(self) -> ArrayOrTensor:
        """Squared norms."""
        if self.kernel is not None and self._takes_all:
            return self.gram.diagonal()
        if self.kernel is not None:
            parts = [self.scaled[a : a + _CHUNK] for a in range(0, len(self.scaled), _CHUNK)]
            return namespace(parts[0]).concatenate([self.kernel(p, p).diagonal() for p in parts])
        return squared_norms(self.scaled)

    @cached_property
    def totals(self) -> Sums:
        """Of all samples."""
        return Sums.of(self.scaled, self.labels, self.weights, self.n_classes)

    def inner(self, some: Labels, others: Labels) -> ArrayOrTensor:
        """Inner products of some samples with others."""
        if self._takes_all:
            # By rows first, then by columns: in half the time of both at once.
            return self.gram[beside(some, self.gram)][:, beside(others, self.gram)]
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
        few *= _THERE if is_tensor(self.scaled) else 1
        wanted = "gram" in vars(self) or self.kernel is None or len(self.scaled) <= few
        return self.is_wide and wanted

    def _products(self, some: ArrayOrTensor, others: ArrayOrTensor) -> ArrayOrTensor:
        return some @ others.T if self.kernel is None else self.kernel(some, others)

    def blocks(self, members: Labels) -> ArrayOrTensor:
        """Inner products within each row of samples."""
        if self._takes_all:
            own = beside(members, self.gram)
            return self.gram[own[:, :, None], own[:, None, :]]
        if self.kernel is not None:
            return namespace(self.scaled).stack([self.inner(own, own) for own in members])
        rows = self.scaled[members]
        return rows @ rows.swapaxes(1, 2)

    def left_out(self, number: int) -> Labels:
        """Samples of one fold."""
        return np.flatnonzero(self.fold == number)

    def seen(self, number: int) -> Labels:
        """Samples of the other folds, class by class."""
        seen = np.flatnonzero(self.fold != number)
        return seen[np.argsort(self.labels[seen], kind="stable")]


class Sums(NamedTuple):
    """Counts and sums of the classes, and the second moment of all samples."""

    counts: Array
    sums: ArrayOrTensor
    moment: ArrayOrTensor

    @classmethod
    def of(cls, rows: ArrayOrTensor, labels: Labels, weights: Array, n_classes: int) -> Sums:
        """Of labelled rows."""
        counts = np.bincount(labels, weights, n_classes).astype(np.float64)
        member = np.zeros((n_classes, len(rows)))
        member[labels, np.arange(len(rows))] = weights
        roots = rows if (weights == 1).all() else beside(np.sqrt(weights)[:, None], rows) * rows
        return cls(counts, beside(member, rows) @ rows, roots.T @ roots)


def axes_of(several: Sequence[Samples], number: int, grid: Sequence[Point]) -> list[list[Axes]]:
    """Of the classes without one fold, the axes that their atoms can lie along.

    `several` are the same samples in several lifts; the grid says how many atoms a class may get.
    """
    seen, first = several[0].seen(number), several[0]
    sizes = np.bincount(first.labels[seen], minlength=first.n_classes)
    starts = np.cumsum(sizes) - sizes
    found: list[list[Axes]] = [[] for _ in several]
    for classes in _alike(sizes, several):
        own = np.arange(sizes[classes].max())
        members = seen[starts[classes, None] + np.minimum(own, sizes[classes, None] - 1)]
        for kept, one in zip(found, _together(several, classes, members, sizes[classes], grid)):
            kept.append(one)
    return found


def _alike(sizes: Labels, several: Sequence[Samples]) -> Iterator[Labels]:
    """Classes of one size, or about one size on a device, some at a time."""
    width = max(samples.scaled.shape[1] for samples in several)
    together, bins = _TOGETHER, sizes
    if is_tensor(several[0].scaled):
        together *= _THERE
        bins = np.maximum(_LEAST, 2 ** np.ceil(np.log2(np.maximum(sizes, 1))).astype(int))
    for size in np.unique(bins):
        alike = np.flatnonzero(bins == size)
        # Rows are taken lift by lift, their products together.
        values = int(size) * max(width, int(size) * len(several))
        step = max(1, together // max(1, values))
        yield from np.split(alike, range(step, len(alike), step))


def _together(
    several: Sequence[Samples],
    classes: Labels,
    members: Labels,
    sizes: Labels,
    grid: Sequence[Point],
) -> Iterator[Axes]:
    """Axes of classes, a row of samples for each, in every lift."""
    xp, (n, n_samples) = namespace(several[0].scaled), members.shape
    there = np.arange(n_samples) < sizes[:, None]
    rows = np.tile(np.sqrt(several[0].weights[members]) * there, (len(several), 1))
    roots = beside(rows[:, :, None], several[0].scaled)
    blocks = xp.concatenate([samples.blocks(members) for samples in several])
    most, ridges = (np.array(part) for part in zip(*grid))
    blocks = blocks * roots * roots.swapaxes(1, 2)
    values, combination = gram_axes(blocks, min(int(most.max()), n_samples))
    combination = roots * combination
    # No class has more atoms than samples.
    n_atoms = np.minimum(most, np.maximum(np.tile(sizes, len(several))[:, None], 1))
    filled = energies(values[:, None], n_atoms, ridges)
    filled = filled / (filled + beside(ridges[:, None], filled))
    for k in range(len(several)):
        own = slice(k * n, (k + 1) * n)
        yield Axes(classes, members, values[own], combination[own], grid, filled[own])


def local_evidence(
    samples: Samples, number: int, axes: Sequence[Axes], grid: Sequence[Point]
) -> ArrayOrTensor:
    """Evidence of each class by its own atoms alone, for every (number of atoms, ridge).

    r_c(y) = ‖y‖² − Σ_i (1 − (β/(q_i + β))²) (u_iᵀy)²: one small product for the whole grid.

    Returns
    -------
    ndarray of shape (n_grid, n_left_out, n_classes)
    """
    queries = samples.left_out(number)
    energy = samples.energy[beside(queries, samples.energy)]
    seen, parts = _seen(axes)
    products = samples.inner(queries, seen)
    residuals = zeros((len(grid), len(queries), samples.n_classes), energy)
    for one, own in zip(axes, parts):
        along = _by_class(products[:, own], one) @ one.combination
        left = 1 - one.at(grid)
        found = energy - (1 - left**2) @ (along**2).swapaxes(1, 2)
        residuals[:, :, beside(one.classes, found)] = namespace(energy).moveaxis(found, 0, 2)
    return evidence(residuals, energy)


def _seen(axes: Sequence[Axes]) -> tuple[Labels, list[slice]]:
    """Members of all classes one after the other, and where those of each entry lie."""
    members = [one.members.ravel() for one in axes]
    ends = accumulate(map(len, members), initial=0)
    return np.concatenate(members), [slice(a, b) for a, b in pairwise(ends)]


def _by_class(products: ArrayOrTensor, axes: Axes) -> ArrayOrTensor:
    """Products with the members of some classes, (n, n_rows, n_samples)."""
    return products.reshape(len(products), *axes.members.shape).swapaxes(0, 1)


def global_evidence(
    samples: Samples, number: int, axes: Sequence[Axes], n_atoms: int, ridge: float
) -> dict[str, ArrayOrTensor]:
    """Evidence by codes over all atoms: as they are, and over the length of the code.

    x̂ = (DᵀD + βI)⁻¹Dᵀy, and class c explains D_c x̂_c of the query; its mass is ‖x̂_c‖².

    Returns
    -------
    dict of ndarray of shape (n_left_out, n_classes)
        By the name of the rule.
    """
    out, blocks, spent = samples.left_out(number), list[ArrayOrTensor](), list[ArrayOrTensor]()
    for one in axes:
        share = one.filled[:, one.grid.index((n_atoms, ridge)), :n_atoms]  # w = q/(q + β)
        filled = ridge / (1 - share) - ridge
        spent.append(filled)
        blocks.append(namespace(filled).sqrt(filled)[:, None] * one.combination[..., :n_atoms])
    coded = _codes_from_products if samples.is_wide else _codes_from_features
    along, codes = coded(samples, out, axes, blocks, ridge)
    xp, energy = namespace(codes), samples.energy[beside(out, samples.energy)]
    q, sizes = xp.concatenate([v.reshape(-1) for v in spent]), [len(v) for w in spent for v in w]
    order = np.argsort(np.concatenate([one.classes for one in axes]))
    # Atoms of a class lie along its axes: ‖D_cᵀx‖² = Σ q x².
    residual = energy[:, None] + part_sums(codes * (q * codes - 2 * along), sizes)[:, order]
    bare = evidence(residual, energy)
    length = 0.5 * xp.log(xp.clip(part_sums(codes**2, sizes)[:, order], 1e-18, None))
    return {"global-residual": bare, "global-length": bare + length}


def _codes_from_products(
    samples: Samples, out: Labels, axes: Sequence[Axes], blocks: list[ArrayOrTensor], ridge: float
) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """Products of queries with the atoms, and codes, by inner products of samples alone."""
    seen, parts = _seen(axes)

    def on_atoms(products: ArrayOrTensor) -> ArrayOrTensor:
        each = zip(axes, parts, blocks)
        found = [_by_class(products[:, own], one) @ block for one, own, block in each]
        rows = [part.swapaxes(0, 1).reshape(len(products), -1) for part in found]
        return namespace(products).concatenate(rows, axis=1)

    along = on_atoms(samples.inner(out, seen))
    gram = on_atoms(on_atoms(samples.inner(seen, seen)).T)
    return along, solved(add_to_diagonal(gram, ridge), along.T).T


def _codes_from_features(
    samples: Samples, out: Labels, axes: Sequence[Axes], blocks: list[ArrayOrTensor], ridge: float
) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """The same by the system of the features, which are fewer: z = (DDᵀ + βI)⁻¹y, x̂ = Dᵀz."""
    rows, xp = samples.scaled, namespace(samples.scaled)
    atoms = [block.swapaxes(1, 2) @ rows[one.members] for one, block in zip(axes, blocks)]
    D = xp.concatenate([own.reshape(-1, rows.shape[1]) for own in atoms])
    matrix = add_to_diagonal(D.T @ D, ridge)
    return rows[out] @ D.T, solved(matrix, rows[out].T).T @ D.T


def discriminants(samples: Samples, number: int, shrinkages: Sequence[float]) -> ArrayOrTensor:
    """g_c of each left-out sample, for every shrinkage.

    Returns
    -------
    ndarray of shape (n_shrinkages, n_left_out, n_classes)
    """
    if samples.is_wide and not samples.own_variances:
        seen = samples.seen(number)
        classes = Contrasts.of(samples.labels[seen], samples.weights[seen], samples.n_classes)
        gram, asked = samples.inner(seen, seen), samples.inner(seen, samples.left_out(number))
        return classes.beside(gram).discriminants(gram, asked, shrinkages, len(samples.labels))
    out, rows = samples.left_out(number), samples.scaled
    xp, queries = namespace(rows), rows[out]
    taken = Sums.of(queries, samples.labels[out], samples.weights[out], samples.n_classes)
    counts, sums, moment = (whole - part for whole, part in zip(samples.totals, taken))
    # A class whose only samples are left out has no mean: it keeps the one of all.
    means = xp.where(beside(counts[:, None] > 0, rows), sums, sums.sum(axis=0))
    means /= beside(np.where(counts > 0, counts, counts.sum())[:, None], rows)
    total = max(counts.sum(), np.finfo(float).tiny)
    within = (moment - (means * beside(np.maximum(counts, 0)[:, None], rows)).T @ means) / total
    varying, energy = float(xp.trace(within)), float(xp.trace(moment)) / total
    varies = varying > UNVARIED * energy
    within, scale = (within, varying / len(within)) if varies else (0 * within, energy or 1.0)
    target = positive(within.diagonal()) if samples.own_variances and varies else scale
    found = zeros((len(shrinkages), len(queries), len(means)), rows)
    for place, shrinkage in enumerate(shrinkages):
        weights = solved(add_to_diagonal(within + 0, shrinkage * target), means.T)
        found[place] = queries @ weights - 0.5 * xp.einsum("cf,fc->c", means, weights)
    return found
