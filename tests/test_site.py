import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import crosslabel
from crosslabel import features
from crosslabel.site import SITE

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("package", [crosslabel, features])
def test_every_estimator_links_to_its_page_in_the_html_representation(package):
    listed = [getattr(package, name) for name in package.__all__]
    estimators = [one for one in listed if hasattr(one, "get_params")]
    assert len(estimators) > 4
    for one in estimators:
        required = [crosslabel.CRC()] if one is crosslabel.RejectingClassifier else []
        page = f"{SITE}api/generated/{package.__name__}.{one.__name__}.html"
        assert f'href="{page}"' in one(*required)._repr_html_()


def test_the_project_names_the_same_site():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Documentation"] == SITE


def test_every_address_of_ours_is_one_that_the_project_names_and_the_readme_explains():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project["urls"]["Source"]
    raw = source.replace("github.com", "raw.githubusercontent.com")
    listed = subprocess.run(
        ["git", "ls-files", "*.md", "*.py", "*.toml", "*.yaml", "*.yml", "*.cff"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    for file in listed:
        text = (ROOT / file).read_text(encoding="utf-8")
        found = re.findall(r"https://(?:[\w.]*github[\w.]*)/[\w/.-]*", text)
        for address in (one for one in found if "/crosslabel" in one):
            assert address.startswith((SITE, source, raw)), f"{file}: {address}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if "<!-- status -->" in readme:
        said = readme.split("<!-- status -->")[1].split("<!-- /status -->")[0]
        for address in (SITE, source):
            assert address.removeprefix("https://").rstrip("/") in said
