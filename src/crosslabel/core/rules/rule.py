"""What every rule brings: scores, the reason for them, and the same scores as an ONNX graph.

And what rules share: queries in blocks that stay in cache, classes of one size in blocks, and what
their scores say of a query.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple, Self

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import ArrayOrTensor, beside, is_tensor, namespace, threads_for, zeros
from crosslabel.core.half import HalfMatrix
from crosslabel.core.rules.explanation import Share
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.scaling import Array

BLOCK = 2**19
"""Values of codes handled at a time: few enough to stay in cache between the steps of a rule."""

CLASS_BLOCK = 2**22
"""Values of atoms that a rule is prepared from at a time: what it takes beside its own arrays."""

SMALLEST_SHARE = 1e-9
"""Of the largest residual, what the smallest counts for at least: a residual of zero would be
infinitely better than any other, and one query could say no end."""


class RuleAtoms(NamedTuple):
    """What a rule is made from: the atoms, which class each belongs to, and β."""

    dictionary: Array
    layout: AtomLayout
    ridge: float


class Rule(ABC):
    """Scores of each class for queries, from what was learnt; the highest score wins.

    A rule prepares in `__init__` what depends on the dictionary alone: a query then costs little.
    Arrays that are attributes of their own go to the device of the queries; `atoms` stays.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    ridge : float
        β.
    """

    cost: ClassVar[str]
    """What the rule compares, in words: a score is minus this."""
    takes_tensors: ClassVar[bool] = False
    """Whether `__init__` prepares a dictionary that is a tensor, where that lies."""
    halves: ClassVar[bool] = False
    """Whether there is a form with `projection` in bfloat16."""
    projection: ArrayOrTensor
    """What queries are multiplied with, where the rule has such a matrix."""

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        self.atoms = RuleAtoms(dictionary, layout, ridge)

    def halved(self) -> Self:
        """The rule with what queries are multiplied with kept in bfloat16."""
        twin = copy.copy(self)
        twin.projection = HalfMatrix(self.projection)
        return twin

    @abstractmethod
    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes): at most zero.

        Y is an array, or a tensor beside the rule's arrays.
        """

    @classmethod
    def scores_once(cls, Y: Array, dictionary: Array, layout: AtomLayout, ridge: float) -> Array:
        """The scores of a few queries, where no others follow.

        A rule that prepares more than so few queries are worth says here how to do without.
        """
        return cls(dictionary, layout, ridge).scores(Y)

    @abstractmethod
    def explanation(self, query: Array) -> list[Share]:
        """How each class accounts for one query of shape (n_features,), in the order of classes."""

    @abstractmethod
    def onnx_scores(self, graph: GraphBuilder, rows: str) -> str:
        """Add nodes that score rows as `scores` does, in double precision; the result's name."""


class ClassBlock(NamedTuple):
    """Classes that follow one another: which, where their atoms lie, and of which size each is."""

    classes: slice
    atoms: slice
    sizes: tuple[int, ...]

    def padded(self, rows: Array, size: int) -> Array:
        """Their atoms as (n_classes, size, n_features), with zeros after those of small classes."""
        shape = (len(self.sizes), size, rows.shape[1])
        if min(self.sizes) == size:
            return rows.reshape(shape)
        wide = zeros(shape, rows)
        wide[beside(np.arange(size) < np.array(self.sizes)[:, None], rows)] = rows
        return wide


def class_blocks(layout: AtomLayout, n_features: int) -> Iterator[ClassBlock]:
    """All classes in turn, so many at a time that their atoms take little memory."""
    step = max(1, CLASS_BLOCK // max(1, max(layout.per_class) * n_features))
    for first in range(0, layout.n_classes, step):
        last = min(first + step, layout.n_classes)
        atoms = slice(int(layout.starts[first]), int(layout.starts[last]))
        yield ClassBlock(slice(first, last), atoms, layout.per_class[first:last])


def in_blocks(score: Callable[[Array], Array], Y: Array, width: int, n_classes: int) -> Array:
    """Apply a rule to so many queries at a time that the arrays between stay in cache.

    Parameters
    ----------
    score : callable
        From queries (n, n_features) to scores (n, n_classes).
    Y : ndarray of shape (n_queries, n_features)
    width : int
        Values that the rule computes for one query.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_queries, n_classes)
    """
    if is_tensor(Y):  # a device has no use for small batches; its caller knows what fits
        return score(Y)
    step = max(64, BLOCK // width)
    with threads_for(2.0 * Y.size * width):
        if len(Y) <= step:
            return score(Y)
        scores = np.empty((len(Y), n_classes), Y.dtype)
        for start in range(0, len(Y), step):
            scores[start : start + step] = score(Y[start : start + step])
    return scores


def evidence(scores: ArrayOrTensor) -> ArrayOrTensor:
    """log of the best class's residual over each class's: 0 for the best, negative for others.

    Scores of the rules are negated residuals, whose scale differs between queries; their ratios
    within a query do not depend on it.
    """
    xp = namespace(scores)
    residuals = -(scores.double() if is_tensor(scores) else np.asarray(scores, np.float64))
    best, worst = (pick(residuals, axis=1, keepdims=True) for pick in (xp.amin, xp.amax))
    floor = xp.clip(SMALLEST_SHARE * worst, np.finfo(float).tiny, None)
    return -xp.log(xp.maximum(residuals, floor) / xp.maximum(best, floor))
