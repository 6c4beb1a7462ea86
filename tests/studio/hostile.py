# ruff: noqa: E501
"""Requests that no page would send: for the studio and for served models, in any number."""

import errno
import json
import random
import socket
from collections import Counter
from urllib.parse import quote

from tests.studio.conftest import drawing
from tests.studio.test_studio import bomb

MARKUP = "<img src=x onerror=alert(1)>"
NAMES = [
    "..", "../x", "..\\x", "/etc/passwd", "%2e%2e%2f", "a\0b", ".crosslabel", "con", "\ud800", "x" * 5000,
    MARKUP, "<script>alert(1)</script>", "'; drop table", "‮gpj.exe", "${7*7}", "{{7*7}}", "\r\nX: y",
    None, 7, [], {}, True,
]  # fmt: skip
VALUES = [None, 0, -1, 1e308, "x", [], {}, [[]], [None], {"a": 1}, "x" * 10_000, True, [[[[[]]]]]]


class Hostile:
    """Draws requests, as bytes to be sent on a connection of their own.

    Parameters
    ----------
    host : str
        As `127.0.0.1:8080`.
    paths : list of str
        Where the server answers, the token included.
    seed : int
    """

    def __init__(self, host, paths, seed=0):
        self.host = host
        self.paths = paths
        self.draw = random.Random(seed)

    def request(self):
        kinds = (
            self.wrong_host, self.wrong_origin, self.traversal, self.wrong_json, self.odd_change,
            self.odd_tensor, self.multipart, self.no_picture, self.huge, self.broken_http,
            self.wrong_method, self.short_body, self.odd_headers,
        )  # fmt: skip
        return self.draw.choice(kinds)()

    def _http(self, path, body=b"", method="POST", host=None, **headers):
        named = {"Host": host or self.host, "Content-Length": str(len(body)), "Connection": "close"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in named.items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body

    def _path(self):
        return self.draw.choice(self.paths)

    def wrong_host(self):
        hosts = [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil",
            "",
            "[::1",
            "127.1",
            "0",
        ]
        return self._http(self._path(), method="GET", host=self.draw.choice(hosts) or " ")

    def wrong_origin(self):
        origin = self.draw.choice(
            ["http://evil.example", "null", "file://", "http://127.0.0.1:1", "x"]
        )
        return self._http(self._path(), b"{}", Origin=origin)

    def traversal(self):
        base = self._path().rsplit("/", 1)[0]
        tail = self.draw.choice(
            ["../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "....//etc",
             "..\\..\\windows", "%00", "thumbnail/../../journal.jsonl", "take/../model.skops", "%c0%ae", "//etc"]
        )  # fmt: skip
        return self._http(f"{base}/{tail}", method=self.draw.choice(["GET", "POST", "PUT"]))

    def wrong_json(self):
        texts = [
            b"{",
            b"[" * 5000,
            b"{}" * 9,
            b"\xff\xfe",
            b'{"a":' + b"9" * 5000 + b"}",
            b"nul",
            b"1e999",
            b'"\\ud800"',
            b'{"do":1}',
        ]
        return self._http(self._path(), self.draw.choice(texts), Content_Type="application/json")

    def odd_change(self):
        draw = self.draw.choice
        kinds = ["add", "move", "remove", "new-class", "rename", "remove-class", "confirm", "x"]
        pictures = [
            {"class": draw(NAMES), "name": draw(NAMES), "staged": draw(NAMES), "to": draw(NAMES)}
        ]
        said = {"do": draw(kinds), "name": draw(NAMES), "class": draw(NAMES), "to": draw(NAMES)}
        said |= {"pictures": draw([pictures, *VALUES]), "asking": draw(NAMES)}
        return self._http(self._path(), json.dumps(said).encode("utf-8", "surrogatepass"))

    def odd_tensor(self):
        draw = self.draw.choice
        one = {"name": draw(NAMES), "shape": draw([[1, 8], [-1], [2**62, 2**62], *VALUES])}
        one |= {
            "datatype": draw(["FP64", "BYTES", "FP32", *VALUES]),
            "data": draw([[0] * 8, *VALUES]),
        }
        one["parameters"] = draw([{"binary_data_size": draw([64, -1, 10**30, "x"])}, *VALUES])
        said = {
            "inputs": draw([[one], [one] * 3, *VALUES]),
            "outputs": draw([[{"name": draw(NAMES)}], *VALUES]),
        }
        length = draw(["10", "-1", "999999999999", "x"])
        headers = {"Inference_Header_Content_Length": length} if self.draw.random() < 0.3 else {}
        return self._http(
            self._path(), json.dumps(said).encode("utf-8", "surrogatepass"), **headers
        )

    def multipart(self):
        bodies = [
            b"--x\r\n", b"--x--", b"--x\r\nContent-Disposition: form-data; name=a; filename=../../b\r\n\r\nz\r\n--x--\r\n",
            b"--x\r\nContent-Disposition: form-data; name=\xff\r\n\r\n", b"--x\r\n" + b"A: b\r\n" * 2000,
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nz\r\n' * 300 + b"--x--", b"\0" * 5000,
        ]  # fmt: skip
        kind = self.draw.choice(
            [
                "multipart/form-data; boundary=x",
                "multipart/form-data",
                'multipart/form-data; boundary="',
                "multipart/mixed; boundary=x",
            ]
        )
        return self._http(self._path(), self.draw.choice(bodies), Content_Type=kind)

    def no_picture(self):
        good = drawing(0, 1)
        cut = self.draw.randrange(len(good))
        spoilt = bytearray(good)
        spoilt[cut] ^= 0xFF
        contents = [good[:cut], bytes(spoilt), bomb(40_000), b"GIF89a" + b"\xff" * 50, b"<svg onload=alert(1)>",
                    b"\xff\xd8\xff" + bytes(100), b"II*\0" + bytes(200), b"RIFF\xff\xff\xff\xffWEBPVP8L", b"BM" + bytes(90)]  # fmt: skip
        return self._http(self._path(), self.draw.choice(contents))

    def huge(self):
        length = self.draw.choice([10**9, 10**18, 10**40, -5])
        return self._http(self._path(), Content_Length=str(length))

    def broken_http(self):
        return self.draw.choice(
            [b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"\x16\x03\x01\x02\0",
             b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: x\r\n\r\nzz\r\n", b"GET / HTTP/1.1\r\nA: " + b"b" * 100_000 + b"\r\n\r\n",
             b"GET \xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
        )  # fmt: skip

    def wrong_method(self):
        method = self.draw.choice(
            ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "CONNECT", "FOO"]
        )
        return self._http(self._path(), b"{}", method=method)

    def short_body(self):
        return self._http(self._path(), b"abc", Content_Length="100")

    def odd_headers(self):
        value = self.draw.choice(["a" * 3000, "\x7f", "é", "a, b", "0", "gzip"])
        name = self.draw.choice(
            [
                "Content-Encoding",
                "Transfer-Encoding",
                "Expect",
                "Range",
                "Cookie",
                "Upgrade",
                "Authorization",
                "X-Forwarded-Host",
            ]
        )
        query = quote(self.draw.choice([MARKUP, "../..", "\0"]))
        return self._http(f"{self._path()}?{query}", b"{}", **{name: value})


def status_of(host, content, seconds=20.0):
    """The status of an answer; 0 where the connection was closed without one."""
    name, port = host.split(":")
    with socket.create_connection((name, int(port)), timeout=seconds) as line:
        try:
            line.sendall(content)
            line.shutdown(socket.SHUT_WR)
            found = b""
            while len(found) < 12 and (part := line.recv(4096)):
                found += part
        except OSError as error:
            # A server that refuses closes at once; one that hangs is another matter.
            if isinstance(error, ConnectionError) or error.errno == errno.ENOTCONN:
                return 0
            raise
    return int(found[9:12]) if found.startswith(b"HTTP/1.") else 0


def attack(host, paths, count, seed=0):
    """Statuses of so many hostile requests."""
    hostile = Hostile(host, paths, seed)
    return Counter(status_of(host, hostile.request()) for _ in range(count))
