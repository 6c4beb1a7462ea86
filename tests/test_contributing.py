"""CONTRIBUTING.md is true: its edits, made in a copy of the project, are all that is needed.

The common tests run in a process of their own, on the copy; what they must find there is asked for
by name, so that a member that no list shows fails here.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parent.parent
KINDS = ("A classifier", "A rule", "A feature", "A data set")


def edits(title):
    """The blocks of one section: how each begins (python or diff), its file, and its lines."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^### {title}$(.*?)(?=^### |\Z)", text, re.M | re.S)
    return re.findall(r"^```(python|diff)\n# (\S+)\n(.*?)^```$", section, re.M | re.S)


def added(content, change):
    """A file with the `+` lines of a change, each after the line that stands before it."""
    lines, place = content.splitlines(), 0
    for line in change.splitlines():
        if line.startswith("+"):
            lines.insert(place, line[1:])
            place += 1
        else:
            context = line.removeprefix(" ") if line.startswith(" ") else line
            found = [n for n, each in enumerate(lines) if each.strip() == context.strip()]
            place = found[0] + 1
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with all that CONTRIBUTING.md adds."""
    root = tmp_path_factory.mktemp("project")
    leave = shutil.ignore_patterns("__pycache__", "test_contributing.py")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=leave)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, root / name)
    for title in KINDS:
        for form, file, lines in edits(title):
            place = root / file
            assert place.exists() == (form == "diff"), file
            place.write_text(added(place.read_text("utf-8"), lines) if form == "diff" else lines)
    return root


def python(project, *words):
    environment = {**os.environ, "PYTHONPATH": str(project / "src"), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def passes(project, *words):
    """Run tests of the copy; all must pass. Gives the names of those that did."""
    done = python(project, "-m", "pytest", "-v", "-p", "no:cacheprovider", *words)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return re.findall(r"^(\S+::.*?) PASSED", done.stdout, re.M)


@pytest.mark.parametrize("title", KINDS)
def test_there_are_three_edits(title):
    forms = [form for form, _, _ in edits(title)]
    files = [file for _, file, _ in edits(title)]
    assert forms == ["python", "diff", "python"]
    assert files[0].startswith("src/")
    assert files[2] == re.sub(r"src/crosslabel/(.*/)(\w+)\.py", r"tests/\1test_\2.py", files[0])


def test_the_examples_have_the_projects_form(project):
    files = [file for title in KINDS for form, file, _ in edits(title) if file.endswith(".py")]
    for check in (["check"], ["format", "--check"]):
        done = python(project, "-m", "ruff", *check, "--no-cache", *files)
        if "No module named ruff" in done.stderr:
            pytest.skip("needs ruff")
        assert done.returncode == 0, done.stdout


def test_a_classifier(project):
    passes(project, "tests/methods/test_nearest_mean.py")
    names = passes(project, "tests/methods/test_methods.py", "-k", "NearestMean")
    assert any("test_scikit_learn_checks" in name for name in names)
    assert any("test_classes_in_cones_are_told_apart" in name for name in names)


def test_a_rule(project):
    passes(project, "tests/core/rules/test_cosine_rule.py")
    names = passes(project, "tests/core/rules/test_rule.py", "-k", "cosine")
    assert any("test_the_explanation_adds_up" in name for name in names)
    names = passes(project, "tests/app/test_explain.py", "-k", "cosine")
    assert any("test_the_numbers_are_those_that_decide" in name for name in names)


def test_a_rule_in_onnx(project):
    pytest.importorskip("onnxruntime", reason="needs the extra onnx")
    names = passes(project, "tests/files/onnx/test_writer.py", "-k", "cosine and not faces")
    assert any("test_digits" in name for name in names)
    assert any("test_a_query_that_no_atom_touches" in name for name in names)


THIRD = """
from sklearn.datasets import load_digits
from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV

X, y = load_digits(return_X_y=True)
model = CrossLabelClassifier(rule="auto", random_state=0).fit(X[::2], y[::2])
assert set(model.rule_scores_) == {"global", "local", "cosine"}, model.rule_scores_
assert model.rule_ == max(model.rule_scores_, key=model.rule_scores_.get)
assert model.score(X[1::2], y[1::2]) > 0.95
own = CrossLabelClassifier(rule="cosine", probability=True, random_state=0).fit(X[::2], y[::2])
assert own.score(X[1::2], y[1::2]) > 0.5
assert abs(own.predict_proba(X[:5]).sum(axis=1) - 1).max() < 1e-9
"""


def test_a_third_rule_is_among_those_that_auto_chooses_from(project):
    done = python(project, "-c", THIRD)
    assert done.returncode == 0, done.stderr


def test_a_feature(project, tmp_path):
    passes(project, "tests/features/test_profiles.py")
    passes(project, "tests/features/test_recipes.py", "-k", "profiles")
    passes(project, "tests/app/test_fit.py", "-k", "profiles")
    random = np.random.default_rng(0)
    for name, bright in (("dark", 60), ("light", 250)):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for number in range(8):
            pixels = random.integers(0, bright, (12, 9), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "photos" / name / f"{number}.png")
    told = python(project, "-m", "crosslabel", "fit", "--help").stdout
    assert re.search(r"--points.*Quantiles. For profiles \(16\)", told)
    words = ["fit", tmp_path / "photos", "--out", tmp_path / "m.skops", "--features", "profiles"]
    words += ["--points", "5", "--ridge", "0.01", "--suppression", "2", "--grouping", "0"]
    done = python(project, "-m", "crosslabel", *words, "--rule", "cosine", "--json")
    assert done.returncode == 0, done.stderr
    assert '"rule": "cosine"' in done.stdout
    done = python(project, "-m", "crosslabel", "inspect", tmp_path / "m.skops")
    assert "points = 5" in done.stdout


def test_a_data_set(project, tmp_path):
    passes(project, "tests/datasets/test_textures.py")
    names = passes(project, "tests/datasets/test_catalogue.py", "-k", "textures")
    assert any("test_absent_data_say_how_to_get_them" in name for name in names)
    told = python(project, "-m", "crosslabel", "data", "list", "--root", tmp_path).stdout
    assert re.search(r"^textures +absent +textures/<material>/1.png …$", told, re.M)
