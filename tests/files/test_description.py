import hashlib

import numpy as np
import pytest

import crosslabel
from crosslabel.files import ModelFileError
from crosslabel.files.description import describe
from tests.files.problems import small_file, small_model, with_json, with_member


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "m"
    place.write_bytes(small_file())
    return place


def test_arrays_are_told_by_where_they_stand(place):
    found = describe(place)
    classifier = small_model().pipeline[-1]
    shape = classifier.dictionary_.shape
    stored = [array for array in found.arrays if array.path.endswith("dictionary")]
    assert len(stored) == len(classifier.fitted_.views)
    assert (stored[0].shape, stored[0].dtype) == (shape, str(classifier.dictionary_.dtype))
    assert stored[0].path.startswith("crosslabelclassifier.")
    assert found.bytes == place.stat().st_size
    assert found.checksum == hashlib.sha256(place.read_bytes()[:-64]).hexdigest()
    assert found.manifest["crosslabel"] == crosslabel.__version__


def test_nothing_is_loaded(place, monkeypatch):
    def fail(*_):
        raise AssertionError("loaded")

    monkeypatch.setattr("crosslabel.files.container.Archive.array", fail)
    monkeypatch.setattr("crosslabel.files.decode.decode", fail)
    monkeypatch.setattr(np, "frombuffer", fail)
    describe(place)


def test_what_would_not_load_is_not_described(place):
    def poison(schema):
        schema["content"]["__module__"] = "os"

    for content in (
        place.read_bytes()[:-5],
        with_json(small_file(), "schema.json", poison),
        with_member(small_file(), "0.npy", b"no array"),
    ):
        place.write_bytes(content)
        with pytest.raises(ModelFileError, match="cannot be loaded"):
            describe(place)
