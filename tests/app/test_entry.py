"""The command line as a user meets it: words in, text and exit status out."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest
from PIL import Image

from crosslabel._version import __version__
from crosslabel.app.entry import COMMANDS, application
from tests.app.command import run
from tests.app.conftest import CLASSES

GIVEN = ["--ridge", "0.01", "--suppression", "2000", "--grouping", "0.02", "--rule", "global"]
GIVEN += ["--jobs", "1", "--features", "pixels"]


def test_fit_evaluate_predict_explain(photos, tmp_path):
    model = tmp_path / "m.skops"
    done = run("fit", photos, "--out", model, *GIVEN)
    assert done.exit_code == 0, done.output
    assert "95 % interval" in done.stdout
    assert "global rule" in done.stdout
    done = run("evaluate", model, photos)
    assert "Accuracy:" in done.stdout
    done = run("explain", model, photos / CLASSES[0] / "0.png", "--out", tmp_path / "w.png")
    assert "is labelled" in done.stdout
    assert (tmp_path / "w.png").exists()


def test_json_is_json(photos, model_file, tmp_path):
    done = run("fit", photos, "--out", tmp_path / "m.skops", *GIVEN, "--json")
    assert json.loads(done.stdout)["held_out"]["total"] == 12
    assert json.loads(run("evaluate", model_file, photos, "--json").stdout)["total"] == 48
    done = run(
        "explain", model_file, photos / CLASSES[0] / "0.png", "--json", "--out", tmp_path / "a.png"
    )
    assert json.loads(done.stdout)["classes"][0]["name"] in CLASSES
    done = run("compare", photos, "--methods", "knn,ridge", "--repeats", 1, "--json", "--quiet")
    assert {row["method"] for row in json.loads(done.stdout)} == {"knn", "ridge"}
    done = run("data", "list", "--root", tmp_path, "--json")
    assert any(entry["name"] == "orl" for entry in json.loads(done.stdout))


def test_predictions_as_csv_json_and_table(model_file, photos, tmp_path):
    (tmp_path / "no picture.jpg").write_text("text")
    files = [photos / CLASSES[1], tmp_path / "no picture.jpg"]
    done = run("predict", model_file, *files, "--format", "csv")
    assert done.exit_code == 1
    assert "no picture.jpg: this is no image of a known format (JPEG, PNG, " in done.stderr
    assert "1 files could not be used" in done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 17
    assert rows[0]["label"] in CLASSES
    rows = json.loads(run("predict", model_file, *files, "--format", "json").stdout)
    assert rows[-1]["label"] is None
    done = run("predict", model_file, photos / CLASSES[1] / "0.png", "--quiet")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 1
    assert run("predict", model_file, photos / CLASSES[1] / "0.png").stdout.split()[:3] == [
        "file",
        "label",
        "probability",
    ]


def test_skipped_files_are_named_and_counted(photos, tmp_path):
    import shutil

    root = tmp_path / "photos"
    shutil.copytree(photos, root)
    (root / CLASSES[0] / "empty.jpg").write_bytes(b"")
    (root / "lonely").mkdir()
    done = run("fit", root, "--out", tmp_path / "m.skops", *GIVEN)
    assert done.exit_code == 0
    assert "empty.jpg: the file is empty; left out" in done.stderr
    assert "2 files or classes left out" in done.stderr
    done = run("fit", root, "--out", tmp_path / "n.skops", *GIVEN, "--strict")
    assert done.exit_code == 1
    assert "empty.jpg" in done.stderr
    assert not (tmp_path / "n.skops").exists()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["fit", "/absent"], 1, "no file or folder /absent"),
        (["fit", "/etc/passwd"], 1, "neither a folder"),
        (["predict", "/absent.skops", "a.jpg"], 1, "no model file"),
        (["evaluate", "/etc/passwd", "."], 1, "cannot be loaded as a model"),
        (["data", "fetch", "cifar"], 1, "no data set 'cifar'"),
        (["data", "fetch", "ucf50", "--root", "/tmp/absent"], 1, "Central Florida"),
        (["fit", ".", "--size", "big"], 2, "HEIGHTxWIDTH"),
        (["fit", ".", "--features", "magic"], 2, "magic"),
        (["compare", "/absent", "--methods", "magic"], 1, "no method 'magic'"),
        (["unknown"], 2, "unknown"),
    ],
)
def test_mistakes_end_in_a_sentence_and_a_status(words, status, message):
    done = run(*words)
    assert done.exit_code == status
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_help_has_examples():
    for command in ("fit", "predict", "evaluate", "compare", "explain"):
        done = run(command, "--help")
        assert done.exit_code == 0
        assert f"crosslabel {command}" in done.stdout


def test_a_closed_pipe_is_no_traceback(model_file, photos):
    code = "from crosslabel.app.entry import main; main()"
    command = [sys.executable, "-c", code, "predict", str(model_file), str(photos)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in error


def test_a_hundred_images_are_labelled_in_one_call(model_file, photos, tmp_path):
    for number in range(100):
        Image.new("L", (24, 24), number).save(tmp_path / f"{number}.png")
    done = run("predict", model_file, tmp_path, "--format", "csv")
    assert len(done.stdout.splitlines()) == 101


def test_debugging_keeps_the_traceback(monkeypatch):
    monkeypatch.setitem(os.environ, "CROSSLABEL_DEBUG", "1")
    assert isinstance(run("fit", "/absent").exception, FileNotFoundError)


def test_the_version_is_told_and_nothing_else_is_loaded():
    assert run("--version").stdout == f"crosslabel {__version__}\n"
    code = """
import atexit, sys
from crosslabel.app.entry import main
atexit.register(lambda: print("sklearn" in sys.modules, "numpy" in sys.modules))
main()
"""
    words = [sys.executable, "-c", code, "--version"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert told.split() == ["crosslabel", __version__, "False", "False"]


def test_only_the_module_of_the_command_is_loaded():
    code = "import sys; from crosslabel.app.entry import application; application('inspect'); "
    code += "print(*(name for name in sys.modules if name.startswith('crosslabel.app.')))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = {name.rpartition(".")[2] for name in told.stdout.split()}
    assert names == {"entry", "start", "inspect", "options", "printing"}


def test_every_command_has_help():
    app = application()
    names = [command.name for command in app.registered_commands]
    assert names == list(COMMANDS)
    for name in names:
        assert run(name, "--help").exit_code == 0
