"""A graph that computes at once, with NumPy: what a rule writes, without ONNX."""

from functools import reduce

import numpy as np

OPERATORS = {
    "Abs": np.abs, "Sqrt": np.sqrt, "Neg": np.negative, "Add": np.add, "Sub": np.subtract,
    "Mul": np.multiply, "Div": np.divide, "Max": np.maximum, "Min": np.minimum,
}  # fmt: skip


class NumpyGraph:
    """As `GraphBuilder`; the names of values are the values themselves."""

    def node(self, operator, *inputs):
        if len(inputs) == 1:
            return OPERATORS[operator](*inputs)
        return reduce(OPERATORS[operator], inputs)

    def number(self, values):
        return np.asarray(values, np.float64)

    def product(self, rows, matrix):
        return rows @ matrix

    def split(self, values, sizes):
        assert sum(sizes) == values.shape[1]
        return np.split(values, np.cumsum(sizes)[:-1], axis=1)

    def added(self, terms):
        return sum(terms)

    def row_sums(self, values, *, keepdims):
        return values.sum(axis=-1, keepdims=keepdims)

    def row_energies(self, values):
        return (values**2).sum(axis=-1, keepdims=True)

    def class_sums(self, values, shape):
        return values.reshape(-1, *shape).sum(axis=-1)
