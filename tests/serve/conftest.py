"""Small models in files, and a server of them that tests can ask."""

import socket
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from crosslabel import CrossLabelClassifier, Model, save
from crosslabel.features import Pixels
from tests.app.conftest import CLASSES, picture

pytest.importorskip("starlette", reason="the extra studio is not installed")
pytest.importorskip("uvicorn", reason="the extra studio is not installed")


def rows_of(seed=0, n=12):
    """Rows of three classes along different directions, and their labels."""
    random = np.random.default_rng(seed)
    y = np.repeat(["a", "b", "c"], n)
    return 4 * np.repeat(np.eye(3, 8), n, axis=0) + random.standard_normal((3 * n, 8)), y


def rows_model(seed=0):
    X, y = rows_of(seed)
    return CrossLabelClassifier(rule="local", ridge=0.1, random_state=0).fit(X, y)


def images_model():
    random = np.random.default_rng(0)
    images = np.stack([picture(kind, random) for kind in (0, 1, 2) for _ in range(10)])
    labels = np.repeat([0, 1, 2], 10)
    steps = [
        ("pixels", Pixels((24, 24))),
        ("classifier", CrossLabelClassifier(rule="local", ridge=0.1)),
    ]
    return Model(Pipeline(steps).fit(images, labels), list(CLASSES), "images", "pixels")


@pytest.fixture(scope="session")
def model_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    save(rows_model(), folder / "rows.skops")
    save(images_model(), folder / "shapes.skops")
    return [folder / "rows.skops", folder / "shapes.skops"]


@contextmanager
def running(app, on_stop=lambda: None):
    """The address of a server that answers until the end of the block."""
    from crosslabel.serve.wire import listen, server

    taken = listen("127.0.0.1", 0)
    made = server(app, on_stop)
    thread = threading.Thread(target=made.run, args=([taken],), daemon=True)
    thread.start()
    for _ in range(1000):
        if made.started:
            break
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    finally:
        made.should_exit = True
        on_stop()
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def address(model_files):
    from crosslabel.serve.app import application
    from crosslabel.serve.guard import Door
    from crosslabel.serve.shelf import Shelf

    with running(application(Shelf(model_files), Door())) as found:
        yield found


def raw(address, content, seconds=10.0):
    """What a server answers to bytes that need not be HTTP."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as line:
        line.sendall(content)
        parts = []
        try:
            while part := line.recv(65536):
                parts.append(part)
        except (TimeoutError, ConnectionResetError):
            pass
    return b"".join(parts)
