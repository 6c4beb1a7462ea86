import socket
import time

import pytest

from crosslabel.serve import wire
from tests.serve.conftest import raw, running


async def hello(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_headers_may_be_long_but_not_endless():
    with running(hello) as address:
        assert raw(address, REQUEST).endswith(b"hello\r\n0\r\n\r\n")
        assert raw(address, b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000, 5).startswith(
            b"HTTP/1.1 400"
        )
        many = b"".join(b"X%d: y\r\n" % n for n in range(10_000))
        assert raw(address, b"GET / HTTP/1.1\r\n" + many, 5).startswith(b"HTTP/1.1 400")
        assert raw(address, REQUEST).endswith(b"hello\r\n0\r\n\r\n")


def test_a_slow_or_silent_client_is_sent_away(monkeypatch):
    monkeypatch.setattr(wire, "HEADER_SECONDS", 0.2)
    with running(hello) as address:
        start = time.perf_counter()
        assert raw(address, b"", 5).startswith(b"HTTP/1.1 400")
        assert raw(address, b"GET / HT", 5).startswith(b"HTTP/1.1 400")
        assert time.perf_counter() - start < 4


def test_two_requests_on_one_connection():
    with running(hello) as address:
        found = raw(address, REQUEST.replace(b"Connection: close\r\n", b"") + REQUEST)
        assert found.count(b"hello") == 2


def test_a_taken_port_is_said():
    with wire.listen("127.0.0.1", 0) as taken:
        assert taken.family == socket.AF_INET
        with pytest.raises(OSError, match="cannot be listened on"):
            wire.listen("127.0.0.1", taken.getsockname()[1])
