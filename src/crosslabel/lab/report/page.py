"""The page: one file that needs no network, with style, script and pictures inside."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from crosslabel.lab.report.content import (
    AtomSheet,
    BarChart,
    Confusion,
    LineChart,
    Page,
    Section,
    StemGrid,
    Table,
    WordTable,
)
from crosslabel.lab.report.html_figures import draw_figure, side_by_side
from crosslabel.lab.report.html_tables import SIGNS, caption_of, draw_table, plain_table, scrolling
from crosslabel.lab.report.markup import Markup, element, join
from crosslabel.lab.verdicts import COMPARED


def draw_page(content: Page) -> str:
    """Everything done so far as one HTML document.

    Parameters
    ----------
    content : Page
    """
    parts = [element("li", element("a", "At a glance", href="#glance"))]
    parts += [element("li", element("a", s.title, href=f"#{s.name}")) for s in content.sections]
    parts.append(element("li", element("a", "Environment", href="#environment")))
    contents = element(
        "nav",
        element("p", "Contents", class_="label", id="contents-label"),
        element("ol", parts),
        class_="contents", aria_labelledby="contents-label",
    )  # fmt: skip
    body = element(
        "main",
        _glance(content.sections),
        (_section(section) for section in content.sections),
        _environment(content),
        id="main", tabindex=-1,
    )  # fmt: skip
    return frame(content.title, content.lede, element("div", contents, body, class_="columns"))


def frame(title: str, lede: str, body: Markup, *, scripted: bool = True) -> str:
    """A whole document around a body: head, masthead, skip link, theme button and script.

    Parameters
    ----------
    title, lede : str
    body : Markup
        Has an element with the id "main".
    scripted : bool, default=True
        Whether there is a script, and with it the theme button; the theme is else the system's.
    """
    folder = files("crosslabel.lab.report")
    style, script = ((folder / name).read_text("utf-8") for name in ("style.css", "page.js"))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · crosslabel"),
        # Without an icon of its own a browser asks the server for one.
        element("link", rel="icon", href="data:,"),
        element("style", Markup(style)),
    )
    masthead = element(
        "header",
        element(
            "div",
            element("span", "crosslabel", class_="brand"),
            element("button", "Dark", class_="theme", type="button", hidden=True)
            if scripted
            else None,
            class_="over",
        ),
        element("h1", title),
        element("p", lede, class_="lede") if lede else None,
        class_="masthead",
    )
    inside = element(
        "body",
        element("a", "Skip to the results", href="#main", class_="skip"),
        element("div", masthead, body, class_="frame"),
        element("script", Markup(script)) if scripted else None,
    )
    return f"<!doctype html>\n{element('html', head, inside, lang='en')}\n"


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Names and values."""
    terms = (join((element("dt", name), element("dd", value))) for name, value in pairs)
    return element("dl", terms, class_="facts")


def _glance(sections: Iterable[Section]) -> Markup:
    """How far every table is, and how its values compare."""
    head = element(
        "tr",
        element("th", "table or figure", scope="col"),
        element("th", "cells done", scope="col", class_="done"),
        (
            element("th", SIGNS[word], element("span", f" {word}", class_="word"), scope="col")
            for word in COMPARED
        ),
    )
    table = element(
        "table",
        caption_of("Every table and figure of the paper", _signs()),
        element("thead", head),
        element("tbody", (_glance_row(section) for section in sections)),
        class_="glance",
    )
    title = element("h2", "At a glance", id="glance-title")
    box = scrolling(table, "At a glance")
    return element("section", title, box, id="glance", aria_labelledby="glance-title")


def _signs() -> str:
    return " · ".join(f"{SIGNS[name]} {words}" for name, words in COMPARED.items())


def _glance_row(section: Section) -> Markup:
    share = section.done / section.wanted if section.wanted else 0.0
    meter = element(
        "span", element("span", style=f"width:{100 * share:.0f}%"), class_="meter",
        aria_hidden="true",
    )  # fmt: skip
    counts = (
        element("td", str(count) if count else "·", class_=f"tight {name if count else 'none'}")
        for name, count in section.verdicts().items()
    )
    return element(
        "tr",
        element("th", element("a", section.title, href=f"#{section.name}"), scope="row"),
        element("td", meter, f"{section.done} / {section.wanted}", class_="tight done"),
        counts,
    )


def _section(section: Section) -> Markup:
    title = f"{section.name}-title"
    small = [f for f in section.figures if isinstance(f, LineChart | BarChart)]
    matrices = [f for f in section.figures if isinstance(f, Confusion)]
    large = [f for f in section.figures if isinstance(f, StemGrid | AtomSheet)]
    return element(
        "section",
        element("h2", section.title, id=title),
        element("p", prose(section.about)) if section.about else None,
        facts(section.facts) if section.facts else None,
        _missing(section),
        (_table(table) for table in section.tables if not table.folded),
        (_word_table(table) for table in section.words if not table.folded),
        side_by_side([draw_figure(figure) for figure in small]),
        (draw_figure(figure) for figure in large),
        side_by_side([draw_figure(figure) for figure in matrices]),
        (element("p", prose(note)) for note in section.notes),
        (_table(table) for table in section.tables if table.folded),
        (_word_table(table) for table in section.words if table.folded),
        id=section.name,
        aria_labelledby=title,
    )


def _missing(section: Section) -> Markup | None:
    if not section.missing:
        return None
    if section.done:
        return element("p", prose(" ".join(section.missing)), class_="legend-line")
    return element("div", (element("p", prose(line)) for line in section.missing), class_="missing")


def prose(text: str) -> Markup:
    """Text in which `backticks` mark what is typed."""
    parts = text.split("`")
    return join(element("code", part) if i % 2 else part for i, part in enumerate(parts))


def _table(table: Table) -> Markup:
    drawn = draw_table(table)
    return folded(table.quantity.capitalize(), drawn) if table.folded else drawn


def _word_table(table: WordTable) -> Markup:
    drawn = plain_table(table.title, table.header, table.rows)
    return folded(table.title, drawn) if table.folded else drawn


def folded(title: str, content: Markup) -> Markup:
    """Content behind a line that opens it."""
    return element("details", element("summary", title), content)


def _environment(content: Page) -> Markup:
    title = element("h2", "Environment", id="environment-title")
    about = element("p", "What computed the records above.")
    made = element("p", content.made) if content.made else None
    listed = facts(content.environment) if content.environment else None
    return element(
        "section", title, about, listed, made,
        id="environment", aria_labelledby="environment-title",
    )  # fmt: skip
