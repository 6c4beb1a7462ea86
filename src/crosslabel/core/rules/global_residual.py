"""Global coding whose residuals are compared as they are."""

from __future__ import annotations

from crosslabel.core.backend import namespace
from crosslabel.core.rules.global_rule import GlobalRule
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.scaling import Array


class GlobalResidualRule(GlobalRule):
    """argmin over c of ‖y − x_S D_S‖², with x the ridge code of y over all atoms."""

    cost = "residual²"

    @staticmethod
    def _masses(sums: Array) -> Array:
        return namespace(sums).ones_like(sums)

    def _onnx_masses(self, graph: GraphBuilder, sums: str) -> str:
        return graph.node("Add", graph.node("Mul", sums, graph.number(0.0)), graph.number(1.0))
