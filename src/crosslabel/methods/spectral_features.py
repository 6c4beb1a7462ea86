"""Spectral features and the nearest neighbour (F. Wang et al. 2007)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.linalg import eigh

from crosslabel.core.memory import check_room
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, squared_distances
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.nearest_neighbour import nearest_scores
from crosslabel.methods.parameters import COUNT, POSITIVE, Constraints
from crosslabel.methods.start import class_parts

LEAST = 1e-10
"""Eigenvalue below which a direction of the graph is rounding."""


class SpectralFeatures(ComparisonMethod):
    r"""Spectral feature analysis: eigenvectors of a graph of the samples, then the nearest one.

    .. math::

        S_{ij} = e^{-\|x_i - x_j\|^2 / \sigma^2}, \qquad
        D^{-1/2} S D^{-1/2} v = \lambda v, \qquad
        f(y) = \sum_i \frac{s(y, x_i)}{\lambda \sqrt{d(y) d_i}} v_i

    with :math:`d_i = \sum_j S_{ij}` and :math:`d(y) = \sum_j s(y, x_j)`: the relaxed normalised
    cut of the training samples, and its extension to a query by Nyström's formula, in which a
    training sample that is asked for gets its own entry of :math:`v`. A query goes to the class of
    the sample whose features are nearest.

    Parameters
    ----------
    dimension : int, default=100
        Eigenvectors that are kept beside the first one, which holds degrees alone.
    width : float, default=10
        σ² in units of the mean squared distance of two training samples.
    normalize : bool, default=True
        Scale samples to unit norm.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Features of the training samples, class by class.
    eigenvalues_ : ndarray of shape (n_components,)
        λ, the largest first.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    F. Wang, J. Wang, C. Zhang and J. Kwok, "Face Recognition Using Spectral Features", Pattern
    Recognition, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import SpectralFeatures
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SpectralFeatures().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "dimension": COUNT,
        "width": POSITIVE,
    }

    def __init__(
        self, dimension: int = 100, *, width: float = 10.0, normalize: bool = True
    ) -> None:
        self.dimension = dimension
        self.width = width
        self.normalize = normalize

    def _learn(self, X: Array, labels: Labels) -> None:
        check_room(3, len(X), "samples", "SpectralFeatures", "Use fewer samples.")
        self._parts, self._samples = class_parts(labels), X
        distances = squared_distances(X, X)
        self._square_width = self.width * float(distances.mean()) or 1.0
        similarities = np.exp(-distances / self._square_width)
        degrees = similarities.sum(axis=1)
        self._roots = np.sqrt(degrees)
        n_samples = len(X)
        first = max(0, n_samples - 1 - self.dimension)
        values, vectors = eigh(
            similarities / self._roots / self._roots[:, None],
            subset_by_index=(first, n_samples - 1),
        )
        # The last is √d itself, which sets no sample apart.
        kept = np.flatnonzero(values[:-1] > LEAST)[::-1]
        self.eigenvalues_, self.embedding_ = values[kept], vectors[:, kept]

    def _scores(self, X: Array) -> Array:
        return nearest_scores(self._features(X), self.embedding_, self._parts)

    def _features(self, X: Array) -> Array:
        """f(y) for each query y."""
        similarities = np.exp(-squared_distances(X, self._samples) / self._square_width)
        # A query so far off that all similarities underflow has no features: zeros, not 0/0.
        roots = np.sqrt(np.maximum(similarities.sum(axis=1), np.finfo(float).tiny))
        weights = similarities / roots[:, None] / self._roots
        return weights @ (self.embedding_ / self.eigenvalues_)
