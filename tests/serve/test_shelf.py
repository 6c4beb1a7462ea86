import os
import shutil

import pytest

from crosslabel import save
from crosslabel.serve import shelf as module
from crosslabel.serve.shelf import Shelf, mark_of
from tests.serve.conftest import rows_model, rows_of


def test_a_changed_file_is_loaded_anew_whole_or_not_at_all(model_files, tmp_path, capsys):
    place = tmp_path / "m.skops"
    shutil.copy(model_files[0], place)
    served = Shelf([place]).models["m"]
    before = served.answerer
    assert not served.look()
    assert served.answerer is before

    place.write_bytes(b"half a model")
    assert not served.look()
    assert served.answerer is before
    assert served.failures == 1
    assert "m.skops was not loaded anew" in capsys.readouterr().err
    assert not served.look()
    assert served.failures == 1

    other = rows_model(seed=9)
    save(other, place)
    assert served.look()
    X, _ = rows_of(4)
    found = served.answerer.answers(X, ["label"])["label"]
    assert found.tolist() == other.predict(X).tolist()

    os.unlink(place)
    last = served.answerer
    assert not served.look()
    assert served.answerer is last


def test_two_models_of_one_name_are_refused(model_files, tmp_path):
    shutil.copy(model_files[0], tmp_path / "rows.skops")
    with pytest.raises(ValueError, match="both be served as 'rows'"):
        Shelf([model_files[0], tmp_path / "rows.skops"])


def test_the_watch_sees_a_change(model_files, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.01)
    place = tmp_path / "m.skops"
    shutil.copy(model_files[0], place)
    shelf = Shelf([place])
    shelf.watch()
    try:
        save(rows_model(seed=9), place)
        for _ in range(1000):
            if shelf.models["m"].loads == 2:
                break
            shelf.stopped.wait(0.01)
        assert shelf.models["m"].loads == 2
        assert shelf.models["m"].mark == mark_of(place)
    finally:
        shelf.stop()
