from pathlib import Path

import pytest

from crosslabel.datasets.root import MissingData, data_root, find


def test_the_folder_is_given_or_named_by_the_variable_or_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CROSSLABEL_DATA", str(tmp_path))
    assert data_root("there") == Path("there")
    assert data_root() == tmp_path
    monkeypatch.delenv("CROSSLABEL_DATA")
    assert data_root() == Path.home() / ".cache" / "crosslabel" / "data"


def test_the_first_place_that_exists_is_taken(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    assert find("mine", tmp_path, "a", "b", "c") == tmp_path / "b"


def test_an_absent_data_set_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(MissingData, match="data fetch mine") as caught:
        find("mine", tmp_path, "a", "b")
    assert f"{tmp_path / 'a'} or {tmp_path / 'b'}" in str(caught.value)
