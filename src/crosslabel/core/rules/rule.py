"""What every rule brings: scores, the reason for them, and the same scores as an ONNX graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules.explanation import Share
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.scaling import Array


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

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        self.atoms = RuleAtoms(dictionary, layout, ridge)

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
