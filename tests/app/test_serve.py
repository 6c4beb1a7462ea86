import os
import signal
import subprocess
import sys

import pytest

from crosslabel.app.serve import address_of, web
from tests.app.command import run
from tests.serve.asking import ask, asked

pytest.importorskip("uvicorn", reason="the extra studio is not installed")


def test_another_address_wants_a_token_or_says_that_anyone_may(model_file):
    result = run("serve", model_file, "--host", "0.0.0.0")
    assert result.exit_code == 1
    assert "--token" in result.stderr
    assert "--allow-anyone" in result.stderr


def test_a_file_that_is_no_model(tmp_path):
    (tmp_path / "x.skops").write_bytes(b"no")
    result = run("serve", tmp_path / "x.skops")
    assert result.exit_code == 1
    assert "x.skops" in result.stderr


def test_an_address_is_one_for_browsers():
    assert address_of("127.0.0.1", 80) == "http://127.0.0.1:80"
    assert address_of("::1", 80) == "http://[::1]:80"


def test_a_missing_package_is_named():
    with pytest.raises(ImportError, match=r"no_such_package: pip install 'crosslabel\[studio\]'"):
        web("no_such_package")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_it_serves_with_a_token_until_it_is_asked_to_stop(model_file):
    words = ["serve", str(model_file), "--port", "0", "--token", "secret"]
    child = subprocess.Popen(
        [sys.executable, "-m", "crosslabel", *words],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        address = child.stdout.readline().decode().strip()
        assert address.endswith("/v2/models/model")
        assert ask(address)[0] == 401
        assert asked(address, Authorization="Bearer secret")["name"] == "model"
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) in (0, -signal.SIGTERM)
    finally:
        child.kill()
        child.stdout.close()
