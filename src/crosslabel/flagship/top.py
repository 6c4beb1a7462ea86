"""The best few classes of each query, where a score of every class for every query is too much."""

from __future__ import annotations

import copy
from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from crosslabel.core.backend import ArrayOrTensor, is_tensor, named, namespace
from crosslabel.core.top import best
from crosslabel.flagship.fitted import Fitted
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.partitions import is_dask, is_frame, lazily

VALUES = 2**23
"""Scores that are held at a time: so many queries are asked together that theirs are no more."""

THERE = 2**4
"""Times as many on a device: the dictionary is read once for all of them."""


class Top(NamedTuple):
    """The best classes of each query, the best first; all of shape (n_queries, k).

    Attributes
    ----------
    labels : ndarray
    scores : ndarray
        What the classes were ranked by; of equal ones the first class comes first.
    probabilities : ndarray
        Those of `predict_proba`: the classes that are not among the best have their share too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from crosslabel import CrossLabelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossLabelClassifier(atoms_per_class=2, rule="local", ridge=0.1).fit(X, y)
    >>> best = model.predict_topk(X[[0, 149]], k=2)
    >>> best.labels.tolist()
    [[0, 1], [2, 1]]
    >>> bool((best.scores[:, 0] > best.scores[:, 1]).all()), best.probabilities.shape
    (True, (2, 2))
    """

    labels: ArrayOrTensor
    scores: ArrayOrTensor
    probabilities: ArrayOrTensor


class Asked(Protocol):
    """What is asked here of a model."""

    @property
    def fitted_(self) -> Fitted:
        """All that was learnt."""
        ...

    def on_queries(
        self, X: ArrayLike, compute: Callable[[Fitted, ArrayOrTensor], ArrayOrTensor]
    ) -> ArrayOrTensor:
        """A function of the model and valid queries."""
        ...


def top_of(model: Asked, X: ArrayLike, k: int) -> Top:
    """`predict_topk` of a fitted model."""
    classes, dtype = model.fitted_.classes, model.fitted_.view.dictionary.dtype
    if not isinstance(k, Integral) or not 1 <= k <= len(classes):
        raise ValueError(
            f"k is {k!r}, but the model knows {len(classes)} classes. Ask for a whole number of "
            f"them, from 1 to {len(classes)}."
        )
    asking = _Asking(model, int(k))
    rows = lazily(_Asking.rows, asking, X) if is_dask(X) else asking.rows(X)
    if is_dask(X):
        return _lazy(rows, int(k), classes, dtype, is_frame(X))
    places, scores, chances = rows[:, :k], rows[:, k : 2 * k], rows[:, 2 * k :]
    xp = namespace(rows)
    kind = getattr(xp, dtype.name)
    if xp is np:
        return Top(classes[places.astype(np.intp)], scores.astype(kind), chances.astype(kind))
    return Top(named(classes, places.long()), scores.to(kind), chances.to(kind))


class _Asking:
    """A model and a number: what travels to where the queries lie."""

    def __init__(self, model: Asked, k: int) -> None:
        self.model, self.k = copy.copy(model), k
        # What training kept is of no use there.
        self.model.__dict__.pop("_summary", None)

    def rows(self, X: ArrayLike) -> ArrayOrTensor:
        """Places, scores and probabilities side by side in float64, which holds each of them."""
        return self.model.on_queries(X, self._best)

    def _best(self, fitted: Fitted, X: ArrayOrTensor) -> ArrayOrTensor:
        most = VALUES * (THERE if is_tensor(X) else 1)
        step = max(1, most // len(fitted.classes))
        parts = [best_of(fitted, X[a : a + step], self.k) for a in range(0, len(X), step)]
        return namespace(X).concatenate(parts)


def best_of(fitted: Fitted, X: ArrayOrTensor, k: int) -> ArrayOrTensor:
    """Places, scores and probabilities of the k best classes of a few queries, (n_queries, 3k)."""
    scores = fitted.scores(X)
    places, values = best(scores, k)
    logits = fitted.logits(scores)
    xp, rows = namespace(logits), namespace(logits).arange(len(places))[:, None]
    logits = logits - xp.amax(logits, axis=1, keepdims=True)
    chances = xp.exp(logits, out=logits)
    shares = chances[rows, places] / chances.sum(axis=1)[:, None]
    # The type of the shares, float64, becomes that of all.
    return xp.concatenate([places + 0 * shares, values + 0 * shares, shares], axis=1)


def _lazy(rows: ArrayOrTensor, k: int, classes: ClassLabels, dtype: np.dtype, framed: bool) -> Top:
    """The three as Dask collections, of the type that the queries have."""
    parts = [list(range(a, a + k)) for a in (0, k, 2 * k)]
    places, scores, chances = (rows[columns] if framed else rows[:, columns] for columns in parts)
    if framed:
        labels = places.map_partitions(_labelled, classes)
    else:
        labels = places.map_blocks(
            lambda block: classes[block.astype(np.intp)], dtype=classes.dtype
        )
    return Top(labels, scores.astype(dtype), chances.astype(dtype))


def _labelled(places: ArrayOrTensor, classes: ClassLabels) -> ArrayOrTensor:
    """A frame of places as one of labels."""
    return type(places)(classes[places.to_numpy(np.intp)], places.index, places.columns)
