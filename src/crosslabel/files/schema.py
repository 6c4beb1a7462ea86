"""The tree of nodes by which skops describes an object: its shape, and which types it names.

`schema.json` of a model file is such a tree, as skops writes it. A node is a JSON object that names
its loader, its type and, by the loader, its children. `LOADERS` holds the loaders that model files
use; all others (methods, partials, bytes, compiled trees) are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from crosslabel.files.container import JsonObject, ModelFileError
from crosslabel.files.trusted import is_trusted

Node = JsonObject
Children = Iterable[tuple[str, Node]]


def _items(node: Node) -> Children:
    return [(str(number), child) for number, child in enumerate(node["content"])]


def _entries(node: Node) -> Children:
    return [*node["content"].items(), ("key_types", node["key_types"])]


def _content(node: Node) -> Children:
    return [("", node["content"])] if node.get("content") is not None else []


def _array(node: Node) -> Children:
    return [] if node["type"] == "numpy" else [*_items(node), ("shape", node["shape"])]


def _none(node: Node) -> Children:
    return []


LOADERS: dict[str, Callable[[Node], Children]] = {
    "DTypeNode": _content,
    "DictNode": _entries,
    "FunctionNode": _none,
    "JsonNode": _none,
    "ListNode": _items,
    "NdArrayNode": _array,
    "ObjectNode": _content,
    "RandomStateNode": _content,
    "SetNode": _items,
    "SliceNode": _none,
    "TupleNode": _items,
    "TypeNode": _none,
}


def children(node: Node) -> Children:
    """The nodes below a node, each with its key, number or nothing as a label."""
    loader = node["__loader__"]
    if loader not in LOADERS:
        raise ModelFileError(
            f"it holds {node.get('__module__')}.{node.get('__class__')} by way of {loader!s:.40}, "
            "which a model file may not hold"
        )
    return LOADERS[loader](node)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, parents first."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        if here["__loader__"] != "JsonNode":  # most nodes: numbers and words
            waiting.extend([child for _, child in children(here)][::-1])


def audit(root: Node) -> None:
    """Refuse a tree that names other types than trusted ones; nothing is imported or made.

    Parameters
    ----------
    root : dict

    Raises
    ------
    ModelFileError
        Names every type that is refused.
    """
    named = {
        (str(node["__module__"]), str(node["__class__"]))
        for node in walk(root)
        if node["__loader__"] != "JsonNode"
    }
    foreign = sorted(".".join(pair) for pair in named if not is_trusted(*pair))
    if foreign:
        raise ModelFileError(
            f"it holds types that are not trusted: {', '.join(foreign)[:400]}. A model file holds "
            "types of crosslabel and estimators of scikit-learn only"
        )


def canonical(root: Node) -> dict[str, str]:
    """Number the nodes' identities and files in the order of the tree, in place.

    skops names both by addresses in memory, which differ between runs.

    Returns
    -------
    dict
        New name of each file.
    """
    identities: dict[int, int] = {}
    files: dict[str, str] = {}
    for node in walk(root):
        if "__id__" in node:
            node["__id__"] = identities.setdefault(node["__id__"], len(identities) + 1)
        if node["__loader__"] == "NdArrayNode" and node["type"] == "numpy":
            node["file"] = files.setdefault(node["file"], f"{len(files)}.npy")
    return files


def arrays(node: Node, path: str = "") -> Iterator[tuple[str, str]]:
    """Where each array stands in the object, and the file that holds it.

    Yields
    ------
    path, file : str
        The path as attributes and keys with dots; a step of a pipeline goes by its name.
    """
    if node["__loader__"] == "NdArrayNode" and node["type"] == "numpy":
        yield path, node["file"]
        return
    for label, child in children(node):
        if label != "key_types":
            yield from arrays(*_named(child, f"{path}.{label}".strip(".")))


def _named(node: Node, path: str) -> tuple[Node, str]:
    """A pair of a name and an object, as pipelines hold them, goes by the name."""
    if node["__loader__"] == "TupleNode" and len(node["content"]) == 2:
        first, second = node["content"]
        if first["__loader__"] == "JsonNode" and first["content"].startswith('"'):
            return second, first["content"].strip('"')
    return node, path
