"""`crosslabel serve` under load: one-row requests over loopback, many connections, for a minute.

The client is a few lines of asyncio on the same machine, in a process of its own; it checks every
answer. Memory is that of the server, before and after.

Run: python -m benchmarks.serve [--seconds 60] [--connections 50]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier, save

WARM = 3.0
"""Seconds before anything is counted."""


class Client(asyncio.Protocol):
    """Sends one request after the other on one connection, and notes how long each took."""

    def __init__(self, request: bytes, expected: bytes, end: float, times: list[float]) -> None:
        self.request, self.expected, self.end, self.times = request, expected, end, times
        self.received, self.sent, self.errors = b"", 0.0, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Ask for the first time."""
        self.transport = transport
        self._send()

    def _send(self) -> None:
        self.sent = time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        """Note an answer when it is whole, and ask again."""
        self.received += data
        head, blank, body = self.received.partition(b"\r\n\r\n")
        if not blank:
            return
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        if len(body) < length:
            return
        now = time.perf_counter()
        self.times.append(now - self.sent)
        self.errors += not (head.startswith(b"HTTP/1.1 200") and self.expected in body)
        self.received = b""
        if now < self.end:
            self._send()
        else:
            self.transport.close()


async def loaded(
    port: int, request: bytes, expected: bytes, connections: int, seconds: float
) -> tuple[np.ndarray, int]:
    """Seconds of each request, and how many were not answered as they should be."""
    loop, times, end = asyncio.get_running_loop(), list[float](), time.perf_counter() + seconds
    clients = []
    for _ in range(connections):
        made = await loop.create_connection(
            lambda: Client(request, expected, end, times), "127.0.0.1", port
        )
        clients.append(made[1])
    await asyncio.sleep(seconds + 2)
    return np.array(times), sum(client.errors for client in clients)


def request_of(port: int, row: np.ndarray, binary: bool) -> bytes:
    said: dict[str, object] = {"name": "X", "shape": [1, len(row)], "datatype": "FP64"}
    tail, extra = b"", ""
    if binary:
        tail = row.tobytes()
        said["parameters"] = {"binary_data_size": len(tail)}
    else:
        said["data"] = row.tolist()
    head = json.dumps({"inputs": [said], "outputs": [{"name": "label"}]}).encode()
    if binary:
        extra = f"Inference-Header-Content-Length: {len(head)}\r\n"
    lines = (
        f"POST /v2/models/digits/infer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{extra}"
        f"Content-Length: {len(head) + len(tail)}\r\n\r\n"
    )
    return lines.encode() + head + tail


def resident(process: int) -> float:
    """Megabytes of memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def worked(process: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(seconds: float, connections: int) -> Iterator[Line]:
    X, y = load_digits(return_X_y=True)
    model = CrossLabelClassifier(random_state=0).fit(X[:1500], y[:1500])
    row = X[1600]
    expected = f'"data": ["{model.predict(row[None])[0]}"]'.encode()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "digits.skops")
        save(model, place)
        words = [sys.executable, "-m", "crosslabel", "serve", str(place), "--port", "0"]
        child = subprocess.Popen(
            words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        assert child.stdout is not None
        port = int(child.stdout.readline().decode().split(":")[2].split("/")[0])
        for binary in (False, True):
            kind = "binary" if binary else "JSON"
            request = request_of(port, row, binary)
            asyncio.run(loaded(port, request, expected, connections, WARM))
            before, spent = resident(child.pid), worked(child.pid)
            times, errors = asyncio.run(loaded(port, request, expected, connections, seconds))
            each = (worked(child.pid) - spent) / len(times)
            print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            yield Line(f"{kind}: ms of one core for a request, server alone", 1e3 * each)
            yield Line(f"{kind}: requests a second", len(times) / seconds, ">=", 1500)
            yield Line(f"{kind}: 99 % within, ms", 1e3 * float(np.quantile(times, 0.99)), "<=", 100)
            yield Line(f"{kind}: errors", errors, "<=", 0)
            grown = resident(child.pid) - before
            yield Line(f"{kind}: memory grown by, MB", grown, "<=", 10)
        child.terminate()
        yield Line("seconds to stop, asked politely", _stopped(child), "<=", 5)


def _stopped(child: subprocess.Popen[bytes]) -> float:
    start = time.perf_counter()
    child.wait(60)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--connections", type=int, default=50)
    return command(
        "serve",
        "crosslabel serve",
        lambda given: measured(given.seconds, given.connections),
        parser,
    )


if __name__ == "__main__":
    sys.exit(main())
