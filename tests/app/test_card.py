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


def test_other_suffixes_are_refused_before_anything_is_read(tmp_path):
    done = run("card", "/absent.skops", "--out", tmp_path / "x.pdf")
    assert done.exit_code == 1
    assert "must end in one of .md, .markdown, .html, .htm" in done.stderr
    assert not (tmp_path / "x.pdf").exists()


def test_the_card_tells_whether_the_model_was_trained_again(told, table, tmp_path):
    assert "then trained in the same way on all 48 samples" in card(told)
    fit(table, out=tmp_path / "n.skops", parameters=GIVEN, refit=False)
    assert "The stored model is the one that was measured" in card(tmp_path / "n.skops")
