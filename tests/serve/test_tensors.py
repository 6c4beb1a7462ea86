import base64
import contextlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslabel.serve.refusal import Refusal
from crosslabel.serve.tensors import DATATYPES, InferRequest, Tensor, parse_request, write_response


def request(*inputs, **more):
    return json.dumps({"inputs": list(inputs), **more}).encode()


def one(data, shape, datatype="FP64", **more):
    return {"name": "X", "shape": shape, "datatype": datatype, "data": data, **more}


def test_numbers_flat_or_nested_mean_the_same():
    for data in ([1, 2, 3, 4, 5, 6], [[1, 2, 3], [4, 5, 6]]):
        (found,) = parse_request(request(one(data, [2, 3]))).inputs
        assert found.values.dtype == np.float64
        assert found.values.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("name", DATATYPES)
def test_numbers_as_bytes_behind_the_json(name):
    values = np.arange(6).astype(DATATYPES[name])
    said = {"name": "X", "shape": [2, 3], "datatype": name}
    said["parameters"] = {"binary_data_size": values.nbytes}
    head = request(said, id="7", outputs=[{"name": "a", "parameters": {"binary_data": True}}])
    found = parse_request(head + values.tobytes(), str(len(head)).encode())
    assert found.inputs[0].values.tolist() == values.reshape(2, 3).tolist()
    assert found.inputs[0].datatype == name
    assert found.outputs == {"a": True}
    assert found.id == "7"


def test_several_inputs_take_their_bytes_in_turn():
    parts = [np.array([1.0, 2.0]), np.array([3.0])]
    said = [{**one(None, [len(p)]), "parameters": {"binary_data_size": p.nbytes}} for p in parts]
    for each in said:
        del each["data"]
    head = request(*said)
    found = parse_request(head + b"".join(p.tobytes() for p in parts), str(len(head)).encode())
    assert [t.values.tolist() for t in found.inputs] == [[1, 2], [3]]


def test_texts_in_base64_or_behind_their_lengths():
    texts = [b"abc", b"", b"\xff"]
    coded = [base64.b64encode(text).decode() for text in texts]
    assert parse_request(request(one(coded, [3], "BYTES"))).inputs[0].values == texts
    raw = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    said = {"name": "X", "shape": [3], "datatype": "BYTES"}
    head = request({**said, "parameters": {"binary_data_size": len(raw)}})
    assert parse_request(head + raw, str(len(head)).encode()).inputs[0].values == texts


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"inputs": {}},
        {"inputs": [1]},
        {"inputs": [one([1], [2])]},
        {"inputs": [one([1], [-1])]},
        {"inputs": [one([1], "1")]},
        {"inputs": [one([1], [1.0])]},
        {"inputs": [one([1], [True])]},
        {"inputs": [one([1], [1], "FP128")]},
        {"inputs": [one([1], [1], ["FP32"])]},
        {"inputs": [one(["x"], [1])]},
        {"inputs": [one([[1], [2, 3]], [3])]},
        {"inputs": [one({"a": 1}, [1])]},
        {"inputs": [one(None, [1])]},
        {"inputs": [one(["&"], [1], "BYTES")]},
        {"inputs": [one([1], [1], "BYTES")]},
        {"inputs": [one([1], [2**40])]},
        {"inputs": [{"name": "X", "shape": [1], "datatype": "FP64"}]},
        {"inputs": [one([1], [1], parameters={"binary_data_size": 9})]},
        {"inputs": [one([1], [1])], "outputs": 7},
    ],
)
def test_what_is_refused(said):
    with pytest.raises(Refusal) as caught:
        parse_request(json.dumps(said).encode())
    assert caught.value.status in (400, 413)


@given(st.binary(max_size=200), st.integers(-5, 300))
def test_any_bytes_are_a_request_or_refused(body, length):
    with contextlib.suppress(Refusal):
        parse_request(body, str(length).encode())


def test_an_answer_in_json_and_in_bytes():
    outputs = [Tensor("p", (1, 2), np.array([[0.25, 0.75]])), Tensor("label", (1,), ["ä".encode()])]
    plain, end = write_response({"model_name": "m"}, outputs, InferRequest([], {}, id="x"))
    assert end is None
    assert json.loads(plain) == {
        "model_name": "m",
        "id": "x",
        "outputs": [
            {"name": "p", "shape": [1, 2], "datatype": "FP64", "data": [0.25, 0.75]},
            {"name": "label", "shape": [1], "datatype": "BYTES", "data": ["ä"]},
        ],
    }
    mixed, end = write_response({}, outputs, InferRequest([], {"label": True, "p": False}))
    assert mixed[end:] == struct.pack("<I", 2) + "ä".encode()
    both, end = write_response({}, outputs, InferRequest([], {}, binary=True))
    assert both[end : end + 16] == np.array([0.25, 0.75]).tobytes()
