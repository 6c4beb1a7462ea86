"""The protocol as clients see it: one of the standard library, and Triton's own."""

import json
from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

from crosslabel._version import __version__
from tests.app.conftest import CLASSES, picture
from tests.serve.asking import ask, asked
from tests.serve.conftest import raw, rows_model, rows_of


def png(kind, seed=1):
    file = BytesIO()
    Image.fromarray(picture(kind, np.random.default_rng(seed))).save(file, "PNG")
    return file.getvalue()


def test_health_and_metadata(address):
    assert asked(f"{address}/v2/health/live")["live"]
    assert asked(f"{address}/v2/health/ready")["ready"]
    about = asked(f"{address}/v2")
    assert (about["name"], about["version"]) == ("crosslabel", __version__)
    assert about["models"] == ["rows", "shapes"]
    assert asked(f"{address}/v2/models/rows/ready")["ready"]
    rows = asked(f"{address}/v2/models/rows/versions/1")
    assert rows["inputs"] == [{"name": "X", "datatype": "FP64", "shape": [-1, 8]}]
    assert rows["parameters"]["classes"] == ["a", "b", "c"]
    assert {one["name"]: one["shape"] for one in rows["outputs"]} == {
        "label": [-1],
        "probabilities": [-1, 3],
        "scores": [-1, 3],
        "novelty": [-1],
    }


def test_infer_in_json(address):
    X, _ = rows_of(3)
    said = {"name": "X", "shape": list(X.shape), "datatype": "FP64", "data": X.tolist()}
    found = asked(f"{address}/v2/models/rows/infer", {"inputs": [said], "id": "42"})
    assert (found["model_name"], found["id"]) == ("rows", "42")
    outputs = {one["name"]: one for one in found["outputs"]}
    assert outputs["label"]["data"] == rows_model().predict(X).tolist()
    assert_allclose(
        np.reshape(outputs["probabilities"]["data"], (-1, 3)), rows_model().predict_proba(X)
    )


def test_tritons_own_client(address):
    client_of = pytest.importorskip("tritonclient.http", reason="Triton's client is not installed")
    client = client_of.InferenceServerClient(address.removeprefix("http://"))
    assert client.is_server_live()
    assert client.is_model_ready("rows")
    assert not client.is_model_ready("nothing")
    assert client.get_model_metadata("rows", model_version="1")["name"] == "rows"
    X, _ = rows_of(3)
    for binary in (True, False):
        given = client_of.InferInput("X", list(X.shape), "FP32")
        given.set_data_from_numpy(X.astype(np.float32), binary_data=binary)
        wanted = [
            client_of.InferRequestedOutput(name, binary_data=binary)
            for name in ("label", "probabilities", "novelty")
        ]
        found = client.infer("rows", [given], outputs=wanted, request_id="7")
        labels = [
            label.decode() if isinstance(label, bytes) else label
            for label in found.as_numpy("label").tolist()
        ]
        assert labels == rows_model().predict(X).tolist()
        assert_allclose(found.as_numpy("probabilities"), rows_model().predict_proba(X), atol=1e-5)
        assert found.get_response()["id"] == "7"
    picture_input = client_of.InferInput("image", [1], "BYTES")
    picture_input.set_data_from_numpy(np.array([png(1)], dtype=object))
    found = client.infer("shapes", [picture_input])
    assert found.as_numpy("label").tolist() == [CLASSES[1].encode()]
    short = client_of.InferInput("X", [1, 3], "FP64")
    short.set_data_from_numpy(np.ones((1, 3)))
    with pytest.raises(client_of.InferenceServerException, match="rows of 8 features"):
        client.infer("rows", [short])
    client.close()


def test_classify_a_body_or_a_form(address):
    place = f"{address}/v2/models/shapes/classify"
    (said,) = asked(place, png(2))["images"]
    assert said["label"] == CLASSES[2]
    assert next(iter(said["probabilities"])) == CLASSES[2]
    assert sum(said["probabilities"].values()) == pytest.approx(1)
    assert "reasons" not in said
    parts = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
        + one
        + b"\r\n"
        for one in (png(0), b"no image", png(1))
    )
    form = "multipart/form-data; boundary=x"
    found = asked(f"{place}?explain=1", parts + b"--x--\r\n", Content_Type=form)["images"]
    assert [one.get("label") for one in found] == [CLASSES[0], None, CLASSES[1]]
    assert "no image of a known format" in found[1]["problem"]
    assert found[0]["reasons"][0]["name"] == CLASSES[0]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/", None, 404),
        ("/v2/models/nothing", None, 404),
        ("/v2/models/rows/versions/2", None, 404),
        ("/v2/models/rows/infer", None, 405),
        ("/v2/models/rows/infer", b"{", 400),
        ("/v2/models/rows/classify", b"x", 400),
        ("/v2/models/shapes/classify", b"", 400),
        ("/v2/models/../../etc/passwd", None, 404),
    ],
)
def test_what_is_refused(address, path, body, status):
    found, headers, content = ask(address + path, body)
    assert found == status
    assert headers["content-security-policy"]
    if status != 405:
        assert json.loads(content)["error"]


def test_forms_that_are_none(address):
    place = f"{address}/v2/models/shapes/classify"
    for form, body in [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=x", b"--y\r\n"),
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data\r\n\r\nz\r\n--x--",
        ),
        ("multipart/form-data; boundary=" + "x" * 300, b"--x"),
    ]:
        status, _, content = ask(place, body, Content_Type=form)
        assert status == 400, content


def test_other_hosts_and_origins_are_sent_away(address):
    assert ask(f"{address}/v2", Host="evil.example")[0] == 403
    assert ask(f"{address}/v2/models/rows/infer", b"{}", Origin="http://evil.example")[0] == 403
    assert raw(address, b"GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 400"
    )


def test_metrics_count_what_was_asked(address):
    def count():
        text = ask(f"{address}/metrics")[2].decode()
        line = 'crosslabel_requests_total{model="shapes",what="classify",status="200"} '
        return sum(int(one.removeprefix(line)) for one in text.splitlines() if one.startswith(line))

    before = count()
    asked(f"{address}/v2/models/shapes/classify", png(0))
    assert count() == before + 1
