import asyncio

import pytest

from crosslabel.serve import bodies
from crosslabel.serve.bodies import parsed_object, read_body
from crosslabel.serve.refusal import Refusal


def body(*parts, most=10, length=None, pause=0.0, gone=False):
    left = list(parts)

    async def receive():
        await asyncio.sleep(pause)
        if not left:
            return {"type": "http.disconnect"}
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left) or gone}

    headers = [] if length is None else [(b"content-length", length)]
    return asyncio.run(read_body({"headers": headers}, receive, most))


def refused(*parts, **more):
    with pytest.raises(Refusal) as caught:
        body(*parts, **more)
    return caught.value.status


def test_a_body_in_one_part_and_in_many():
    assert body(b"0123456789") == b"0123456789"
    assert body(b"01", b"", b"234", b"56789", length=b"10") == b"0123456789"


def test_too_much_is_refused_before_it_is_read_or_while():
    assert refused(b"", length=b"11") == 413
    assert refused(b"", length=b"-1") == 413
    assert refused(b"", length=b"1e3") == 413
    assert refused(b"01234567890") == 413
    assert refused(b"012345", b"67890", length=b"3") == 413


def test_a_body_that_ends_early_or_never(monkeypatch):
    assert refused(b"01", gone=True) == 400
    monkeypatch.setattr(bodies, "SECONDS", 0.05)
    assert refused(b"01", pause=1.0) == 408
    assert refused(*[b"0"] * 9, pause=0.03) == 408


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[1]", b"1", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000, b"9" * 5000]
)
def test_what_is_no_object(text):
    with pytest.raises(Refusal) as caught:
        parsed_object(text)
    assert caught.value.status == 400


def test_an_object():
    assert parsed_object(b'{"a": [1, 2]}') == {"a": [1, 2]}
