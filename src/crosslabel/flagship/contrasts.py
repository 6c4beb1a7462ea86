"""Means of classes, and how samples vary about them, from inner products of samples alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array

UNVARIED = 1e-12
"""Of the energy: samples that vary by less leave rounding, and every shrinkage the nearest mean."""


class Contrasts(NamedTuple):
    """Turns the samples of each class so that one becomes its mean, the others what varies.

    With r the roots of the weights, a reflection takes r/‖r‖ to an axis, and so the rows r·x of a
    class to −√n μ, n = ‖r‖², and to rows that are one fewer than the samples and whose outer
    products sum to the scatter. All systems are smaller for it by a row for each class.

    Attributes
    ----------
    first, rest : ndarray of int
        Samples that become means, and those that become what varies.
    labels : ndarray of int
        Of the classes that have samples.
    masses : ndarray
        n of each of them.
    n_classes : int
        Of all; one without samples gets the mean of all samples.
    roots : ndarray of shape (n_samples, 1)
        r.
    across : csr_array of shape (n_labels, n_samples)
        v of each class, with which its reflection is I − vᵀv.
    """

    first: Labels
    rest: Labels
    labels: Labels
    masses: Array
    n_classes: int
    roots: Array
    across: csr_array

    @classmethod
    def of(cls, labels: Labels, weights: Array, n_classes: int) -> Contrasts:
        """Of samples ordered by class."""
        present, first, places = np.unique(labels, return_index=True, return_inverse=True)
        roots, masses = np.sqrt(weights), np.bincount(places, weights).astype(np.float64)
        mirror = roots / np.sqrt(masses)[places]
        mirror[first] += 1
        mirror /= np.sqrt(mirror[first])[places]
        numbers = np.arange(len(labels))
        ends = np.append(first, len(labels))
        across = csr_array((mirror, numbers, ends), shape=(len(present), len(labels)))
        rest = np.delete(numbers, first)
        return cls(first, rest, present, masses, n_classes, roots[:, None], across)

    def turned(self, products: Array) -> Array:
        """Products of turned samples, from those of samples: (n_samples, n_others) both."""
        weighted = self.roots * products
        weighted -= self.across.T @ (self.across @ weighted)
        return weighted

    def on_means(self, turned: Array) -> Array:
        """Products with the mean of each of all classes, from columns that became means."""
        found = np.empty((len(turned), self.n_classes))
        found[:] = (turned @ (-np.sqrt(self.masses) / self.masses.sum()))[:, None]
        found[:, self.labels] = turned / -np.sqrt(self.masses)
        return found

    def discriminants(
        self, gram: Array, asked: Array, shrinkages: Sequence[float], size: int
    ) -> Array:
        """Gaussian discriminants of queries, for every shrinkage, by inner products alone.

        With W = ZᵀZ/n, Z the rows that vary, (W + sI)⁻¹ = (I − Zᵀ(ZZᵀ + nsI)⁻¹Z)/s.

        Parameters
        ----------
        gram : ndarray of shape (n_samples, n_samples)
            Products of the samples.
        asked : ndarray of shape (n_samples, n_queries)
        shrinkages : sequence of float
            α of W + α·tr(W)/size·I.
        size : int
            Dimensions over which the scatter is taken to spread.

        Returns
        -------
        ndarray of shape (n_shrinkages, n_queries, n_classes)
        """
        gram, asked = self.turned(self.turned(gram).T), self.turned(asked).T
        queries, asked = self.on_means(asked[:, self.first]), asked[:, self.rest]  # yᵀμ, Zy
        along = self.on_means(gram[self.rest][:, self.first])  # Zμ
        between = self.on_means(self.on_means(gram[self.first][:, self.first]).T)
        centred = gram[self.rest][:, self.rest]  # ZZᵀ
        total = self.masses.sum()
        energy, varying = np.trace(gram) / total, np.trace(centred) / total
        varies = varying > UNVARIED * energy
        scale = varying / size if varies else energy or 1.0
        found = np.empty((len(shrinkages), *queries.shape))
        for place, shrinkage in enumerate(shrinkages):
            shift, inside = shrinkage * scale, np.zeros_like(along)
            if varies:
                kept = centred.copy()
                kept[np.diag_indices_from(kept)] += total * shift
                inside = solved(kept, along)
            own = np.diagonal(between) - np.einsum("nc,nc->c", along, inside)
            found[place] = (queries - asked @ inside - 0.5 * own) / shift
        return found


def solved(matrix: Array, right: Array) -> Array:
    """matrix⁻¹ right, of a positive definite matrix, which is overwritten."""
    # Symmetric: its transpose is in the order that LAPACK overwrites without a copy.
    factor = cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    return cho_solve(factor, right, check_finite=False)
