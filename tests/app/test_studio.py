import json
import os
import signal
import subprocess
import sys

import pytest

from tests.app.command import run
from tests.serve.asking import ask
from tests.studio.conftest import drawing, write_pictures

pytest.importorskip("uvicorn", reason="the extra studio is not installed")


def test_an_address_that_is_no_served_model(tmp_path):
    result = run("studio", tmp_path / "x", "--features", "pixels", "--served", "nothing")
    assert result.exit_code == 1
    assert "is no served model" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_it_prints_its_address_works_and_stops_when_asked(tmp_path):
    root = write_pictures(tmp_path / "shapes")
    words = ["studio", str(root), "--features", "pixels", "--no-browser"]
    child = subprocess.Popen(
        [sys.executable, "-m", "crosslabel", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        address = child.stdout.readline().decode().strip()
        assert ask(f"{address}api/state")[0] == 200
        status, _, said = ask(f"{address}api/ask", drawing(0, 5))
        assert status == 200
        assert json.loads(said)["asked"]
        child.send_signal(signal.SIGINT)
        child.wait(40)
    finally:
        child.kill()
        child.stdout.close()
    assert (root / ".crosslabel" / "journal.jsonl").parent.exists()
