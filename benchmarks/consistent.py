"""Hostile model files that are consistent: arrays and settings are changed, and the file is sealed.

Damage is found by the checksum. These files have a right one, members and trees of the right form,
and values, shapes and types that no training gives: what someone would write who knows the format.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from benchmarks.mutations import members
from crosslabel.files.container import pack

Random = np.random.Generator
Arrays = dict[str, np.ndarray]
Tree = dict[str, Any]

NUMBERS: list[Any] = [
    *(0, -1, 1, 2, 3, 7, 30, 64, 1000, 20_000, 10**6, 10**7, 2**31 - 1, 2**31, 2**32, 10**9),
    *(2**62, 10**18, 10**30, 0.0, -0.0, 1e-300, -1e-9, 1e-9, 0.5, 1.5, 1e7, 1e100, 1e308, -1e308),
    *(float("inf"), float("-inf"), float("nan")),
]
OTHER: list[Any] = [None, True, False, "", "auto", "rbf", "local", "global", "full", "/tmp/canary"]
EXTREME = np.array([0, -1, 1, 1e-308, 1e30, 1e100, 1e308, -1e308, np.inf, -np.inf, np.nan])
LENGTHS = [0, 1, 2, 5, 100, 1000, 5000]
VALUES = 10**5  # of an array that is made larger
LETTERS = 20 * 2**20  # of a list that is made longer: more JSON than a file may hold


def nodes(value: Any) -> Iterator[Tree]:
    """All nodes of a tree, parents first."""
    if isinstance(value, dict):
        if "__loader__" in value:
            yield value
        for entry in value.values():
            yield from nodes(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from nodes(entry)


def _picked(items: list[Any], random: Random) -> Any:
    return items[random.integers(len(items))]


def set_number(tree: Tree, arrays: Arrays, random: Random) -> None:
    """Another number, word or nothing in the place of a number, word or nothing."""
    plain = [node for node in nodes(tree) if node["__loader__"] == "JsonNode"]
    if plain:
        node = _picked(plain, random)
        pool = NUMBERS if random.random() < 0.8 else OTHER
        node["content"] = json.dumps(_picked(pool, random))
        node.pop("__id__", None)


def scale_values(tree: Tree, arrays: Arrays, random: Random) -> None:
    """All values of an array, or one column or row of it, very large or very small."""
    name = _picked(list(arrays), random)
    array = arrays[name]
    if array.dtype.kind in "f" and array.size:
        changed = array.copy()
        with np.errstate(all="ignore"):
            part = changed[random.integers(len(changed)) :] if changed.ndim else changed
            part *= array.dtype.type(10.0 ** random.uniform(-300, 300))
        arrays[name] = changed


def set_values(tree: Tree, arrays: Arrays, random: Random) -> None:
    """A few values, or all, replaced by extreme ones of the type."""
    name = _picked(list(arrays), random)
    array = arrays[name].copy()
    if array.size == 0 or array.dtype.kind not in "fiub":
        return
    count = array.size if random.random() < 0.3 else min(array.size, 3)
    places = random.choice(array.size, count, replace=False)
    if array.dtype.kind == "f":
        drawn = random.choice(EXTREME, count)
    else:
        top = 2 ** (8 * array.dtype.itemsize - 2)
        drawn = random.choice([-1, 0, 1, 2, 3, 100, 10**5, top, -top], count)
    with np.errstate(all="ignore"):
        array.reshape(-1)[places] = drawn.astype(array.dtype)
    arrays[name] = array


def change_shape(tree: Tree, arrays: Arrays, random: Random) -> None:
    """An array with more, fewer or other axes than it had."""
    name = _picked(list(arrays), random)
    array = arrays[name]
    ways: list[Callable[[], np.ndarray]] = [
        lambda: array.T,
        lambda: array[None],
        lambda: array[..., None],
        lambda: array.reshape(-1),
        lambda: np.zeros((10**8, 0), array.dtype),
        lambda: np.zeros((0, 10**8), array.dtype),
        lambda: array[:0],
        lambda: array[: max(1, len(array) // 2)] if array.ndim else array,
        lambda: np.asfortranarray(array),
        lambda: _resized(array, 0, _picked(LENGTHS, random)),
        lambda: _resized(array, array.ndim - 1, _picked(LENGTHS, random)),
    ]
    arrays[name] = _picked(ways, random)()


def change_type(tree: Tree, arrays: Arrays, random: Random) -> None:
    """An array of another type."""
    name = _picked(list(arrays), random)
    kind = _picked(["f2", "f4", "f8", "i1", "i4", "i8", "u8", "?", "c16", "U3", ">f8"], random)
    with np.errstate(all="ignore"):
        arrays[name] = arrays[name].astype(kind)


def resize_axis(tree: Tree, arrays: Arrays, random: Random) -> None:
    """One length, wherever it occurs in arrays and as a number, becomes another: consistently."""
    lengths = sorted({n for array in arrays.values() for n in array.shape})
    if not lengths:
        return
    old, new = _picked(lengths, random), _picked(LENGTHS, random)
    for name, array in arrays.items():
        for axis, length in enumerate(array.shape):
            if length == old:
                array = _resized(array, axis, new)
        arrays[name] = array
    for node in nodes(tree):
        if node["__loader__"] == "JsonNode" and node["content"] == str(old):
            node["content"] = str(new)


def _resized(array: np.ndarray, axis: int, length: int) -> np.ndarray:
    """Repeated or cut along an axis; never to more than a few hundred kilobytes."""
    if array.ndim == 0 or array.shape[axis] == 0:
        return array
    others = max(1, array.size // array.shape[axis])
    length = min(length, VALUES // others)
    return np.take(array, np.arange(length) % array.shape[axis], axis=axis)


def swap_arrays(tree: Tree, arrays: Arrays, random: Random) -> None:
    """Two arrays in each other's place."""
    a, b = _picked(list(arrays), random), _picked(list(arrays), random)
    arrays[a], arrays[b] = arrays[b], arrays[a]


def shuffle_values(tree: Tree, arrays: Arrays, random: Random) -> None:
    """The values of an array in another order."""
    name = _picked(list(arrays), random)
    flat = random.permutation(arrays[name].reshape(-1))
    arrays[name] = flat.reshape(arrays[name].shape)


def repeat_entries(tree: Tree, arrays: Arrays, random: Random) -> None:
    """The entries of a list many times over, by their identity."""
    lists = [n for n in nodes(tree) if n["__loader__"] in ("ListNode", "TupleNode")]
    lists = [node for node in lists if node["content"]]
    if lists:
        node = _picked(lists, random)
        times = LETTERS // len(json.dumps(node["content"])) + 1
        length = _picked([2, 10, 1000, 20_000], random)
        repeated = (node["content"] * min(times, 20_000))[:length]
        # Copies, so that a further change lengthens one of them and not all.
        node["content"] = json.loads(json.dumps(repeated))


def drop_entry(tree: Tree, arrays: Arrays, random: Random) -> None:
    """An attribute or an entry less."""
    found = [n for n in nodes(tree) if n["__loader__"] == "DictNode" and n["content"]]
    if found:
        node = _picked(found, random)
        place = int(random.integers(len(node["content"])))
        del node["content"][list(node["content"])[place]]
        del node["key_types"]["content"][place]


def exchange_nodes(tree: Tree, arrays: Arrays, random: Random) -> None:
    """A node replaced by another one of the tree."""
    every = list(nodes(tree))
    node, other = _picked(every[1:], random), _picked(every[1:], random)
    copied = json.loads(json.dumps(other))
    node.clear()
    node.update(copied)


CHANGES = (
    *(set_number, set_number, set_number, scale_values, set_values, set_values, change_shape),
    *(change_type, resize_axis, resize_axis, swap_arrays, shuffle_values, repeat_entries),
    *(drop_entry, exchange_nodes),
)


def hostile(content: bytes, random: Random) -> tuple[str, bytes]:
    """The names of one to three changes, and the sealed file that has them."""
    parts = members(content)
    tree = json.loads(parts["schema.json"])
    arrays = {n: np.load(io.BytesIO(c)) for n, c in parts.items() if n.endswith(".npy")}
    names = []
    for _ in range(random.integers(1, 4)):
        change = CHANGES[random.integers(len(CHANGES))]
        if arrays or change in (set_number, drop_entry, repeat_entries, exchange_nodes):
            # A change may find nothing to change where another one was before it.
            with suppress(KeyError, IndexError, TypeError, ValueError):
                change(tree, arrays, random)
            names.append(change.__name__)
    changed = {name: _bytes(array) for name, array in arrays.items()}
    written = parts | {"schema.json": json.dumps(tree).encode()} | changed
    return "+".join(names), pack(written.items())


def _bytes(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
