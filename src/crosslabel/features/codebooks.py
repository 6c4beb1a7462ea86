"""Ways to learn the words of a codebook from descriptors, and how these are drawn.

A new way is one function and one entry in `CODEBOOKS`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from crosslabel.core.scaling import Array, unit_rows
from crosslabel.core.unit_ball import update_atoms
from crosslabel.features.assignment import Codebook, lasso
from crosslabel.media.gray import Item, gray_image

ROUNDS = 5
"""Of codes and words: from centroids, more of them lower what is left by less than a per cent."""

CODED = 20_000
"""Most descriptors that are coded in a round."""

CANDIDATES = 32
"""Words among which the code of a descriptor is sought."""


def kmeans_codebook(descriptors: Array, words: int, random: np.random.RandomState) -> Array:
    """Words that descriptors cluster around, by k-means.

    Parameters
    ----------
    descriptors : ndarray of shape (n_descriptors, n_values)
    words : int
    random : RandomState

    Returns
    -------
    ndarray of shape (words, n_values), float32
    """
    if len(descriptors) < words:
        raise ValueError(
            f"A codebook of {words} words needs as many descriptors, but the images have "
            f"{len(descriptors)}. Give more or larger images, or fewer words."
        )
    # Not above: this import takes as long as a small prediction, which has no use for it.
    from sklearn.cluster import KMeans

    # A codebook need not be a minimum of k-means: a few rounds from random descriptors serve as
    # well as many from a careful start, in a tenth of the time.
    kmeans = KMeans(words, init="random", n_init=1, max_iter=20, random_state=random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return kmeans.fit(descriptors).cluster_centers_.astype(np.float32)


def sparse_codebook(descriptors: Array, words: int, random: np.random.RandomState) -> Array:
    """min over V and C of ‖X − CV‖² + λ‖C‖₁ with words in the unit ball: ScSPM's (Yang 2009).

    Codes by `lasso`, then each word at its best, in turn, from centroids of unit norm. Parameters
    and result are those of `kmeans_codebook`.
    """
    V = unit_rows(kmeans_codebook(descriptors, words, random).astype(np.float64))
    X = descriptors[random.permutation(len(descriptors))[:CODED]].astype(np.float64)
    for _ in range(ROUNDS):
        C = code_matrix(X, V)
        V = update_atoms(V, (C.T @ C).toarray(), C.T @ X)
    return V.astype(np.float32)


def code_matrix(X: Array, V: Array) -> sparse.csr_array:
    """The codes of descriptors over words as a sparse matrix, (n_descriptors, n_words)."""
    chosen, codes = lasso(X, Codebook.of(V), CANDIDATES)
    rows = np.repeat(np.arange(len(X)), chosen.shape[1])
    return sparse.csr_array((codes.ravel(), (rows, chosen.ravel())), shape=(len(X), len(V)))


CODEBOOKS: dict[str, Callable[[Array, int, np.random.RandomState], Array]] = {
    "kmeans": kmeans_codebook,
    "sparse": sparse_codebook,
}


@dataclass(frozen=True)
class DescriptorSampler:
    """Draw some descriptors of an image: what the processes of `fit` run."""

    descriptor: BaseEstimator
    quota: int
    longest_side: int | None = None

    def __call__(self, item: tuple[Item, int]) -> Array:
        """At most `quota` descriptors of the image, drawn with the seed."""
        image, seed = item
        values = self.descriptor.describe(gray_image(image, self.longest_side)).values
        return values[np.random.default_rng(seed).permutation(len(values))[: self.quota]]
