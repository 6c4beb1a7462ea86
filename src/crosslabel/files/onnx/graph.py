"""An ONNX graph written as formulas: each call adds a node and returns the name of its result.

Imports onnx; nothing else of the library does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike, DTypeLike, NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

OPSET = 17
"""Of the standard operators: what runtimes since 2022 know."""

IR_VERSION = 8
"""The file format that goes with it; newer ones are refused by older runtimes."""

LIMIT = 2**31 - 2**20
"""Bytes that a protobuf message can hold, less some for the graph itself."""

Values = dict[str, tuple[int, list[int | str]]]


class Graph:
    """Nodes and constants of a graph in the making; values are known by their names."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.bytes = 0

    def number(self, values: ArrayLike) -> str:
        """A constant in double precision."""
        return self.constant(np.asarray(values, dtype=np.float64))

    def whole(self, values: ArrayLike) -> str:
        """A constant of whole numbers: a shape or axes."""
        return self.constant(np.asarray(values, dtype=np.int64))

    def constant(self, values: NDArray[np.generic]) -> str:
        """A constant as it is; strings as an array of objects."""
        name = f"constant_{len(self.constants)}"
        self.bytes += values.nbytes
        if self.bytes > LIMIT:
            raise ValueError(
                f"The model's arrays take {self.bytes / 2**30:.1f} GiB, more than the 2 GiB that "
                "an ONNX file can hold. Use fewer atoms or features."
            )
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, *inputs: str, output: str | None = None, **settings: Any) -> str:
        """The name of an operator's first result, its only one unless it says otherwise."""
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name, **settings))
        return name

    def cast(self, values: str, dtype: DTypeLike, output: str | None = None) -> str:
        """The values in another floating type."""
        return self.node("Cast", values, to=onnx_type(dtype), output=output)

    def product(self, rows: str, matrix: NDArray[np.generic]) -> str:
        """Rows times a constant matrix, as (matrixᵀ · rowsᵀ)ᵀ.

        In double precision onnxruntime packs a matrix on the right anew in every call, which for a
        single row takes longer than the product.
        """
        turned = self.node("Transpose", rows, perm=[1, 0])
        # Keeps runtimes from joining the two into an operator that old ones lack in this type.
        turned = self.node("Reshape", turned, self.whole([matrix.shape[0], -1]))
        columns = self.node("MatMul", self.number(np.transpose(matrix)), turned)
        return self.node("Transpose", columns, perm=[1, 0])

    def split(self, values: str, sizes: Sequence[int]) -> list[str]:
        """Parts of a matrix's columns."""
        names = [f"Split_{len(self.nodes)}_{k}" for k in range(len(sizes))]
        self.nodes.append(
            helper.make_node("Split", [values, self.whole(sizes)], names, names[0], axis=1)
        )
        return names

    def added(self, terms: Iterable[str]) -> str:
        """The sum of values."""
        return reduce(partial(self.node, "Add"), terms)

    def row_sums(self, values: str, *, keepdims: bool) -> str:
        """Sums along the last axis."""
        return self.node("ReduceSum", values, self.whole([-1]), keepdims=int(keepdims))

    def row_energies(self, values: str) -> str:
        """‖row‖² as a column."""
        return self.row_sums(self.node("Mul", values, values), keepdims=True)

    def class_sums(self, values: str, shape: tuple[int, int]) -> str:
        """Sums over the columns of each class: (n, classes · size) to (n, classes)."""
        apart = self.node("Reshape", values, self.whole([-1, *shape]))
        return self.row_sums(apart, keepdims=False)

    def model(self, inputs: Values, outputs: Values) -> ModelProto:
        """The finished, checked model.

        Parameters
        ----------
        inputs, outputs : dict of name to (ONNX type, shape)

        Returns
        -------
        onnx.ModelProto
        """
        graph = helper.make_graph(
            self.nodes, "crosslabel", _declared(inputs), _declared(outputs), self.constants
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model, full_check=True)
        return model


def _declared(values: Values) -> list[ValueInfoProto]:
    return [helper.make_tensor_value_info(name, *of) for name, of in values.items()]


def onnx_type(dtype: DTypeLike) -> int:
    """ONNX's number of a NumPy type."""
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


STRING, INT64 = int(TensorProto.STRING), int(TensorProto.INT64)
