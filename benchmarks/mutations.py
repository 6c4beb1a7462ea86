"""Model files that are damaged or made to harm: each a function of a sound file and a generator.

Most damage breaks the checksum, which ends the matter. So most are made twice: as they are, and
sealed again with a checksum that holds, as someone would who means harm.
"""

from __future__ import annotations

import io
import json
import pickle
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.attempts import CANARY
from crosslabel.files.container import PREFIX, pack, seal

Random = np.random.Generator
HOSTILE = [
    ("os", "system"),
    ("posix", "system"),
    ("builtins", "eval"),
    ("builtins", "exec"),
    ("builtins", "open"),
    ("subprocess", "Popen"),
    ("joblib.numpy_pickle", "load"),
    ("pickle", "loads"),
    ("numpy", "load"),
    ("numpy.lib._npyio_impl", "load"),
    ("numpy", "fromfile"),
    ("sklearn.datasets._base", "load_files"),
    ("sklearn.tree._tree", "Tree"),
    ("sklearn.utils._testing", "ignore_warnings"),
    ("crosslabel.app.entry", "main"),
    ("crosslabel.files.whole", "write_whole"),
    ("crosslabel.features.extraction", "write_whole"),
    ("crosslabel.features.extraction", "os"),
    ("crosslabel.flagship.crosslabel", "Any"),
    ("crosslabel.core.atoms", "AtomLayout"),
    ("crosslabel.core.coding", "UndeterminedCodesError"),
    ("sklearn.pipeline", "Pipeline"),
    ("sklearn.preprocessing._function_transformer", "FunctionTransformer"),
    ("__main__", "main"),
    ("..", "x"),
    ("", ""),
]
LOADERS = [
    *("MethodNode", "PartialNode", "OperatorFuncNode", "TreeNode", "LossNode", "BytesNode"),
    *("SparseMatrixNode", "CachedNode", "ConstructorFromReduceNode", "RandomGeneratorNode"),
    *("ObjectNode", "FunctionNode", "TypeNode", "NdArrayNode", "DictNode", "ListNode", "TupleNode"),
    *("JsonNode", "SliceNode", "RandomStateNode", "DTypeNode", "SetNode", "", "Node", "__class__"),
]
NAMES = [
    *("../../tmp/crosslabel-mutation-canary", CANARY, "..\\canary", "C:\\canary", "a/b.npy"),
    *(
        "0.npy\0.json",
        "./0.npy",
        "0.npy/",
        "٣.npy",
        "schema.json ",
        "SCHEMA.JSON",
        "0.npz",
        "x.pkl",
    ),
]
VALUES: list[Any] = [
    *(None, True, -1, 0, 10**30, 1e308, "", "x" * 1000, [], {}, [[]], {"a": 1}, "__class__"),
    *("../../etc/passwd", "0.npy", "99.npy", "numpy", "json", [0, 1], "NaN"),
]


class Payload:
    """A pickle of this makes the canary when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (CANARY, "w")


def members(content: bytes) -> dict[str, bytes]:
    """Name and content of each member of a sound file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def by_no_rules(write: Callable[[zipfile.ZipFile], Any]) -> bytes:
    """A sealed archive that `write` fills as it likes."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # names that are there twice are the point
        write(archive)
        archive.comment = PREFIX + b"0" * 64
    return seal(buffer.getvalue())


def flip_bits(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for place in random.integers(0, len(changed), random.integers(1, 17)):
        changed[place] ^= 1 << random.integers(8)
    return bytes(changed)


def truncate(content: bytes, random: Random) -> bytes:
    return content[: random.integers(len(content))]


def move_blocks(content: bytes, random: Random) -> bytes:
    """Overwrite, repeat, cut or zero a block."""
    a, b, length = random.integers(0, len(content), 3)
    length = int(length) % 4096
    block = content[a : a + length]
    return [
        content[:b] + block + content[b + len(block) :],
        content[:b] + block + content[b:],
        content[:a] + content[a + length :],
        content[:a] + bytes(len(block)) + content[a + len(block) :],
        content + block,
        block + content,
    ][random.integers(6)]


def swap_members(content: bytes, random: Random) -> bytes:
    """Exchange, drop, repeat or rename members."""
    parts = list(members(content).items())
    i, j = random.choice(len(parts), 2, replace=False)
    match random.integers(4):
        case 0:
            parts[i], parts[j] = (parts[i][0], parts[j][1]), (parts[j][0], parts[i][1])
        case 1:
            del parts[i]
        case 2:
            parts.insert(j, parts[i])
        case _:
            parts[i] = (NAMES[random.integers(len(NAMES))], parts[i][1])
    return by_no_rules(lambda zf: [zf.writestr(_info(n), c) for n, c in parts])


def zip_bomb(content: bytes, random: Random) -> bytes:
    return [_deflated, _overlapping, _declared, _nested, _many][random.integers(5)](content)


def links_and_locks(content: bytes, random: Random) -> bytes:
    """A member that is a link, a device, a folder, or says that it is encrypted."""
    parts = list(members(content).items())
    chosen = random.integers(len(parts))
    mode = [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFDIR][random.integers(4)]

    def write(archive: zipfile.ZipFile) -> None:
        for number, (name, part) in enumerate(parts):
            info = _info(name)
            if number == chosen:
                info.external_attr = (mode | 0o777) << 16
                part = CANARY.encode() if mode == stat.S_IFLNK else part
            archive.writestr(info, part)

    made = by_no_rules(write)
    if random.random() < 0.3:  # the flag of encryption, in both headers of the first member
        start = made.rindex(b"PK\x01\x02")
        made = made[: start + 8] + b"\x01" + made[start + 9 :]
    return seal(made)


def hostile_pickle(content: bytes, random: Random) -> bytes:
    """A pickle as the file, as a member, or as an array of objects."""
    payload = pickle.dumps(Payload(), protocol=int(random.integers(5)))
    objects = io.BytesIO()
    np.save(objects, np.array([Payload()], dtype=object), allow_pickle=True)
    parts = members(content)
    arrays = [name for name in parts if name.endswith(".npy")]
    array = arrays[random.integers(len(arrays))]
    return [
        lambda: payload,
        lambda: seal(payload + PREFIX + b"0" * 64),
        lambda: pack((parts | {array: payload}).items()),
        lambda: pack((parts | {array: objects.getvalue()}).items()),
        lambda: pack((parts | {"schema.json": payload}).items()),
        lambda: pack((parts | {"manifest.json": payload}).items()),
    ][random.integers(6)]()


def array_header(content: bytes, random: Random) -> bytes:
    """An array that says of itself what is not so."""
    parts = members(content)
    arrays = [name for name in parts if name.endswith(".npy")]
    name = arrays[random.integers(len(arrays))]
    descr = ["<f8", "<f4", "|O", "<U0", "<U9", "|V8", "<i8", "<M8[s]", "|S1", "<c16", ">f8", "<f2"]
    shapes = ["(10**9,)", "(1000000000000,)", "()", "(0,)", "(2, 2)", "(-1,)", "(2,) * 99", "[3]"]
    chosen = descr[random.integers(len(descr))], shapes[random.integers(len(shapes))]
    header = f"{{'descr': '{chosen[0]}', 'fortran_order': {random.random() < 0.5}, "
    header += f"'shape': {chosen[1]}, }}"
    if random.random() < 0.2:
        header = f"__import__('builtins').open({CANARY!r}, 'w')"
    text = header.encode().ljust(118) + b"\n"
    made = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + parts[name][128:]
    return pack((parts | {name: made}).items())


def array_values(content: bytes, random: Random) -> bytes:
    """Random bytes, or the values of another array, behind a sound header."""
    parts = members(content)
    arrays = [name for name in parts if name.endswith(".npy")]
    i, j = random.choice(arrays, 2)
    head, tail = parts[i][:128], parts[i][128:]
    values = [random.bytes(len(tail)), parts[j][128:], tail[::-1], tail[: len(tail) // 2]]
    return pack((parts | {i: head + values[random.integers(4)]}).items())


def schema_nodes(content: bytes, random: Random) -> bytes:
    """Nodes that name other types, loaders, files or values."""
    parts = members(content)
    tree = json.loads(parts["schema.json"])
    nodes = list(_nodes(tree))
    for _ in range(random.integers(1, 4)):
        node = nodes[random.integers(len(nodes))]
        match random.integers(5):
            case 0:
                node["__module__"], node["__class__"] = HOSTILE[random.integers(len(HOSTILE))]
            case 1:
                node["__loader__"] = LOADERS[random.integers(len(LOADERS))]
            case 2:
                node["__loader__"] = ["FunctionNode", "ObjectNode", "TypeNode"][random.integers(3)]
                node["__module__"], node["__class__"] = HOSTILE[random.integers(len(HOSTILE))]
            case 3:
                keys = list(node)
                node[keys[random.integers(len(keys))]] = VALUES[random.integers(len(VALUES))]
            case _:
                other = nodes[random.integers(len(nodes))]
                copied = json.loads(json.dumps(other))
                node.clear()
                node.update(copied)
    return pack((parts | {"schema.json": json.dumps(tree).encode()}).items())


def json_text(content: bytes, random: Random) -> bytes:
    """JSON that is deep, long, repeated, or none."""
    parts = members(content)
    name = ["schema.json", "manifest.json"][random.integers(2)]
    texts = [
        lambda: b"[" * 100_000 + b"]" * 100_000,
        lambda: b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        lambda: b'{"__loader__": ' + b"9" * 10_000 + b"}",
        lambda: b'{"format": "' + b"x" * 10**6 + b'"}',
        lambda: b"[" + b"[]," * 10**6 + b"[]]",
        lambda: b"\xff\xfe" + parts[name],
        lambda: flip_bits(parts[name], random),
        lambda: truncate(parts[name], random),
        lambda: _deep_tree(),
        lambda: b"",
    ]
    return pack((parts | {name: texts[random.integers(len(texts))]()}).items())


def manifest_values(content: bytes, random: Random) -> bytes:
    parts = members(content)
    manifest = json.loads(parts["manifest.json"])
    keys = list(manifest)
    key = keys[random.integers(len(keys))]
    if random.random() < 0.2:
        del manifest[key]
    else:
        manifest[key] = VALUES[random.integers(len(VALUES))]
    return pack((parts | {"manifest.json": json.dumps(manifest).encode()}).items())


PLAIN = (flip_bits, truncate, move_blocks)
MUTATIONS: dict[str, Callable[[bytes, Random], bytes]] = {
    **{function.__name__: function for function in PLAIN},
    # Sealed again: the checksum holds, and the damage reaches the readers behind it.
    "flip_bits_sealed": lambda c, r: seal(flip_bits(c[:-64], r) + c[-64:]),
    "truncate_sealed": lambda c, r: seal(truncate(c, r) + PREFIX + b"0" * 64),
    "move_blocks_sealed": lambda c, r: seal(move_blocks(c[:-64], r) + c[-64:]),
    **{
        function.__name__: function
        for function in (swap_members, zip_bomb, links_and_locks, hostile_pickle, array_header)
    },
    **{
        function.__name__: function
        for function in (array_values, schema_nodes, json_text, manifest_values)
    },
}


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename = name
    return info


@cache
def _deflated(content: bytes) -> bytes:
    """One member of 2 GiB of zeros in 2 MB."""

    def write(archive: zipfile.ZipFile) -> None:
        for name, part in members(content).items():
            archive.writestr(name, part)
        with archive.open(zipfile.ZipInfo("999.npy"), "w", force_zip64=True) as member:
            for _ in range(4):
                member.write(bytes(2**20))
        info = zipfile.ZipInfo("schema.json.")
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w", force_zip64=True) as member:
            for _ in range(256):
                member.write(bytes(2**20))

    return by_no_rules(write)


@cache
def _overlapping(content: bytes) -> bytes:
    """A thousand members that all lie in one place, a megabyte each."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, part in members(content).items():
            archive.writestr(name, part)
        archive.writestr("1000.npy", bytes(2**20))
        one = archive.infolist()[-1]
        for number in range(1001, 2000):
            again = zipfile.ZipInfo(f"{number}.npy")
            again.header_offset, again.CRC = one.header_offset, one.CRC
            again.compress_size = again.file_size = one.file_size
            archive.filelist.append(again)
            archive.NameToInfo[again.filename] = again
        archive.comment = PREFIX + b"0" * 64
    return seal(buffer.getvalue())


@cache
def _declared(content: bytes) -> bytes:
    """A member that says it has 4 GB."""
    start = content.rindex(b"PK\x01\x02")
    sizes = struct.pack("<LL", 2**32 - 2, 2**32 - 2)
    return seal(content[: start + 20] + sizes + content[start + 28 :])


@cache
def _nested(content: bytes) -> bytes:
    inner = _deflated(content)
    return pack((members(content) | {"0.npy": inner}).items())


@cache
def _many(content: bytes) -> bytes:
    """More empty members than a file may have."""
    parts = members(content) | {f"{number}.npy": b"" for number in range(100, 100_102)}
    return pack(parts.items())


def _deep_tree() -> bytes:
    head = b'{"__loader__":"ListNode","__module__":"builtins","__class__":"list","content":['
    return head * 20_000 + b"]}" * 20_000


def _nodes(value: Any) -> Any:
    if isinstance(value, dict):
        if "__loader__" in value:
            yield value
        for entry in value.values():
            yield from _nodes(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _nodes(entry)
