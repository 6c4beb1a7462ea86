import os

import pytest

from crosslabel.app.outputs import check_output


def test_a_place_that_can_be_written_is_given_back(tmp_path):
    assert check_output(tmp_path / "new.png", suffixes=(".png",), keep=True) == tmp_path / "new.png"
    (tmp_path / "old.png").touch()
    assert check_output(tmp_path / "old.png") == tmp_path / "old.png"
    assert not (tmp_path / "new.png").exists()


def test_what_stops_a_writer_is_said(tmp_path):
    (tmp_path / "old.skops").touch()
    with pytest.raises(FileExistsError, match=r"old\.skops is there already. Give --force"):
        check_output(tmp_path / "old.skops", keep=True)
    with pytest.raises(ValueError, match=r"must end in one of \.md, \.html"):
        check_output(tmp_path / "x.pdf", suffixes=(".md", ".html", ""))
    with pytest.raises(IsADirectoryError, match="is a folder"):
        check_output(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no folder .*absent for x\.md"):
        check_output(tmp_path / "absent" / "x.md")


def test_a_folder_that_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    with pytest.raises(PermissionError, match="cannot be written to"):
        check_output(tmp_path / "x.md")
