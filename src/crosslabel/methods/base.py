"""The base of the comparison methods: checked samples in, scores and labels out.

A method derives from `ComparisonMethod` and writes two functions, `_learn(X, labels)` and
`_scores(X)`. It may import `crosslabel.core`, `crosslabel.intake` and scikit-learn, and no other
method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.atoms import SHARED, AtomLayout
from crosslabel.core.backend import ArrayOrTensor, is_tensor, named
from crosslabel.core.moments import Labels
from crosslabel.core.ordering import canonical
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.intake.checking import (
    check_range,
    check_spread,
    check_training,
    finite_scores,
    is_plain,
    validate_rows,
)
from crosslabel.intake.devices import check_tensor, on_device
from crosslabel.methods.parameters import YES_OR_NO, AtomCounts, Constraints
from crosslabel.methods.stored import check_learnt
from crosslabel.site import on_site

ADVICE = "Rescale X, or use normalize=True."


@on_site
class ComparisonMethod(ClassifierMixin, BaseEstimator, ABC):
    """A classifier whose result depends neither on the order of samples nor on names of classes.

    Samples are sorted by class and by content before they are learnt from; the classes come in an
    order that follows from their samples. All arithmetic is in float64.

    A method stores its parameters in `__init__`, declares them in `_parameter_constraints`, and
    writes `_learn` and `_scores`. `self.normalize` says whether samples are scaled to unit norm, in
    training and in prediction alike.
    """

    _parameter_constraints: ClassVar[Constraints] = {"normalize": YES_OR_NO}

    _following: ClassVar[tuple[str, ...]] = ("_gram",)
    """What follows from other attributes: prepared when it is first asked for, not stored, and not
    believed where a file of an earlier version holds it."""

    normalize: bool
    device: str | None = None  # where to predict; a parameter of the methods that have a choice
    classes_: NDArray[np.generic]
    dictionary_: Array
    atom_labels_: Labels
    n_features_in_: int

    @abstractmethod
    def _learn(self, X: Array, labels: Labels) -> None:
        """Learn from float64 samples and their classes 0 … C−1, in ascending order."""

    @abstractmethod
    def _scores(self, X: Array) -> Array:
        """Score of each class 0 … C−1 for each float64 query; the highest one wins."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from labelled samples; a model that cannot is left as it was.

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
        before = dict(vars(self))
        try:
            self._fit(X, y)
        except BaseException:
            self.__dict__ = before
            raise
        return self

    def _fit(self, X: ArrayLike, y: ArrayLike) -> None:
        given = check_training(self, X, y, device=self.device)
        samples = self._scaled(given.X)
        if not self.normalize:
            check_spread(samples)
        order = canonical(samples, given.labels, len(given.classes))
        self.classes_, self._class_order = given.classes, order.classes
        self._drop_following()  # of an earlier dictionary
        copies = order.weights.astype(int)  # equal samples were joined, and stay as many
        sorted_samples = np.asarray(samples[np.repeat(order.rows, copies)], np.float64)
        self._learn(sorted_samples, np.repeat(order.labels, copies))
        # One query prepares what queries share: prediction then changes no attribute.
        self._scores(sorted_samples[:1])

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
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
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

    def _check_queries(self, X: ArrayLike) -> Array:
        """Valid queries, scaled as the training samples were."""
        if not self.__sklearn_is_fitted__():  # scikit-learn's check takes a tenth of a query
            check_is_fitted(self)
        if is_tensor(X):
            return check_tensor(X, self.device, self.n_features_in_, self.normalize)
        if not is_plain(X, self.n_features_in_, getattr(self, "feature_names_in_", None)):
            X = validate_rows(self, X, reset=False)
        return self._scaled(np.asarray(X))

    def _scaled(self, X: Array) -> Array:
        return unit_rows(X) if self.normalize else check_range(X, ADVICE)

    def _class_scores(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """Scores in the order of `classes_`, of an array, or of a tensor where it is."""
        order = np.argsort(self._class_order)
        if not is_tensor(X):
            return finite_scores(self._scores(np.asarray(X, np.float64))[:, order])
        from crosslabel.core.gpu.moving import moved

        # Every fit makes a new `classes_`: a copy on the device is as old as that.
        return moved(self, X.device, self.classes_)._scores(X.double())[:, order]

    def _atom_counts(self, atoms_per_class: AtomCounts) -> int | Labels:
        """Atoms of each class 0 … C−1 from those of the classes in the order of `classes_`."""
        if isinstance(atoms_per_class, Integral):
            return int(atoms_per_class)
        counts = np.asarray(atoms_per_class)
        if counts.shape != self.classes_.shape or counts.dtype.kind not in "iu" or counts.min() < 1:
            raise ValueError(
                f"atoms_per_class is {atoms_per_class}, and there are {len(self.classes_)} "
                "classes: give one whole number of at least 1 for all of them, or one for each."
            )
        return counts[self._class_order]

    def _name_atoms(self, layout: AtomLayout) -> None:
        """Set `atom_labels_`: the class of each atom as an index in `classes_`, −1 if shared."""
        own = layout.labels != SHARED
        self.atom_labels_ = np.where(own, self._class_order[layout.labels], SHARED)

    @cached_property
    def _gram(self) -> Array:
        """DDᵀ, computed when it is first asked for: once, not for every query."""
        return self.dictionary_ @ self.dictionary_.T

    def __getstate__(self) -> dict[str, Any]:
        """All attributes but what follows from them: files stay small and cannot contradict."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._following}

    def check_stored(self) -> None:
        """Refuse what was not learnt, where the attributes come from a file."""
        self._drop_following()
        check_learnt(self.__dict__)

    def _drop_following(self) -> None:
        for name in self._following:
            self.__dict__.pop(name, None)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Classes are told apart by direction, not by position: of scikit-learn's test blobs in the
        # plane, two lie in nearly the same direction from the origin.
        tags.classifier_tags.poor_score = True
        return tags
