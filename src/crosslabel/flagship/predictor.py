"""What a trained flagship does: label, score, code and explain queries, all from its `Fitted`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    TransformerMixin,
)
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from crosslabel.core.backend import ArrayOrTensor, is_tensor, like, named
from crosslabel.core.scaling import Array
from crosslabel.flagship.explanation import Explanation, explained
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.novelty import novelty
from crosslabel.flagship.plausible import check_fitted, check_summary
from crosslabel.flagship.precision import in_precision
from crosslabel.flagship.top import Top, top_of
from crosslabel.intake.checking import (
    DASK,
    finite_scores,
    in_parts,
    is_plain,
    package_of,
    validate_rows,
)
from crosslabel.intake.class_weights import ClassWeight, raises
from crosslabel.intake.devices import on_device, tensor_queries
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.partitions import lazily
from crosslabel.intake.summary import Summary
from crosslabel.site import on_site

Method = TypeVar("Method", bound=Callable[..., Any])

DENSE_VALUES = 2**24
"""Of sparse queries, at most this many values are dense at a time."""

JOINT = "joint"
"""Name of what decides where more than one rule has a say."""


def learnt(read: Callable[[Fitted], object], meaning: str) -> property:
    """An attribute that is there once the model is fitted, read from its `Fitted`."""

    def value(self: Predictor) -> object:
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return read(fitted)

    return property(value, doc=meaning)


def over_partitions(method: Method) -> Method:
    """Let a method of one argument, the samples, take Dask collections too, lazily."""

    @wraps(method)
    def either(self: object, X: Any) -> object:
        return lazily(method, self, X) if package_of(X) in DASK else method(self, X)

    return either  # type: ignore[return-value]


@on_site
class Predictor(TransformerMixin, ClassifierMixin, BaseEstimator):
    """An estimator whose predictions come from one value, `_fitted`."""

    _fitted: Fitted
    class_weight: ClassWeight
    device: str | None
    random_state: int | np.random.RandomState | None
    n_features_in_: int

    classes_ = learnt(lambda fitted: fitted.classes, "Labels of the classes.")
    fitted_ = learnt(lambda fitted: fitted, "All that was learnt, as one value.")
    dictionary_ = learnt(lambda fitted: fitted.view.dictionary, "Unit-norm atoms, one per row.")
    atom_labels_ = learnt(
        lambda fitted: fitted.view.layout.labels, "Class of each atom as an index in `classes_`."
    )
    objective_trace_ = learnt(lambda fitted: fitted.trace, "Objective after each iteration.")
    n_iter_ = learnt(lambda fitted: len(fitted.trace), "Number of iterations.")
    unused_atoms_ = learnt(lambda fitted: fitted.unused, "Atoms that no training code uses.")
    rule_ = learnt(lambda fitted: JOINT if fitted.is_joint else fitted.view.rule, "What decides.")
    rule_scores_ = learnt(lambda fitted: fitted.rule_scores, "Held-out accuracy of each rule.")
    temperature_ = learnt(lambda fitted: fitted.view.share, "Scale of the probabilities.")

    @over_partitions
    def predict(self, X: ArrayLike) -> ClassLabels:
        """Label of each query.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        scores = self.on_queries(X, Fitted.scores)
        return named(self._fitted.classes, scores.argmax(axis=1))

    @over_partitions
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
        return self.on_queries(X, Fitted.decisions)

    @over_partitions
    def predict_proba(self, X: ArrayLike) -> Array:
        """Probability of each class, calibrated on held-out training samples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        return self.on_queries(X, Fitted.probabilities)

    def predict_topk(self, X: ArrayLike, k: int = 5) -> Top:
        """The k best classes of each query, exactly, the best first.

        Scores are held for some queries at a time only, whatever the number of classes.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        k : int, default=5

        Returns
        -------
        Top
            Of `labels`, `scores` and `probabilities`, each of shape (n_queries, k).
        """
        check_is_fitted(self)
        return top_of(self, X, k)

    @over_partitions
    def novelty_score(self, X: ArrayLike) -> Array:
        """How far each query is from every class: near 0 for a known class, near 1 for none.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
            `RejectingClassifier` finds from where on to refuse a label.
        """
        return self.on_queries(X, novelty)

    def explain(self, X: ArrayLike, names: Sequence[str] | None = None) -> list[Explanation]:
        """Why each query gets its label.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        names : sequence of str, default=None
            How the classes are called, in the order of `classes_`; None for the labels themselves.

        Returns
        -------
        list of Explanation
        """
        queries = self.check_queries(X)
        called = [str(label) for label in self.classes_] if names is None else names
        return explained(self._fitted, str(self.rule_), queries, called)

    @over_partitions
    def transform(self, X: ArrayLike) -> Array:
        """Ridge codes over all atoms: x = yDᵀ(DDᵀ + βI)⁻¹.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_atoms)
        """
        return self.on_queries(X, Fitted.codes)

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Samples, as the dictionary sees them, that codes stand for: codes times the dictionary.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_atoms)

        Returns
        -------
        ndarray of shape (n_queries, n_features)
        """
        check_is_fitted(self)
        codes: ArrayOrTensor = X
        if not is_tensor(X):
            codes = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if codes.shape[1] != len(self.dictionary_):
            raise ValueError(
                f"X has {codes.shape[1]} codes per row, but the dictionary has "
                f"{len(self.dictionary_)} atoms."
            )
        return codes @ like(self.dictionary_, codes)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each atom: of the model, its class, and its number within the class.

        Parameters
        ----------
        input_features : ignored
            There by scikit-learn's convention.

        Returns
        -------
        ndarray of str of shape (n_atoms,)
            As "crosslabelclassifier_cat_0"; "crosslabelclassifier_shared0" for a shared atom.
        """
        check_is_fitted(self)
        prefix, layout = type(self).__name__.lower(), self._fitted.view.layout
        names = [f"{prefix}_shared{k}" for k in range(layout.shared)]
        for label, size in zip(self._fitted.classes, layout.per_class):
            names += [f"{prefix}_{label}_{k}" for k in range(size)]
        return np.array(names, dtype=object)

    def astype(self, dtype: str) -> Self:
        """A copy that predicts in another precision; it has no summary to learn on from.

        Parameters
        ----------
        dtype : {"float64", "float32", "bfloat16"}
            "bfloat16" asks in float32, and keeps what the rule multiplies queries with in bfloat16.

        Returns
        -------
        model
        """
        check_is_fitted(self)
        twin = self._bare()
        return twin._adopt(twin, None, in_precision(self._fitted, dtype))

    def check_queries(self, X: ArrayLike) -> ArrayOrTensor:
        """Valid queries as they are: an array, or a tensor where it is one."""
        if "_fitted" not in self.__dict__:  # scikit-learn's check takes a tenth of a query
            check_is_fitted(self)
        if is_tensor(X):
            return tensor_queries(X, self.device, self.n_features_in_)
        if is_plain(X, self.n_features_in_, self.__dict__.get("feature_names_in_")):
            return X
        return validate_rows(self, X, reset=False)

    def on_queries(
        self, X: ArrayLike, compute: Callable[[Fitted, ArrayOrTensor], ArrayOrTensor]
    ) -> ArrayOrTensor:
        """A function of the model and valid queries: on their device, or on the model's.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        compute : callable
            From what was learnt and queries to an array or a tensor.

        Returns
        -------
        ndarray or tensor
        """
        if issparse(X) and (several := in_parts(X, DENSE_VALUES)):
            return np.concatenate([self.on_queries(part, compute) for part in several])
        queries = self.check_queries(X)
        fitted = self._fitted
        if self.device is None and not is_tensor(queries):
            return finite_scores(compute(fitted, queries))
        return on_device(lambda rows: like(compute(fitted, rows), rows), queries, self.device)

    def _adopt(
        self, checked: BaseEstimator, summary: Summary | None, fitted: Fitted | None
    ) -> Self:
        """Take over what samples were checked for, a summary and the model learnt from it at once.

        A fit that fails on the way leaves all of the old model.
        """
        names = ("n_features_in_", "feature_names_in_")
        values = {name: checked.__dict__.get(name) for name in names}
        values |= {"_summary": summary, "_fitted": fitted}
        new = {**self.__dict__, **values}
        self.__dict__ = {
            name: value for name, value in new.items() if name not in values or value is not None
        }
        return self

    def _bare(self) -> Self:
        """A copy that may be checked against samples before the model itself changes."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def _raised(self, fitted: Fitted) -> Fitted:
        """A model that decides by what errors cost."""
        if self.class_weight is None:
            return fitted
        return fitted.raised(raises(self.class_weight, fitted.classes))

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def check_stored(self) -> None:
        """Refuse what was not learnt, where the attributes come from a file."""
        if "_fitted" in self.__dict__:
            check_fitted(self._fitted, self.n_features_in_)
        if "_summary" in self.__dict__:
            check_summary(self.__dict__["_summary"])

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Classes are told apart by direction, not by position: of scikit-learn's test blobs in the
        # plane, two lie in nearly the same direction from the origin.
        tags.classifier_tags.poor_score = True
        return tags
