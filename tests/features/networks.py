"""Small networks as ONNX files, for tests."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


def network(
    shape=("n", 3, "h", "w"), outputs=("vector",), element=TensorProto.FLOAT, inputs=("pixels",)
):
    """Means over places of 4 mixtures of the colours, after the map of the mixtures.

    Returns the bytes, and the (4, 3) matrix of the mixtures.
    """
    mix = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    last = shape[-1] == 3
    nodes = [helper.make_node("Cast", ["pixels"], ["single"], to=TensorProto.FLOAT)]
    if last:
        nodes.append(helper.make_node("Transpose", ["single"], ["turned"], perm=[0, 3, 1, 2]))
    nodes += [
        helper.make_node("Conv", ["turned" if last else "single", "mix"], ["mixed"]),
        helper.make_node("GlobalAveragePool", ["mixed"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["vector"]),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, element, shape) for name in inputs],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(mix[:, :, None, None], "mix")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    return model.SerializeToString(), mix
