"""What making the object of a model file would take, counted from its tree before it is made."""

from __future__ import annotations

from crosslabel.files.budget import budget
from crosslabel.files.container import ModelFileError
from crosslabel.files.schema import Node, children

DEPTH = 64
"""Levels of a tree. A pipeline of our features has about ten."""


def weigh(root: Node) -> int:
    """Count the objects that a tree stands for, each as often as it is met.

    A node that bears the identity of another one stands for the same object: in a file it takes a
    few bytes, but whoever walks through the object meets all that is in it again.

    Parameters
    ----------
    root : dict

    Returns
    -------
    int

    Raises
    ------
    OverBudget
        If these are more than the rows of the budget.
    """
    limits, counts = budget(), dict[int, int]()

    def count(node: Node, depth: int) -> int:
        identity = node.get("__id__")
        if identity in counts:
            return counts[identity]
        if depth > DEPTH:
            raise ModelFileError(f"it is nested deeper than {DEPTH} levels")
        if node["__loader__"] == "JsonNode":  # most nodes: numbers and words
            return 1
        found = 1
        for _, child in children(node):
            found += count(child, depth + 1)
        if found > limits.rows:
            limits.check("rows", found, "What it holds")
        if identity is not None:
            counts[identity] = found
        return found

    return count(root, 0)
