"""A figure that was measured stands between marks: typed by hand, it would be wrong one day."""

import re
import tomllib
from pathlib import Path

import pytest
from benchmarks.figures import FIGURE, ROOT, TABLE, documents

UNIT = r"%|(?:µs|ms|s|seconds?|minutes?|hours?|[KMGT]B|points?|times)\b"
NUMBER = r"(?<![\w.,×])(?:[±−-] ?)?\d[\d,]*(?:\.\d+)?"
FIGURE_TYPED = re.compile(rf"{NUMBER}(?: |-| million )?(?:{UNIT})")
"""What looks measured: a number with a unit of accuracy, time, memory or comparison."""

ELSEWHERE = ("project", "auto_examples", "api", "reproduce.md")
"""Pages of the project, which tell what was done; the paper's tables, which have a test."""

ALLOWED = tomllib.loads((Path(__file__).parent / "typed_figures.toml").read_text("utf-8"))
"""By page: a figure that is no measurement of ours, with its words around it, and why."""


def said(text):
    """What a page says in its own words: without marks, code, links and formulas."""
    text = re.sub(r"^```\{\w+\}(.*?)^```", r"\1", text, flags=re.DOTALL | re.MULTILINE)  # notes
    for marked in (
        TABLE, FIGURE, re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
        re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"^(?: {4}|\t).*$", re.MULTILINE),
        re.compile(r"`[^`\n]*`"), re.compile(r"\]\([^)]*\)"), re.compile(r"\$[^$]*\$"),
    ):  # fmt: skip
        text = marked.sub("…", text)
    return re.sub(r"\s+", " ", text)


def typed(text, allowed=()):
    """Figures of a text that look measured and are not allowed."""
    words = said(text)
    for phrase in allowed:
        words = words.replace(phrase, "…")
    return [words[max(0, m.start() - 30) : m.end() + 10] for m in FIGURE_TYPED.finditer(words)]


PAGES = [page for page in documents() if not {*ELSEWHERE} & {*page.relative_to(ROOT).parts}]


def named(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_was_measured_stands_between_marks(page):
    found = typed(page.read_text("utf-8"), ALLOWED.get(named(page), {}))
    assert not found, f"put these between marks, or into tests/typed_figures.toml: {found}"


def test_what_is_allowed_is_still_said_and_has_a_reason():
    for page, phrases in ALLOWED.items():
        words = said((ROOT / page).read_text("utf-8"))
        for phrase, why in phrases.items():
            assert phrase in words, f"{page} no longer says {phrase!r}"
            assert FIGURE_TYPED.search(phrase), phrase
            assert len(why.split()) > 2, phrase


@pytest.mark.parametrize(
    "text",
    ["took 3.3 s", "has 98.41 %", "89.5% of", "1.15 times", "−1.7 points", "12 GB", "19.3 ms"],
)
def test_a_typed_figure_is_found(text):
    assert len(typed(f"It {text}.")) == 1
    assert not typed(f"It `{text}`.")
    assert not typed(f"It <!--=name-->{text}<!--/-->.")


@pytest.mark.parametrize("text", ["38 × 32 samples", "scikit-learn 1.9", "in 2017", "24×21 pixels"])
def test_sizes_versions_and_years_are_no_measurements(text):
    assert not typed(text)
