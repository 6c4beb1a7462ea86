import json
import re

from crosslabel.app.inspect import as_text
from crosslabel.files.description import describe
from tests.app.command import run
from tests.files.problems import small_file, with_json


def test_what_is_inside(model_file):
    done = run("inspect", model_file)
    assert done.exit_code == 0
    for words in ("SHA-256 holds", "3 classes: ball, böse Ecke, x.cross", "Takes images"):
        assert words in done.stdout
    assert re.search(r"classifier\.\S*dictionary", done.stdout)
    told = json.loads(run("inspect", model_file, "--json").stdout)
    assert told["manifest"]["class_names"] == ["ball", "böse Ecke", "x.cross"]
    assert told["manifest"]["steps"][0]["parameters"]["size"] == [24, 24]
    assert {"path", "shape", "dtype"} == set(told["arrays"][0])


def test_damaged_files_are_one_sentence(model_file, tmp_path):
    (tmp_path / "m").write_bytes(model_file.read_bytes()[:-1])
    done = run("inspect", tmp_path / "m")
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: ")
    assert "cannot be loaded as a model" in done.stderr


def test_a_name_cannot_command_the_terminal(tmp_path):
    place = tmp_path / "m"
    change = {"class_names": ["\x1b[2J", "b", "c"]}
    place.write_bytes(with_json(small_file(), "manifest.json", lambda m: m.update(change)))
    assert "\x1b" not in as_text(describe(place))
