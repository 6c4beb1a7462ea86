"""Laplacianfaces: locality preserving projections and the nearest neighbour (He et al. 2005)."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from sklearn.utils._param_validation import Interval

from crosslabel.core.graph import blockwise, heat_laplacian
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.nearest_neighbour import nearest_scores
from crosslabel.methods.parameters import COUNT, YES_OR_NO, Constraints
from crosslabel.methods.start import class_parts

RANK = 1e-10
"""Part of the largest energy below which a principal component is rounding."""

LONELY = 1e-6
"""Least degree of a sample: one without a neighbour near it must not make the system singular."""


class Laplacianfaces(ComparisonMethod):
    r"""Laplacianfaces: a linear map that keeps neighbours together, then the nearest neighbour.

    .. math::

        \min_a \frac{a^\top X L X^\top a}{a^\top X D X^\top a}, \qquad
        L = D - S, \quad S_{ij} = e^{-\|x_i - x_j\|^2 / t} \text{ of neighbours}, \quad
        D_{ii} = \sum_j S_{ij}

    in the space of the leading principal components of the centred training samples, with t the
    mean squared distance of neighbours. A query goes to the class of the sample that is nearest
    after the map.

    Parameters
    ----------
    dimension : int, default=None
        Directions a that are kept; None keeps one less than there are classes.
    n_neighbors : int, default=5
        Neighbours of a sample in the graph.
    energy : float, default=0.98
        Part of the samples' variance that the principal components hold, as published.
    supervised : bool, default=True
        Join neighbours of the same class only: each class has its own t, and its S is scaled to one
        unit of degree per sample. False joins neighbours whatever their class.
    normalize : bool, default=True
        Scale samples to unit norm.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
    components_ : ndarray of shape (n_components, n_features)
        The directions, the smoothest first.
    embedding_ : ndarray of shape (n_samples, n_components)
        The training samples after the map, class by class.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    X. He, S. Yan, Y. Hu, P. Niyogi and H.-J. Zhang, "Face Recognition Using Laplacianfaces", IEEE
    Transactions on Pattern Analysis and Machine Intelligence, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import Laplacianfaces
    >>> X, y = load_digits(return_X_y=True)
    >>> model = Laplacianfaces().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "dimension": [*COUNT, None],
        "n_neighbors": COUNT,
        "energy": [Interval(Real, 0, 1, closed="right")],
        "supervised": YES_OR_NO,
    }

    def __init__(
        self,
        dimension: int | None = None,
        *,
        n_neighbors: int = 5,
        energy: float = 0.98,
        supervised: bool = True,
        normalize: bool = True,
    ) -> None:
        self.dimension = dimension
        self.n_neighbors = n_neighbors
        self.energy = energy
        self.supervised = supervised
        self.normalize = normalize

    def _learn(self, X: Array, labels: Labels) -> None:
        self._parts = class_parts(labels)
        graphs = [X[part] for part in self._parts] if self.supervised else [X]
        laplacians = [heat_laplacian(samples, self.n_neighbors) for samples in graphs]
        degrees = np.maximum(np.concatenate([np.diag(L) for L in laplacians]), LONELY)
        self.mean_ = X.mean(axis=0)
        basis = principal_components(X - self.mean_, self.energy)
        Z = (X - self.mean_) @ basis.T
        smoothness, size = Z.T @ blockwise(laplacians, Z), Z.T @ (degrees[:, None] * Z)
        _, directions = eigh(smoothness, size)
        directions = directions[:, : self.dimension or labels[-1]]
        self.components_ = directions.T @ basis
        self.embedding_ = Z @ directions

    def _scores(self, X: Array) -> Array:
        return nearest_scores((X - self.mean_) @ self.components_.T, self.embedding_, self._parts)


def principal_components(X: Array, energy: float) -> Array:
    """The leading right singular vectors of X that hold this part of ‖X‖².

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred.
    energy : float
        In (0, 1]; 1 keeps all but rounding.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows, without any where X is zero.
    """
    _, values, basis = np.linalg.svd(X, full_matrices=False)
    energies = values**2
    before = np.cumsum(energies) - energies
    return basis[(energies > RANK * energies[0]) & (before < energy * energies.sum())]
