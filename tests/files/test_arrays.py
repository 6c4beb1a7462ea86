import numpy as np
import pytest

from crosslabel.files import arrays

CONTENT = {
    "numbers": np.arange(6.0).reshape(2, 3),
    "names": np.array(["a", "ü"]),
    "none": np.empty((0, 4), np.float32),
    "turned": np.arange(6.0).reshape(2, 3).T,
}


@pytest.fixture
def place(tmp_path):
    arrays.save(tmp_path / "a", "statistics", CONTENT)
    return tmp_path / "a"


def test_what_was_saved_comes_back(place):
    found = arrays.load(place, "statistics")
    assert found.keys() == CONTENT.keys()
    for name, array in CONTENT.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_another_kind_is_refused(place):
    with pytest.raises(ValueError, match="holds 'statistics', not 'stream'"):
        arrays.load(place, "stream")


def test_another_format_names_the_version_that_wrote_it(place, monkeypatch):
    monkeypatch.setattr(arrays, "FORMAT", 99)
    with pytest.raises(ValueError, match=r"of format 1, written by crosslabel .*reads format 99"):
        arrays.load(place, "statistics")


def test_changed_values_do_not_have_the_checksum(place):
    with np.load(place) as file:
        content = dict(file)
    content["numbers"] = content["numbers"] + 1
    np.savez(place.with_suffix(".npz"), **content)
    with pytest.raises(ValueError, match="checksum"):
        arrays.load(place.with_suffix(".npz"), "statistics")


@pytest.mark.parametrize("content", [b"", b"words", b"PK\x03\x04" + b"\0" * 40])
def test_what_is_no_such_file(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(ValueError, match="damaged or no file of crosslabel"):
        arrays.load(tmp_path / "a", "statistics")
    with pytest.raises(FileNotFoundError, match="no file"):
        arrays.load(tmp_path / "absent", "statistics")


def test_objects_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(ValueError, match="odd holds Python objects"):
        arrays.save(tmp_path / "a", "statistics", {"odd": np.array([None])})
    assert not list(tmp_path.iterdir())
