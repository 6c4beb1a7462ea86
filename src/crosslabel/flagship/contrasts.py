"""Means of classes, and how samples vary about them, from inner products of samples alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array


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
        roots, masses = np.sqrt(weights), np.bincount(places, weights)
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
