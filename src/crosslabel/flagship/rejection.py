"""Queries of no known class: refusing to label them."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, _safe_indexing, check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.intake.labels import ClassLabels
from crosslabel.site import on_site


@on_site
class RejectingClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier that refuses to label what is of no known class.

    Queries whose `novelty_score` reaches a threshold get `reject_label`. The threshold is set for a
    wanted rate of false accepts by cross-validation on the training samples: groups of classes are
    left out in turn, and their samples are what an unknown class looks like.

    Parameters
    ----------
    estimator : estimator
        A classifier with `novelty_score`: `CrossLabelClassifier` or `CrossLabelClassifierCV`. As
        the last step of a pipeline, put this class around the last step, not around the pipeline.
    false_accept_rate : float, default=0.05
        Share of queries of unknown classes that may get the label of a known one.
    threshold : {"auto"} or float, default="auto"
        The novelty from which on queries are rejected; "auto" sets it by cross-validation, which
        needs at least three classes.
    reject_label : int, float, str or None, default=None
        The label of a rejected query; None for "unknown" where the labels are strings, and for -1,
        or one less than the lowest label where that is negative, where they are numbers.
    cv : int, default=5
        Number of groups of classes; no more than there are classes.
    random_state : int, RandomState instance or None, default=None
        Draws the groups.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all samples.
    threshold_ : float
    false_reject_rate_ : float
        Share of held-out samples of known classes that the threshold rejects; NaN where it is
        given.
    unknown_scores_, known_scores_ : ndarray
        Novelty of the samples of classes left out, and of samples left out of known classes: what
        the threshold was chosen from.
    reject_label_ : int, float or str
    classes_ : ndarray of shape (n_classes,)
        The known classes; `reject_label_` is none of them.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifier, RejectingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> known = y < 8
    >>> model = RejectingClassifier(CrossLabelClassifier(random_state=0), random_state=0)
    >>> model = model.fit(X[known], y[known])
    >>> bool((model.predict(X[~known]) == -1).mean() > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "estimator": [HasMethods(["fit", "predict", "novelty_score"])],
        "false_accept_rate": [Interval(Real, 0, 1, closed="both")],
        "threshold": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "reject_label": [None, str, Real],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        false_accept_rate: float = 0.05,
        threshold: Literal["auto"] | float = "auto",
        reject_label: str | float | None = None,
        cv: int = 5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.false_accept_rate = false_accept_rate
        self.threshold = threshold
        self.reject_label = reject_label
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the estimator, and set the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._validate_params()
        # First: it checks the samples, and says what is wrong with them.
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        self.reject_label_ = self._checked_label()
        self.unknown_scores_ = self.known_scores_ = np.empty(0)
        if self.threshold == "auto":
            self._collect_scores(X, np.asarray(y).ravel())
            self.threshold_ = threshold_for(self.unknown_scores_, self.false_accept_rate)
        else:
            self.threshold_ = float(self.threshold)
        rejected = self.known_scores_ >= self.threshold_
        self.false_reject_rate_ = float(rejected.mean()) if rejected.size else float("nan")
        return self

    def _collect_scores(self, X: ArrayLike, y: ClassLabels) -> None:
        """Novelty of samples by models that know neither them nor, for some, their classes."""
        if len(self.classes_) < 3:
            raise ValueError(
                "RejectingClassifier leaves classes out in turn, and at least two must stay: it "
                f"needs three classes, but y holds {len(self.classes_)}. Give threshold=0.5 or so."
            )
        labels = np.searchsorted(self.classes_, y)

        def without(rows: Labels) -> Array:
            rest = np.setdiff1d(np.arange(len(labels)), rows)
            model = clone(self.estimator).fit(_safe_indexing(X, rest), y[rest])
            return model.novelty_score(_safe_indexing(X, rows))

        # Apart: without samples of the known classes too, strangers would seem stranger than they
        # are to the model of all samples, and too many would be let in.
        unknown, known = zip(*self._splits(labels))
        self.unknown_scores_ = np.concatenate([without(rows) for rows in unknown])
        self.known_scores_ = np.concatenate(
            [np.empty(0), *(without(rows) for rows in known if rows.size)]
        )

    def _splits(self, labels: Labels) -> Iterator[tuple[Labels, Labels]]:
        """Samples of whole classes, and some of every class, to be left out in turn."""
        rng = check_random_state(self.random_state)
        n_classes = len(self.classes_)
        # Of three classes only one can be left out.
        n_folds = n_classes if n_classes == 3 else min(self.cv, n_classes)
        group = rng.permutation(n_classes) % n_folds
        fold = np.full(len(labels), -1)
        for label in range(n_classes):
            rows = np.flatnonzero(labels == label)
            if len(rows) > 1:  # a class's only sample stays, so that the class is known
                fold[rows] = rng.permutation(len(rows)) % n_folds
        for k in range(n_folds):
            yield np.flatnonzero(group[labels] == k), np.flatnonzero(fold == k)

    def _checked_label(self) -> str | float:
        text = all(isinstance(label, str) for label in self.classes_.tolist())
        label = self.reject_label
        if label is None:
            label = "unknown" if text else min(-1, int(np.floor(self.classes_.min())) - 1)
        if isinstance(label, str) != text:
            raise ValueError(
                f"reject_label {label!r} is not of the kind of the labels, such as "
                f"{self.classes_.tolist()[0]!r}."
            )
        if label in self.classes_.tolist():
            raise ValueError(f"reject_label {label!r} is one of the classes; choose another one.")
        _common_type(self.classes_, label)
        return label

    def novelty_score(self, X: ArrayLike) -> Array:
        """How far each query is from every class, as the estimator says, (n_queries,).

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        """
        check_is_fitted(self)
        return self.estimator_.novelty_score(X)

    def predict(self, X: ArrayLike) -> ClassLabels:
        """Label of each query, or `reject_label_`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        labels = self.estimator_.predict(X)
        rejected = self.estimator_.novelty_score(X) >= self.threshold_
        found = np.asarray(labels).astype(_common_type(self.classes_, self.reject_label_))
        found[rejected] = self.reject_label_
        return found

    @property
    def n_features_in_(self) -> int:
        """Number of features seen in `fit`."""
        try:
            return int(self.estimator_.n_features_in_)
        except AttributeError:
            raise AttributeError("RejectingClassifier is not fitted yet.") from None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags


def _common_type(classes: ClassLabels, label: str | float) -> np.dtype:
    """The type that holds every class and the label of rejected queries, exactly."""
    if isinstance(label, str):
        if classes.dtype.kind == "O":
            return classes.dtype
        return np.result_type(classes.dtype, np.asarray(label).dtype)
    found = np.result_type(classes.dtype, np.min_scalar_type(label))
    if found.kind == "f" and classes.dtype.kind in "biu" and float(label).is_integer():
        found = np.dtype(np.int64)  # of unsigned labels and a negative one
    back = classes.astype(found)
    exact = back.astype(classes.dtype) == classes
    if not exact.all() or (found.kind == "i" and back.min() < 0 <= int(classes.min())):
        raise ValueError(
            f"No type of NumPy holds both the classes, up to {classes.max()}, and the reject_label "
            f"{label!r}. Give a reject_label that is not negative."
        )
    return found


def threshold_for(unknown_scores: Array, false_accept_rate: float) -> float:
    """The highest novelty below which at most this share of the scores of unknowns lies."""
    ordered = np.sort(unknown_scores)
    allowed = int(np.floor(false_accept_rate * len(ordered) + 1e-9))  # 0.05 · 20 is one
    return float(ordered[allowed]) if allowed < len(ordered) else float("inf")
