"""What is said of the package in several places is the same."""

import re
import tomllib
from pathlib import Path

import pytest

import crosslabel

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_conda_recipe_asks_for_what_pyproject_asks_for():
    recipe = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    asked = re.findall(r"^    - (\S+) >=(\S+)$", recipe.split("  run:\n")[1], re.MULTILINE)
    bounds = dict(asked)
    assert bounds.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    assert {f"{name}>={bound}" for name, bound in bounds.items()} == set(PROJECT["dependencies"])
    assert f'version = "{crosslabel.__version__}"' in recipe
    assert f"crosslabel = {PROJECT['scripts']['crosslabel']}" in recipe


def test_the_conda_recipe_is_built_by_what_pyproject_builds_with():
    """Rendered as conda-build renders it: Jinja first, then YAML."""
    yaml, jinja2 = pytest.importorskip("yaml"), pytest.importorskip("jinja2")
    text = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    recipe = yaml.safe_load(jinja2.Template(text).render(PYTHON="python"))
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    host = {line.replace(" ", "") for line in recipe["requirements"]["host"]}
    assert host - {"pip"} == {
        *whole["build-system"]["requires"],
        f"python{PROJECT['requires-python']}",
    }
    assert recipe["build"]["script"].startswith("python -m pip install . --no-deps")
    assert recipe["about"]["home"] == PROJECT["urls"]["Homepage"]
    assert recipe["about"]["dev_url"] == PROJECT["urls"]["Source"]
    assert recipe["about"]["license"] == PROJECT["license"]


def test_addresses_of_the_citation_are_the_projects():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"repository-code: {PROJECT['urls']['Source']}\n" in citation
    assert f"url: {PROJECT['urls']['Documentation']}\n" in citation


@pytest.mark.parametrize("name", ["tests", "docs", "wheels", "release"])
def test_workflows_are_sound_and_call_what_exists(name):
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
    assert yaml.safe_load(text)["jobs"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"run: make ([\w-]+)", text):
        assert f"\n{target}:" in makefile
    for module in re.findall(r"python -m tools\.(\w+)|python tools/(\w+)\.py", text):
        assert (ROOT / "tools" / f"{''.join(module)}.py").exists()


def test_every_python_that_is_promised_is_tested():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    tested = set(re.findall(r'"(3\.\d+)"', text.split("python: [")[1].split("]")[0]))
    named = " ".join(PROJECT["classifiers"])
    assert set(re.findall(r"Python :: (3\.\d+)", named)) <= tested
    assert len(tested) == 4
