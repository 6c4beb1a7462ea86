"""From a tree of nodes back to the object, by a short table of what may be made and how.

The same trees that `skops.io.load` reads, with fewer kinds of nodes and a fraction of its start:
skops imports all of scikit-learn. No constructor of a trusted class is called, no function of a
file's choice, and no array is made twice. What is made is verified (`verify.py`) and prepares
nothing: a rule is prepared when it is first asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crosslabel.files.container import Archive, ModelFileError
from crosslabel.files.schema import Node, audit
from crosslabel.files.trusted import trusted_class, trusted_function
from crosslabel.files.verify import parameters_of, verify, without_places
from crosslabel.files.weigh import weigh

Made: TypeAlias = Any
"""What a node stands for: an object of any of the trusted types."""

KEYS = (bool, float, int, str)  # what keys of a dictionary may be
SCALARS = (bool, float, int, str, type(None))


def decode(root: Node, archive: Archive) -> Made:
    """The object that a tree describes.

    Parameters
    ----------
    root : dict
    archive : Archive
        Holds the arrays.

    Returns
    -------
    object
    """
    audit(root)
    weigh(root)
    return _Decoder(archive).make(root)


class _Decoder:
    """Makes each identity and each array of a file once."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.made: dict[int, Made] = {}
        self.arrays: dict[str, NDArray[np.generic]] = {}

    def make(self, node: Node) -> Made:
        identity = node.get("__id__")
        if identity is None:
            return MAKERS[node["__loader__"]](self, node)
        if identity not in self.made:
            self.made[identity] = MAKERS[node["__loader__"]](self, node)
        return self.made[identity]

    def json(self, node: Node) -> Made:
        value = json.loads(node["content"]) if node["content"][:1] not in ("[", "{") else []
        if not isinstance(value, SCALARS):
            raise ModelFileError("a number or text is written as a list")
        return value

    def dictionary(self, node: Node) -> dict[Made, Made]:
        _expect(node, dict)
        # In the order in which `weigh` has counted: the first node of an identity makes it.
        values = {key: self.make(child) for key, child in node["content"].items()}
        types = self.make(node["key_types"])
        if len(types) != len(values) or not all(kind in KEYS for kind in types):
            raise ModelFileError("the keys of a dictionary are not as they were written")
        return {kind(key): value for kind, (key, value) in zip(types, values.items())}

    def items(self, node: Node) -> list[Made]:
        return [self.make(child) for child in node["content"]]

    def list(self, node: Node) -> list[Made]:
        _expect(node, list)
        return self.items(node)

    def set(self, node: Node) -> set[Made]:
        _expect(node, set)
        return set(self.items(node))

    def tuple(self, node: Node) -> tuple[Made, ...]:
        cls = trusted_class(node["__module__"], node["__class__"])
        content = tuple(self.items(node))
        if cls is tuple:
            return content
        if not issubclass(cls, tuple) or len(getattr(cls, "_fields", ())) != len(content):
            raise ModelFileError(f"{cls.__name__} does not have {len(content)} fields")
        return tuple.__new__(cls, content)

    def array(self, node: Node) -> Made:
        if node["type"] != "numpy":
            return self.object_array(node)
        name = node["file"]
        if name not in self.arrays:
            self.arrays[name] = self.archive.array(name)
        found = self.arrays[name]
        if node["__class__"] == "ndarray":
            return found
        if found.ndim:
            raise ModelFileError(f"a number is an array of shape {found.shape}")
        return found[()]

    def object_array(self, node: Node) -> Made:
        items, shape = self.items(node), self.make(node["shape"])
        # Names of classes or of features. NumPy would unfold lists, however often one is there.
        if shape != (len(items),) or not all(isinstance(item, SCALARS) for item in items):
            raise ModelFileError("an array of objects holds other than a row of numbers and text")
        found = np.empty(len(items), dtype=object)
        found[:] = items
        return found

    def type(self, node: Node) -> Made:
        return trusted_class(node["__module__"], node["__class__"])

    def dtype(self, node: Node) -> Made:
        return self.make(node["content"]).dtype

    def slice(self, node: Node) -> slice:
        ends = [node["content"][name] for name in ("start", "stop", "step")]
        if not all(end is None or isinstance(end, int) for end in ends):
            raise ModelFileError(f"a slice goes from {ends[0]!r} to {ends[1]!r} by {ends[2]!r}")
        return slice(*ends)

    def function(self, node: Node) -> Made:
        return trusted_function(node["__module__"], node["__class__"])

    def random_state(self, node: Node) -> np.random.RandomState:
        random = np.random.RandomState()
        random.set_state(self.make(node["content"]))
        return random

    def object(self, node: Node) -> Made:
        cls: Any = trusted_class(node["__module__"], node["__class__"])
        if cls.__module__ in ("builtins", "numpy"):
            raise ModelFileError(f"{cls.__name__} is written as an object with attributes")
        made = cls.__new__(cls)
        state = {} if node.get("content") is None else self.make(node["content"])
        if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
            raise ModelFileError(f"the state of {cls.__name__} is no set of attributes")
        _set_state(made, state)
        return made


MAKERS: dict[str, Callable[[_Decoder, Node], Made]] = {
    "DTypeNode": _Decoder.dtype,
    "DictNode": _Decoder.dictionary,
    "FunctionNode": _Decoder.function,
    "JsonNode": _Decoder.json,
    "ListNode": _Decoder.list,
    "NdArrayNode": _Decoder.array,
    "ObjectNode": _Decoder.object,
    "RandomStateNode": _Decoder.random_state,
    "SetNode": _Decoder.set,
    "SliceNode": _Decoder.slice,
    "TupleNode": _Decoder.tuple,
    "TypeNode": _Decoder.type,
}


def _expect(node: Node, cls: type) -> None:
    if trusted_class(node["__module__"], node["__class__"]) is not cls:
        raise ModelFileError(f"a {node['__class__']} is written as a {cls.__name__}")


def _set_state(made: Made, state: dict[str, Made]) -> None:
    """Attributes of an object that was made without its constructor.

    A parameter that a later version has added takes its default, so that older files open.
    """
    ours = type(made).__module__.startswith("crosslabel.")
    if hasattr(made, "get_params"):
        cls: type = type(made)
        for name, parameter in parameters_of(cls).items():
            if parameter.default is not parameter.empty:
                state.setdefault(name, parameter.default)
        state = without_places(cls, state)
        # The version of the whole file is compared once (`load`), not that of each part.
        state.pop("_sklearn_version", None)
    if ours and hasattr(made, "__setstate__"):
        made.__setstate__(state)
    else:
        made.__dict__.update(state)
    verify(made)
