"""Relaxed collaborative representation (Yang et al. 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

from crosslabel.core.backend import energies
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.core.tied_codes import CG_STEPS, FeatureGroup, TiedSystem, tied_codes
from crosslabel.files.budget import budget
from crosslabel.files.forms import whole
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import COUNT, POSITIVE, POSITIVE_OR_ZERO, Constraints
from crosslabel.methods.start import class_parts
from crosslabel.methods.stored import WORK_PER_VALUE

BLOCK_NUMBERS = 16_000_000
"""Coefficients of a block of queries, which bound the memory of their codes."""

WORK_PER_STEP = 1e4
"""Operations that a step on one group takes beside its products."""


class RCR(ComparisonMethod):
    r"""Relaxed collaborative representation: groups of features whose codes are alike, not equal.

    .. math::

        \min_{\alpha_i, \omega_i} \sum_i \|y_i - D_i \alpha_i\|_2^2 + \lambda \|\alpha_i\|_2^2
        + \tau \omega_i \|\alpha_i - \bar\alpha\|_2^2 + \gamma \omega_i \ln \omega_i, \qquad
        \bar\alpha = \sum_i \omega_i \alpha_i / \sum_i \omega_i

    with :math:`D_i` the i-th group of features of all training samples. A query is given to
    :math:`\arg\min_c \sum_i \omega_i \|y_i - D_i^c \alpha_i^c\|_2^2`.

    Parameters
    ----------
    groups : int or array-like of shape (n_features,), default=4
        Number of groups of consecutive features, or the group of each feature.
    image_shape : (int, int), default=None
        Height and width of the images that samples are, row after row. The groups are then so many
        blocks side by side, as high as the image: the paper's 1×4.
    ridge : float, default=5e-3
        λ.
    tie : float, default=5e-2
        τ, how strongly the codes of the groups are held together.
    entropy : float, default=1e-1
        γ, how evenly the groups are weighted.
    rounds : int, default=5
        Rounds of codes and weights for a query.
    normalize : bool, default=True
        Scale each sample's groups of features to unit norm, one by one.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_samples, n_features)
        The training samples, class by class, scaled as said.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    M. Yang, L. Zhang, D. Zhang and S. Wang, "Relaxed Collaborative Representation for Pattern
    Classification", CVPR 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import RCR
    >>> X, y = load_digits(return_X_y=True)
    >>> model = RCR().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "groups": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "image_shape": ["array-like", None],
        "ridge": POSITIVE,
        "tie": POSITIVE_OR_ZERO,
        "entropy": POSITIVE,
        "rounds": COUNT,
    }
    _following: ClassVar[tuple[str, ...]] = ("_basis", "_groups", "_inverse", "_grams")

    def __init__(
        self,
        groups: int | ArrayLike = 4,
        *,
        image_shape: Sequence[int] | None = None,
        ridge: float = 5e-3,
        tie: float = 5e-2,
        entropy: float = 1e-1,
        rounds: int = 5,
        normalize: bool = True,
    ) -> None:
        self.groups = groups
        self.image_shape = image_shape
        self.ridge = ridge
        self.tie = tie
        self.entropy = entropy
        self.rounds = rounds
        self.normalize = normalize

    def _learn(self, X: Array, labels: Labels) -> None:
        self._parts = class_parts(labels)
        self._columns = self._feature_groups(X.shape[1])
        self.dictionary_ = self._scaled_groups(X)

    @cached_property
    def _basis(self) -> Array:
        """Rows that span those of the features, which codes never leave: solve in this basis."""
        return np.linalg.qr(self.dictionary_)[0].T  # (≤ n_features, n_samples)

    @cached_property
    def _groups(self) -> list[FeatureGroup]:
        """The decomposed dictionary of each group, over the basis."""
        return [
            FeatureGroup.of(self.dictionary_[:, own].T @ self._basis.T) for own in self._columns
        ]

    @cached_property
    def _inverse(self) -> Array:
        """Of the system of the mean code, near which those of all queries are."""
        return TiedSystem.of(self._groups, self.ridge, self.tie).inverse()

    def _feature_groups(self, n_features: int) -> list[Labels]:
        if isinstance(self.groups, Integral):
            pixels = _image(self.image_shape or (1, n_features), n_features)
            n_groups = min(int(self.groups), pixels.shape[1])
            return [block.ravel() for block in np.array_split(pixels, n_groups, axis=1)]
        names = np.asarray(self.groups)
        if names.shape != (n_features,):
            raise ValueError(
                f"groups has shape {names.shape}, but X has {n_features} features: give one group "
                "for each feature, or the number of groups."
            )
        return [np.flatnonzero(names == name) for name in np.unique(names)]

    def _scaled_groups(self, X: Array) -> Array:
        """Samples whose groups of features have unit norm each."""
        if not self.normalize:
            return X
        scaled = np.empty_like(X)
        for own in self._columns:
            scaled[:, own] = unit_rows(X[:, own])
        return scaled

    def _scores(self, X: Array) -> Array:
        scores = np.zeros((len(X), len(self._parts)))
        step = max(1, BLOCK_NUMBERS // (len(self.dictionary_) * len(self._columns)))
        for first in range(0, len(X), step):
            scores[first : first + step] = self._block_scores(X[first : first + step])
        return scores

    def _block_scores(self, X: Array) -> Array:
        X = self._scaled_groups(X)
        parts = [X[:, own] for own in self._columns]
        settings = self.ridge, self.tie, self.entropy, self.rounds
        solution = tied_codes(self._groups, parts, *settings, inverse=self._inverse)
        scores = np.zeros((len(X), len(self._parts)))
        for own, y, coordinates, weights in zip(
            self._columns, parts, solution.codes, solution.weights
        ):
            codes, samples = coordinates @ self._basis, self.dictionary_[:, own]
            squares, products = energies(y), codes * (y @ samples.T)
            for c, part in enumerate(self._parts):
                # ‖y − xD‖² without the difference, whose square is another pass over the features
                fits = energies(codes[:, part] @ samples[part]) - 2 * products[:, part].sum(axis=1)
                scores[:, c] -= weights * (squares + fits)
        return scores

    def check_stored(self) -> None:
        """Refuse groups that do not part the features, and more rounds than a query may take."""
        super().check_stored()
        if not self.__sklearn_is_fitted__():
            return
        (n_samples, n_features), columns = self.dictionary_.shape, self._columns
        if not isinstance(columns, list) or not 1 <= len(columns) <= n_features:
            raise ValueError("_columns is no list of groups of features")
        for own in columns:
            whole(len(own)).check("_columns", own, {})
        if not np.array_equal(np.sort(np.concatenate(columns)), np.arange(n_features)):
            raise ValueError("_columns does not name every feature once")
        step = 4.0 * min(n_samples, n_features) * n_features + WORK_PER_STEP * len(columns)
        work = self.rounds * CG_STEPS * step - WORK_PER_VALUE * n_samples * n_features
        budget().check_work(work, f"A query of {self.rounds} rounds on {len(columns)} groups")


def _image(shape: Sequence[int], n_features: int) -> Labels:
    """The number of the feature at each pixel."""
    height, width = shape
    if height * width != n_features:
        raise ValueError(
            f"image_shape={shape} has {height * width} pixels, but X has {n_features} features: "
            "give the height and width of the images that the samples are."
        )
    return np.arange(n_features).reshape(height, width)
