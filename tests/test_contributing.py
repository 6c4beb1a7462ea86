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


COMMON = {
    "tests/methods/test_methods.py": "NearestMedian",
    "tests/methods/test_nearest_median.py": "nearest_median",
    "tests/core/rules/test_rule.py": "projection",
    "tests/core/rules/test_projection_rule.py": "projection",
    "tests/app/test_explain.py": "projection",
    "tests/files/onnx/test_writer.py": "projection",
    "tests/features/test_recipes.py": "profiles",
    "tests/features/test_profiles.py": "profiles",
    "tests/app/test_fit.py": "profiles",
    "tests/datasets/test_catalogue.py": "textures",
    "tests/datasets/test_textures.py": "textures",
}
"""The tests that hold for every member, and what of them is of the new ones."""


@pytest.fixture(scope="module")
def passed(project):
    """Names of the tests of a file of the copy that passed; all must that are of the new member."""
    wanted = " or ".join(f"({words})" for words in sorted(set(COMMON.values())))
    words = ["-m", "pytest", "-v", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    told = python(project, *words, "-k", f"({wanted}) and not faces", *COMMON).stdout

    def of(file):
        of_file = re.findall(rf"^{file}::(.*?) (PASSED|FAILED|ERROR|SKIPPED)", told, re.M)
        bad = [name for name, result in of_file if result in ("FAILED", "ERROR")]
        assert of_file, told[-4000:]
        assert not bad, told[-4000:]
        return " ".join(name for name, result in of_file if result == "PASSED")

    return of


@pytest.mark.parametrize("title", KINDS)
def test_there_are_three_edits(title):
    forms = [form for form, _, _ in edits(title)]
    files = [file for _, file, _ in edits(title)]
    assert forms == ["python", "diff", "python"]
    assert files[0].startswith("src/")
    assert files[2] == re.sub(r"src/crosslabel/(.*/)(\w+)\.py", r"tests/\1test_\2.py", files[0])


def test_the_examples_have_the_projects_form(project):
    files = [file for title in KINDS for _, file, _ in edits(title)]
    for check in (["check"], ["format", "--check"]):
        done = python(project, "-m", "ruff", *check, "--no-cache", *files)
        if "No module named ruff" in done.stderr:
            pytest.skip("needs ruff")
        assert done.returncode == 0, done.stdout


def test_a_classifier(passed):
    assert "test_the_nearest_median_wins" in passed("tests/methods/test_nearest_median.py")
    names = passed("tests/methods/test_methods.py")
    assert "test_scikit_learn_checks" in names
    assert "test_classes_in_cones_are_told_apart" in names


def test_a_rule(passed):
    assert "test_scores_are_mean_squares" in passed("tests/core/rules/test_projection_rule.py")
    assert "test_the_explanation_adds_up" in passed("tests/core/rules/test_rule.py")
    assert "test_the_numbers_are_those_that_decide" in passed("tests/app/test_explain.py")


def test_a_rule_in_onnx(passed):
    pytest.importorskip("onnxruntime", reason="needs the extra onnx")
    names = passed("tests/files/onnx/test_writer.py")
    assert "test_digits" in names
    assert "test_a_query_that_no_atom_touches" in names


NEW_RULE = """
from sklearn.datasets import load_digits
from crosslabel import CrossLabelClassifier

X, y = load_digits(return_X_y=True)
chosen = CrossLabelClassifier(rule="auto", random_state=0).fit(X[::2], y[::2])
assert chosen.score(X[1::2], y[1::2]) > 0.95
model = CrossLabelClassifier(rule="projection", random_state=0)
model.fit(X[::2], y[::2])
assert model.rule_ == "projection"
assert model.score(X[1::2], y[1::2]) > 0.5
assert abs(model.predict_proba(X[:5]).sum(axis=1) - 1).max() < 1e-9
"""


def test_a_new_rule_predicts_and_does_not_disturb_the_choice_of_one(project):
    done = python(project, "-c", NEW_RULE)
    assert done.returncode == 0, done.stderr


def test_a_feature(passed):
    assert "test_columns_then_rows" in passed("tests/features/test_profiles.py")
    assert "test_the_options_are_what" in passed("tests/features/test_recipes.py")
    assert "test_every_feature_of_images_learns" in passed("tests/app/test_fit.py")


def test_a_feature_on_the_command_line(project, tmp_path):
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
    done = python(project, "-m", "crosslabel", *words, "--rule", "projection", "--json")
    assert done.returncode == 0, done.stderr
    assert '"rule": "projection"' in done.stdout
    done = python(project, "-m", "crosslabel", "inspect", tmp_path / "m.skops")
    assert "points = 5" in done.stdout


def test_a_data_set(project, passed, tmp_path):
    assert "test_a_material_is_a_folder" in passed("tests/datasets/test_textures.py")
    assert "test_absent_data_say_how" in passed("tests/datasets/test_catalogue.py")
    told = python(project, "-m", "crosslabel", "data", "list", "--root", tmp_path).stdout
    assert re.search(r"^textures +absent +textures/<material>/1.png …$", told, re.M)
