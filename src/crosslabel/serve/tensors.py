"""Tensors of the Open Inference Protocol, in JSON or as bytes behind it (the binary extension)."""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslabel.serve.bodies import parsed_object
from crosslabel.serve.refusal import Refusal

DATATYPES: dict[str, str] = {
    "BOOL": "?", "UINT8": "u1", "UINT16": "<u2", "UINT32": "<u4", "UINT64": "<u8",
    "INT8": "i1", "INT16": "<i2", "INT32": "<i4", "INT64": "<i8",
    "FP16": "<f2", "FP32": "<f4", "FP64": "<f8",
}  # fmt: skip
"""NumPy's name of each datatype of numbers."""

NAMES = {np.dtype(kind): name for name, kind in DATATYPES.items()}
TEXT = "BYTES"
MOST_VALUES = 2**26

Values = NDArray[np.generic] | list[bytes]
"""Numbers as an array; texts and files as a list of bytes."""


@dataclass(frozen=True)
class Tensor:
    """One input or output.

    Attributes
    ----------
    name : str
    shape : tuple of int
    values : ndarray of that shape, or list of bytes
    """

    name: str
    shape: tuple[int, ...]
    values: Values

    @property
    def datatype(self) -> str:
        """As the protocol calls it."""
        return TEXT if isinstance(self.values, list) else NAMES[self.values.dtype]


@dataclass(frozen=True)
class InferRequest:
    """What a request asks.

    Attributes
    ----------
    inputs : list of Tensor
    outputs : dict
        Whether each output that is asked for shall be sent as bytes; empty for all outputs.
    binary : bool
        Whether outputs are sent as bytes where nothing else is said.
    id : str, optional
    """

    inputs: list[Tensor]
    outputs: dict[str, bool]
    binary: bool = False
    id: str | None = None


def parse_request(body: bytes, header_length: bytes | None = None) -> InferRequest:
    """The request that a body holds.

    Parameters
    ----------
    body : bytes
    header_length : bytes, optional
        `Inference-Header-Content-Length`: where the JSON ends and the bytes of tensors begin.
    """
    size = len(body)
    if header_length is not None:
        if not header_length.isdigit() or int(header_length) > len(body):
            raise Refusal(400, "Inference-Header-Content-Length is no length within the body.")
        size = int(header_length)
    found = parsed_object(body[:size])
    said = _objects(found.get("inputs"), "inputs")
    if not said:
        raise Refusal(400, "The request has no inputs.")
    rest, inputs = memoryview(body)[size:], []
    for one in said:
        length = _parameters(one).get("binary_data_size", 0)
        if not isinstance(length, int) or not 0 <= length <= len(rest):
            raise Refusal(400, f"binary_data_size is {length!r}, but {len(rest)} bytes are left.")
        inputs.append(_tensor(one, rest[:length] if "data" not in one else None))
        rest = rest[length:]
    binary = _parameters(found).get("binary_data_output") is True
    asked = _objects(found.get("outputs", []), "outputs")
    outputs = {
        str(one.get("name")): _parameters(one).get("binary_data", binary) is True for one in asked
    }
    given = found.get("id")
    return InferRequest(inputs, outputs, binary, given if isinstance(given, str) else None)


def _objects(found: object, what: str) -> list[dict[str, object]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise Refusal(400, f"{what!r} must be a list of JSON objects.")
    return found


def _parameters(found: dict[str, object]) -> dict[str, object]:
    inner = found.get("parameters", {})
    return inner if isinstance(inner, dict) else {}


def _tensor(said: dict[str, object], raw: memoryview | None) -> Tensor:
    shape, kind = said.get("shape"), said.get("datatype")
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        raise Refusal(400, "The 'shape' of an input must be a list of whole numbers.")
    if math.prod(shape) > MOST_VALUES:
        raise Refusal(413, f"An input may have {MOST_VALUES:,} values.")
    if not isinstance(kind, str) or kind not in (*DATATYPES, TEXT):
        known = ", ".join([*DATATYPES, TEXT])
        raise Refusal(400, f"There is no datatype {kind!r}. Known: {known}.")
    if kind == TEXT:
        values: Values = _texts(said.get("data")) if raw is None else _unpacked(raw)
    else:
        values = _numbers(said.get("data"), raw, DATATYPES[kind])
    if len(values) != math.prod(shape):
        raise Refusal(400, f"The input has {len(values)} values, but its shape is {shape}.")
    if isinstance(values, np.ndarray):
        values = values.reshape(shape)
    return Tensor(str(said.get("name")), tuple(shape), values)


def _numbers(data: object, raw: memoryview | None, kind: str) -> NDArray[np.generic]:
    if raw is not None:
        if len(raw) % np.dtype(kind).itemsize:
            raise Refusal(400, f"{len(raw)} bytes are no whole number of values.")
        return np.frombuffer(raw, kind)
    try:
        # Nested lists and flat ones mean the same; texts and objects are no numbers.
        found = np.asarray(data)
        if found.dtype.kind not in "biuf":
            raise ValueError
        return found.ravel().astype(kind)
    except (ValueError, OverflowError, RecursionError):
        raise Refusal(400, "The 'data' of an input must be numbers of its datatype.") from None


def _texts(data: object) -> list[bytes]:
    """Bytes in JSON are base64, as JSON has no bytes of its own."""
    if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
        raise Refusal(400, "The 'data' of BYTES must be a list of texts in base64.")
    try:
        return [base64.b64decode(text, validate=True) for text in data]
    except (binascii.Error, ValueError):
        raise Refusal(400, "The 'data' of BYTES in JSON must be base64.") from None


def _unpacked(raw: memoryview) -> list[bytes]:
    """Texts that stand behind each other, each after its length in four bytes."""
    found, place = [], 0
    while place < len(raw):
        if place + 4 > len(raw):
            raise Refusal(400, "The BYTES of an input end within a length.")
        (length,) = struct.unpack_from("<I", raw, place)
        place += 4
        if place + length > len(raw):
            raise Refusal(400, "The BYTES of an input end within a text.")
        found.append(bytes(raw[place : place + length]))
        place += length
    return found


def write_response(
    head: dict[str, object], outputs: Iterable[Tensor], request: InferRequest
) -> tuple[bytes, int | None]:
    """The body of an answer, and where its JSON ends if bytes follow it.

    Parameters
    ----------
    head : dict
        Name and version of the model.
    outputs : iterable of Tensor
    request : InferRequest
        Says which of them are sent as bytes.
    """
    described, tails = [], []
    for tensor in outputs:
        shape, kind = list(tensor.shape), tensor.datatype
        one: dict[str, object] = {"name": tensor.name, "shape": shape, "datatype": kind}
        if request.outputs.get(tensor.name, request.binary):
            tails.append(_bytes_of(tensor.values))
            one["parameters"] = {"binary_data_size": len(tails[-1])}
        else:
            one["data"] = _listed(tensor.values)
        described.append(one)
    if request.id is not None:
        head = {**head, "id": request.id}
    text = json.dumps({**head, "outputs": described}).encode()
    return b"".join([text, *tails]), len(text) if tails else None


def _bytes_of(values: Values) -> bytes:
    if isinstance(values, list):
        return b"".join(struct.pack("<I", len(text)) + text for text in values)
    return values.tobytes()


def _listed(values: Values) -> list[object]:
    if isinstance(values, list):
        return [text.decode() for text in values]
    return values.ravel().tolist()
