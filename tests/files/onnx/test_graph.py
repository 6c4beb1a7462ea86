import numpy as np
import pytest
from numpy.testing import assert_allclose

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")

from crosslabel.files.onnx import graph as module  # noqa: E402
from crosslabel.files.onnx.graph import Graph, onnx_type  # noqa: E402

X = np.random.default_rng(0).normal(size=(3, 6))
DOUBLE = onnx_type(np.float64)


def value(write, shape=("n", "m")):
    """What a graph makes of X whose last value `write` adds."""
    graph = Graph()
    graph.node("Identity", write(graph, "X"), output="out")
    model = graph.model({"X": (DOUBLE, ["n", 6])}, {"out": (DOUBLE, list(shape))})
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(["out"], {"X": X})[0]


def test_products_and_parts():
    M = np.arange(12.0).reshape(6, 2)
    assert_allclose(value(lambda g, x: g.product(x, M)), X @ M)
    assert_allclose(value(lambda g, x: g.split(x, [1, 2, 3])[1]), X[:, 1:3])


def test_sums():
    assert_allclose(value(lambda g, x: g.added([x, x, g.number(1.0)])), 2 * X + 1)
    assert_allclose(value(lambda g, x: g.added([x])), X)
    assert_allclose(value(lambda g, x: g.row_sums(x, keepdims=False), ["n"]), X.sum(axis=1))
    assert_allclose(value(lambda g, x: g.row_sums(x, keepdims=True)), X.sum(axis=1)[:, None])
    assert_allclose(value(lambda g, x: g.row_energies(x)), (X**2).sum(axis=1)[:, None])
    parts = X.reshape(3, 2, 3).sum(axis=2)
    assert_allclose(value(lambda g, x: g.class_sums(x, (2, 3))), parts)


def test_constants_and_casts():
    single = value(lambda g, x: g.cast(g.cast(x, np.float32), np.float64))
    assert_allclose(single, X.astype(np.float32), rtol=0)
    graph = Graph()
    graph.number([1, 2])
    graph.whole([1, 2])
    graph.constant(np.array(["a"], object))
    types = [each.data_type for each in graph.constants]
    assert types == [DOUBLE, module.INT64, module.STRING]


def test_more_than_a_file_can_hold_is_refused(monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 100)
    graph = Graph()
    graph.number(np.zeros(10))
    with pytest.raises(ValueError, match="more than the 2 GiB that an ONNX file can hold"):
        graph.number(np.zeros(10))
