"""What a rule may ask of a graph that it writes itself into.

`crosslabel.files.onnx.graph.Graph` is the one that makes ONNX; the core knows it by this alone.
Values are known by their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from numpy.typing import ArrayLike

from crosslabel.core.scaling import Array


class GraphBuilder(Protocol):
    """A graph in the making: each call adds what it names and returns the name of the result."""

    def node(self, operator: str, *inputs: str) -> str:
        """An operator of ONNX applied to values."""

    def number(self, values: ArrayLike) -> str:
        """A constant in double precision."""

    def product(self, rows: str, matrix: Array) -> str:
        """Rows times a constant matrix."""

    def split(self, values: str, sizes: Sequence[int]) -> list[str]:
        """Parts of a matrix's columns."""

    def added(self, terms: Iterable[str]) -> str:
        """The sum of values."""

    def row_sums(self, values: str, *, keepdims: bool) -> str:
        """Sums along the last axis."""

    def row_energies(self, values: str) -> str:
        """‖row‖² as a column."""

    def class_sums(self, values: str, shape: tuple[int, int]) -> str:
        """Sums over the columns of each class: (n, classes · size) to (n, classes)."""
