"""How well each rule does as one parameter varies: suppression, ridge or atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import BaseCrossValidator, validation_curve

from crosslabel.core.scaling import Array
from crosslabel.displays.canvas import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SYMBOLS = {
    "suppression": "suppression λ",
    "ridge": "ridge β",
    "grouping": "grouping γ",
    "atoms_per_class": "atoms of each class",
}


class RulesDisplay:
    """Accuracy against a parameter, a curve for each rule, with a band of one standard deviation.

    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_values, n_repeats)
        Accuracy by each rule; a single repeat has no band.
    param_name : str
    param_range : sequence of float
        Values of the parameter, finite or not.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : dict of str to matplotlib Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifier
    >>> from crosslabel.displays import RulesDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifier(ridge=0.1)
    >>> display = RulesDisplay.from_estimator(
    ...     model, X[::5], y[::5], param_name="atoms_per_class", param_range=[1, 5], cv=3
    ... )
    >>> bool((display.scores["local"][1] > display.scores["local"][0]).all())
    True
    """

    def __init__(
        self, scores: Mapping[str, Array], param_name: str, param_range: Sequence[float]
    ) -> None:
        self.scores = scores
        self.param_name = param_name
        self.param_range = param_range

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        *,
        param_name: str,
        param_range: Sequence[float],
        rules: Sequence[str] = ("global", "local"),
        cv: int | BaseCrossValidator = 5,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Cross-validate each rule at each value, and draw.

        Parameters
        ----------
        estimator : CrossLabelClassifier
            Not fitted: a copy is fitted for each rule, value and fold.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        param_name : str
            "suppression", "ridge", "atoms_per_class", or another parameter that is a number.
        param_range : sequence of float
        rules : sequence of str, default=("global", "local")
        cv : int or splitter, default=5
        n_jobs : int, default=None
        ax : matplotlib Axes, default=None

        Returns
        -------
        RulesDisplay
        """
        _check_varied(estimator, rules, param_name)
        _check_values(param_range)
        scores = {
            rule: validation_curve(
                clone(estimator).set_params(rule=rule), X, y,
                param_name=param_name, param_range=param_range, cv=cv, n_jobs=n_jobs,
                error_score="raise",
            )[1]
            for rule in rules
        }  # fmt: skip
        return cls(scores, param_name, param_range).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: Mapping[str, ArrayLike],
        *,
        param_name: str,
        param_range: Sequence[float],
        ax: Axes | None = None,
    ) -> Self:
        """Draw the accuracy of labels that are at hand.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        y_pred : mapping of str to array-like of shape (n_values, n_samples)
            Labels by each rule at each value.
        param_name : str
        param_range : sequence of float
        ax : matplotlib Axes, default=None

        Returns
        -------
        RulesDisplay
        """
        _check_values(param_range)
        if not isinstance(y_pred, Mapping) or not y_pred:
            raise TypeError("y_pred maps the name of each rule to its labels, one row a value.")
        wanted = (len(param_range), len(np.asarray(y_true)))
        scores = {rule: _accuracies(y_true, found, wanted) for rule, found in y_pred.items()}
        return cls(scores, param_name, param_range).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw; where values span more than a factor of 20 their axis is logarithmic.

        Parameters
        ----------
        ax : matplotlib Axes, default=None

        Returns
        -------
        self
        """
        self.ax_ = axes_or_new(ax, (6, 4))
        self.figure_ = self.ax_.figure
        values = np.asarray(self.param_range, dtype=float)
        places, is_log = _places(values)
        self.lines_ = {}
        for rule, scores in self.scores.items():
            mean, deviation = scores.mean(axis=1), scores.std(axis=1)
            (self.lines_[rule],) = self.ax_.plot(places, mean, marker="o", label=f"{rule} rule")
            if scores.shape[1] > 1:
                self.ax_.fill_between(places, mean - deviation, mean + deviation, alpha=0.2)
        if is_log:
            self.ax_.set_xscale("log")
        self._label_values(places, values, is_log)
        self.ax_.set(xlabel=SYMBOLS.get(self.param_name, self.param_name), ylabel="accuracy")
        self.ax_.legend()
        return self

    def _label_values(self, places: Array, values: Array, is_log: bool) -> None:
        """Few values have a tick each; an infinite one stands beside the last finite one."""
        if np.isinf(values).any() or (is_log and len(values) <= 8):
            shown = [f"{value:g}" if np.isfinite(value) else "∞" for value in values]
            self.ax_.set_xticks(places, shown)
            self.ax_.minorticks_off()


def _check_varied(estimator: object, rules: Sequence[str], param_name: str) -> None:
    """Refuse an estimator without a rule to set, and names that mean nothing to it."""
    known = estimator.get_params(deep=False) if isinstance(estimator, BaseEstimator) else {}
    if "rule" not in known:
        raise TypeError(
            f"{type(estimator).__name__} has no `rule` to vary: give a CrossLabelClassifier, which "
            "need not be fitted. Of other models give labels, to `from_predictions`."
        )
    if isinstance(rules, str) or not rules:
        raise ValueError(f"rules is a list of names, as ('global', 'local'), but it is {rules!r}.")
    if param_name not in known:
        raise ValueError(f"There is no parameter {param_name!r}: {', '.join(known)}.")


def _check_values(param_range: Sequence[float]) -> None:
    """Refuse values that have no place on an axis."""
    values = np.asarray(param_range)
    if values.ndim != 1 or not values.size or not np.issubdtype(values.dtype, np.number):
        raise ValueError(
            "param_range holds the numbers that stand on the axis, one at least, but it is "
            f"{param_range!r}."
        )


def _accuracies(y_true: ArrayLike, y_pred: ArrayLike, wanted: tuple[int, int]) -> Array:
    """Of each value, (n_values, 1)."""
    if np.shape(y_pred) != wanted:
        raise ValueError(
            f"Labels by a rule have a row for each value and a column for each sample, {wanted}, "
            f"but their shape is {np.shape(y_pred)}."
        )
    right: NDArray[np.bool_] = np.asarray(y_pred) == np.asarray(y_true)
    return right.mean(axis=1, keepdims=True)


def _places(values: Array) -> tuple[Array, bool]:
    """Where values stand on the axis, and whether it is logarithmic."""
    finite = values[np.isfinite(values)]
    is_log = bool(len(finite) and finite.min() > 0 and finite.max() / finite.min() > 20)
    beyond = 1.0 if not len(finite) else finite.max() * (10 if is_log else 1.2)
    return np.where(np.isfinite(values), values, beyond), is_log
