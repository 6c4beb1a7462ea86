"""Fetching from a small server on this machine that can break off."""

import hashlib
import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from crosslabel.datasets import MissingData, fetch
from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.data_set import DataSet, Download
from crosslabel.datasets.fetching import fetch_file

CONTENT = bytes(range(256)) * 5000


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.ranges.append(self.headers.get("Range"))
        if self.path == "/absent":
            self.send_error(404)
            return
        start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        self.send_response(206 if start else 200)
        rest = self.server.content[start:]
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: self.server.breaks.pop(0)] if self.server.breaks else rest)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.content, served.breaks, served.ranges = CONTENT, [], []
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def source(server, name="file.bin", **changes):
    checksum = "md5:" + hashlib.md5(server.content).hexdigest()
    return Download(f"http://127.0.0.1:{server.server_port}/{name}", checksum, **changes)


def test_a_file_comes_whole(server, tmp_path):
    steps = []
    place = fetch_file(source(server), tmp_path, lambda have, total: steps.append((have, total)))
    assert place.read_bytes() == CONTENT
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    assert list(tmp_path.iterdir()) == [place]


def test_what_broke_off_is_resumed(server, tmp_path):
    server.breaks = [600_000]
    with pytest.raises(ConnectionError, match="run the command again"):
        fetch_file(source(server), tmp_path)
    assert not (tmp_path / "file.bin").exists()
    assert fetch_file(source(server), tmp_path).read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=600000-"]


def test_a_wrong_checksum_is_refused_and_nothing_stays(server, tmp_path):
    wrong = Download(source(server).url, "md5:" + "0" * 32)
    with pytest.raises(ConnectionError, match="not what it should be"):
        fetch_file(wrong, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_address_that_is_gone(server, tmp_path):
    with pytest.raises(ConnectionError, match="404"):
        fetch_file(source(server, "absent"), tmp_path)


def test_archives_are_unpacked_and_stay_inside(server, tmp_path):
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as tar:
        info = tarfile.TarInfo("pictures/a.txt")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"abc"))
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("top/inner.tar.gz", inner.getvalue())
        archive.writestr("../outside.txt", "x")
    server.content = outer.getvalue()
    fetch_file(source(server, "a.zip", archive=True), tmp_path / "data")
    assert (tmp_path / "data" / "top" / "pictures" / "a.txt").read_bytes() == b"abc"
    assert not (tmp_path / "outside.txt").exists()


def test_fetch_by_name(server, tmp_path, monkeypatch):
    def load(root):
        if not (tmp_path / "tiny" / "file.bin").exists():
            raise MissingData("absent")

    known = DataSet("tiny", load, "tiny", "file.bin", "", (source(server),))
    monkeypatch.setitem(DATASETS, "tiny", known)
    assert fetch("tiny", tmp_path) == tmp_path / "tiny"
    fetch("tiny", tmp_path)
    assert len(server.ranges) == 1


def test_no_address_is_known(tmp_path):
    with pytest.raises(MissingData, match=r"comes from .*Lay it out under .*scene15 as"):
        fetch("scene15", tmp_path)
    with pytest.raises(ValueError, match="no data set 'cifar'"):
        fetch("cifar", tmp_path)
