import pytest

from crosslabel.app.card import card
from crosslabel.app.fit import fit
from tests.app.command import run
from tests.app.conftest import GIVEN


@pytest.fixture(scope="module")
def told(photos, tmp_path_factory):
    place = tmp_path_factory.mktemp("card") / "m.skops"
    fit(
        photos,
        out=place,
        features="pixels",
        parameters=GIVEN,
        licence="CC BY 4.0",
        data_name="Drawn shapes",
    )
    return place


def test_markdown_by_default_and_html_by_suffix(told, tmp_path):
    done = run("card", told)
    assert done.exit_code == 0
    for words in (
        "# Model card: m.skops",
        "Drawn shapes",
        "CC BY 4.0",
        "95 % interval",
        "| ball |",
    ):
        assert words in done.stdout
    assert "48 samples were divided at random within each class into 36" in done.stdout
    out = tmp_path / "card.html"
    assert run("card", told, "--out", out).exit_code == 0
    assert out.read_text().startswith("<!doctype html>")
    assert "CC BY 4.0" in out.read_text()
    assert run("card", told, "--format", "html").stdout == out.read_text()


def test_a_form_that_is_unknown(told):
    with pytest.raises(ValueError, match="take markdown or html"):
        card(told, form="pdf")
