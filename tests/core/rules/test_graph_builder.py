import inspect

import pytest

from crosslabel.core.rules.graph_builder import GraphBuilder

METHODS = [name for name in vars(GraphBuilder) if not name.startswith("_")]


@pytest.mark.parametrize("name", METHODS)
def test_the_onnx_graph_has_what_rules_may_ask_for(name):
    pytest.importorskip("onnx", reason="needs the extra onnx")
    from crosslabel.files.onnx.graph import Graph

    asked = inspect.signature(getattr(GraphBuilder, name)).parameters
    given = inspect.signature(getattr(Graph, name)).parameters
    assert [(p.name, p.kind) for p in asked.values()] == [
        (p.name, p.kind) for p in list(given.values())[: len(asked)]
    ]
