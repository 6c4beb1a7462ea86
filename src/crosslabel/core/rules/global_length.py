"""Global coding whose residuals are compared over the length of each class's part of the code."""

from __future__ import annotations

from crosslabel.core.backend import namespace
from crosslabel.core.rules.global_rule import GlobalRule
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.scaling import Array


class GlobalLengthRule(GlobalRule):
    """argmin over c of ‖y − x_S D_S‖² / ‖x_S‖₂: unlike ‖x_S‖₁, blind to a rotation of the atoms."""

    cost = "residual² / length of coefficients"

    @staticmethod
    def _replace_by_terms(x: Array) -> None:
        x *= x

    @staticmethod
    def _masses(sums: Array) -> Array:
        return namespace(sums).sqrt(sums)

    def _onnx_term(self, graph: GraphBuilder, x: str) -> str:
        return graph.node("Mul", x, x)

    def _onnx_masses(self, graph: GraphBuilder, sums: str) -> str:
        return graph.node("Sqrt", sums)
