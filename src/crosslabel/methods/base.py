"""What every classifier of the library shares: validation, labels, scores, and their manners.

A method derives from `RepresentationClassifier` and writes two functions: `_fit(X, labels)` and
`_class_scores(X)`. It may import `crosslabel.core` and scikit-learn, and no other method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from crosslabel.core.atoms import SHARED, AtomLayout
from crosslabel.core.backend import is_tensor
from crosslabel.core.ordering import canonical
from crosslabel.core.scaling import Array, row_norms, unit_rows
from crosslabel.intake.checking import validate_data
from crosslabel.intake.devices import (
    check_squares,
    check_tensor,
    from_device,
    named,
    on_device,
)

Labels = NDArray[np.intp]


PLAIN_SIZE = 2**15
"""Values up to which a query is checked here; beyond, the cost of full validation is hidden."""

SPREAD = 1e30
"""Ratio of norms beyond which samples cannot be learnt from together: of the products of two of
them, to double precision the smaller ones are noise already at half as many digits."""


class RepresentationClassifier(ClassifierMixin, BaseEstimator):
    """Represent a query by the atoms or samples of each class; the best representation wins.

    Subclasses store their parameters in `__init__`, declare them in `_parameter_constraints`, and
    implement `_fit` and `_class_scores`. `self.normalize` says whether samples are scaled to unit
    norm, in training and in prediction alike.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"normalize": ["boolean"]}

    normalize: bool
    device: str | None = None  # where a subclass computes; a parameter of those that have a choice
    classes_: NDArray[Any]
    n_features_in_: int

    @abstractmethod
    def _fit(self, X: Array, labels: Labels) -> None:
        """Learn from samples (unit-norm if `normalize`) and labels 0 … n_classes−1."""

    @abstractmethod
    def _class_scores(self, X: Array) -> Array:
        """Score of each class for each query, (n_queries, n_classes); the highest one wins."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from labelled samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Their labels, of any type and in any order.

        Returns
        -------
        self
        """
        self._validate_params()
        samples, labels = self._check_training(X, y)
        self._fit(samples, labels)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Score of each class; the highest one is predicted.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or (n_queries,) for two classes
            With two classes: positive where `classes_[1]` is predicted.
        """
        scores = self._query_scores(X)
        return self._two_class_decision(scores) if scores.shape[1] == 2 else scores

    def _two_class_decision(self, scores: Array) -> Array:
        return scores[:, 1] - scores[:, 0]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label of each query.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        best = self._query_scores(X).argmax(axis=1)
        return named(self.classes_, best)

    def _query_scores(self, X: ArrayLike) -> Array:
        """Scores of checked queries: a tensor for a tensor, an array for anything else."""
        samples = self._check_queries(X)
        if self.device is None and not is_tensor(samples):
            return self._class_scores(samples)
        return on_device(self._class_scores, samples, self.device)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Classes are told apart by direction, not by position: of scikit-learn's test blobs in the
        # plane, two lie in nearly the same direction from the origin.
        tags.classifier_tags.poor_score = True
        return tags

    def _check_training(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Labels]:
        """Validated, scaled samples and labels 0 … n_classes−1; sets `classes_`."""
        samples, labels, _ = self._check_weighted_training(X, y, None)
        return self._scaled(samples), labels

    def _check_weighted_training(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Array, Labels, Array | None]:
        """Validated samples in C order, labels 0 … n_classes−1 and weights; sets `classes_`.

        Samples of no weight are left out, as if they had never been given.
        """
        X, y = from_device(X, self.device), from_device(y)
        samples, targets = validate_data(self, X, y, dtype=[np.float64, np.float32], order="C")
        check_classification_targets(targets)
        weights = None
        if sample_weight is not None:
            weights = from_device(sample_weight)
            weights = _check_sample_weight(weights, samples, dtype=np.float64)
            if weights.min() < 0:
                raise ValueError(
                    f"sample_weight holds the negative value {weights.min():g} at index "
                    f"{weights.argmin()}. Weights count samples and are zero or more."
                )
            kept = weights > 0
            samples, targets, weights = samples[kept], targets[kept], weights[kept]
        self.classes_, labels = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes, but y holds one "
                f"class only: {self.classes_.tolist()}."
            )
        if not self.normalize:
            check_spread(check_range(samples))
        return samples, labels, weights

    def _check_queries(self, X: ArrayLike) -> Array:
        """Validated queries in the form the model was trained on."""
        if not self.__sklearn_is_fitted__():  # scikit-learn's check takes a tenth of a query
            check_is_fitted(self)
        if is_tensor(X):
            return check_tensor(X, self.device, self.n_features_in_, self.normalize)
        if not self._is_plain(X):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], order="C")
        return self._scaled(X)  # type: ignore[arg-type]

    def _is_plain(self, X: ArrayLike) -> bool:
        """Whether X is a small array that needs no conversion and has no fault.

        scikit-learn's validation takes longer than a query; it is left to what is not plain.
        """
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_
            and 0 < X.size <= PLAIN_SIZE
            and X.dtype in (np.float64, np.float32)
            and X.flags.c_contiguous
            and not hasattr(self, "feature_names_in_")
            and bool(np.isfinite(X).all())
        )

    def _scaled(self, X: Array, out: Array | None = None) -> Array:
        return unit_rows(X, out) if self.normalize else check_range(X)

    def _scaled_in_place(self, X: Array) -> Array:
        return self._scaled(X, X)


def check_range(X: Array, advice: str = "Rescale X, or use normalize=True.") -> Array:
    """Refuse values whose squares leave the range of their type."""
    check_squares(max(X.max(initial=0.0), -X.min(initial=0.0)), X.dtype, advice)
    return X


def check_spread(X: Array) -> None:
    """Refuse samples so unlike in size that products of some are lost beside those of others."""
    norms = row_norms(X)
    norms = norms[norms > 0]
    if norms.size and norms.max() / SPREAD > norms.min():
        raise ValueError(
            f"The largest sample has norm {norms.max():.3g} and the smallest {norms.min():.3g}: "
            "beside the one, nothing is left of the other. Use normalize=True, or leave out the "
            "smallest."
        )


class ComparisonMethod(RepresentationClassifier, ABC):
    """A classifier whose result depends neither on the order of samples nor on names of classes.

    Samples are sorted by class and by content before they are learnt from; the classes come in an
    order that follows from their samples. All arithmetic is in float64.

    A method stores its parameters in `__init__`, declares them in `_parameter_constraints`, and
    writes `_learn` and `_scores`. `self.normalize` says whether samples are scaled to unit norm, in
    training and in prediction alike.
    """

    atom_labels_: NDArray[np.intp]

    @abstractmethod
    def _learn(self, X: Array, labels: Labels) -> None:
        """Learn from float64 samples and their classes 0 … C−1, in ascending order."""

    @abstractmethod
    def _scores(self, X: Array) -> Array:
        """Score of each class 0 … C−1 for each float64 query; the highest one wins."""

    def _fit(self, X: Array, labels: Labels) -> None:
        order = canonical(X, labels, len(self.classes_))
        copies = order.weights.astype(int)  # equal samples were joined, and stay as many
        self._class_order = order.classes
        samples = X[np.repeat(order.rows, copies)]
        self._learn(np.asarray(samples, np.float64), np.repeat(order.labels, copies))

    def _class_scores(self, X: Array) -> Array:
        return self._scores_anywhere(X)[:, np.argsort(self._class_order)]

    def _scores_anywhere(self, X: Array) -> Array:
        """`_scores` of an array, or of a tensor where it is."""
        if not is_tensor(X):
            return self._scores(np.asarray(X, np.float64))
        from crosslabel.core.gpu.moving import moved

        # Every fit makes a new `classes_`: a copy on the device is as old as that.
        return moved(self, X.device, self.classes_)._scores(X.double())

    def _name_atoms(self, layout: AtomLayout) -> None:
        """Set `atom_labels_`: the class of each atom as an index in `classes_`, −1 if shared."""
        own = layout.labels != SHARED
        self.atom_labels_ = np.where(own, self._class_order[layout.labels], SHARED)
