"""The words that images are described in: learnt by k-means from descriptors drawn at random."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from crosslabel.core.scaling import Array
from crosslabel.media.gray import Item, gray_image


def learn_codebook(descriptors: Array, words: int, random: np.random.RandomState) -> Array:
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
