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
