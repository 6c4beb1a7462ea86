"""What a file says of settings, places and arrays of our own estimators."""

import numpy as np
import pytest

from crosslabel import LRC, RCR, SRC, CrossLabelClassifier
from crosslabel.files import ModelFileError, load, save
from crosslabel.files.model import encoded
from crosslabel.files.verify import parameters_of, without_places
from tests.files.problems import small_file, with_arrays, with_values
from tests.methods.test_methods import faces


def loaded(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    return load(tmp_path / "m")


def test_a_file_does_not_choose_where_a_later_fit_writes_and_deletes(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    content = with_values(encoded(CrossLabelClassifier()), checkpoint=str(precious))
    model = loaded(tmp_path, content)
    assert model.checkpoint is None
    np.save(tmp_path / "X.npy", faces()[0])
    model.fit(tmp_path / "X.npy", faces()[1])
    assert precious.read_text() == "kept"


def test_of_other_paths_the_name_is_left():
    from crosslabel.features import Embedding

    state = {"model": "/etc/../secret/net.onnx", "cache": "/tmp", "n_jobs": 4, "layer": "a/b"}
    found = without_places(Embedding, state)
    assert found == {"model": "net.onnx", "cache": None, "n_jobs": None, "layer": "a/b"}
    assert without_places(Embedding, {"model": "C:\\x\\net.onnx"})["model"] == "net.onnx"
    assert "self" not in parameters_of(Embedding)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ridge": -1.0}, "ridge"),
        ({"atoms_per_class": 1e9}, "atoms_per_class"),
        ({"rule": "nonsense"}, "rule"),
        ({"image_shape_": None}, "Pixels is not sound"),
        ({"size": 7}, "size"),
    ],
)
def test_parameters_have_ranges(tmp_path, changes, reason):
    with pytest.raises(ModelFileError, match=reason):
        loaded(tmp_path, with_values(small_file(), **changes))


@pytest.mark.parametrize("model", [SRC(), LRC(), RCR()], ids=lambda m: type(m).__name__)
def test_arrays_are_finite(tmp_path, model):
    name = "bases_" if isinstance(model, LRC) else "dictionary_"
    content = encoded(model.fit(*faces()))
    with pytest.raises(ModelFileError, match=r"holds NaN|values from nan"):
        loaded(tmp_path, with_arrays(content, **{name: lambda a: a * np.nan}))


def test_what_cannot_be_loaded_is_not_saved(tmp_path):
    model = SRC().fit(*faces())
    model.dictionary_ = model.dictionary_ * np.nan
    with pytest.raises(ModelFileError, match=r"SRC cannot be saved as a model.*dictionary_"):
        save(model, tmp_path / "m")
    assert not list(tmp_path.iterdir())
