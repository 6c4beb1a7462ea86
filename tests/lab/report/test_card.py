from html.parser import HTMLParser

import pytest

from crosslabel.files.description import Description
from crosslabel.lab.report.card import UNKNOWN, markdown, page

HELD_OUT = {
    "accuracy": 0.9,
    "total": 50,
    "interval": [0.79, 0.96],
    "mean_per_class": 0.88,
    "per_class": {"a|b": 1.0, "<script>": 0.8},
    "per_class_total": {"a|b": 25, "<script>": 25},
}


def description(**summary):
    manifest = {
        "crosslabel": "0.1.0",
        "libraries": {"scikit-learn": "1.6.0"},
        "class_names": ["a|b", "<script>"],
        "steps": [{"name": "x", "type": "crosslabel.features.pixels.Pixels", "parameters": {}}],
        "summary": summary,
    }
    return Description("folder/m.skops", 1234, "ab" * 32, manifest, [])


class Tags(HTMLParser):
    """Which tags a page has."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.add(tag)


def test_numbers_are_those_of_the_summary():
    text = markdown(description(held_out=HELD_OUT, licence="CC0"))
    assert "90.00 % of 50 samples" in text
    assert "79.00 to 96.00 %" in text
    assert "| a\\|b | 100.00 % | 25 |" in text
    assert "weakest class is \\<script\\>, at 80.00 %" in text
    assert "measured on 50 samples only" in text


def test_names_from_a_file_are_never_markup():
    hostile = description(
        held_out=HELD_OUT, licence="<script>alert(1)</script>", data="<img src=x>"
    )
    assert not Tags(page(hostile)).found & {"script", "img"}
    assert "<script" not in markdown(hostile).replace("\\<script", "")


def test_what_is_not_known_is_said():
    assert markdown(description()).count(UNKNOWN) == 4  # data, protocol, accuracy, licence


@pytest.mark.parametrize("held_out", [3, {}, {"accuracy": "high"}, {"interval": [1]}])
def test_summaries_of_another_form_do_no_harm(held_out):
    assert UNKNOWN in page(description(held_out=held_out))
