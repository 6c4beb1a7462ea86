"""The page in a real browser: it renders, it is whole, and what it offers works."""

import re
from html.parser import HTMLParser

import pytest

from crosslabel.app.report import report, write_report
from crosslabel.lab.records import Store
from crosslabel.lab.report.content import Page
from crosslabel.lab.report.page import draw_page
from tests.lab.report.browser import (
    ACCESSIBILITY,
    CONTRAST,
    OVERFLOW,
    THEMES,
    WIDTHS,
    Watched,
    chromium,
)
from tests.lab.report.synthetic import SCENES, SPECS, fill, write_specs


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    specs = write_specs(folder / "specs")
    fill(Store(folder / "store"), specs)
    write_report(folder / "report.html", report(folder / "store", specs=specs))
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def shown(browser, page_file):
    with Watched(browser, page_file) as watched:
        yield watched
        assert watched.problems == []


def test_the_page_asks_for_nothing_and_is_well_formed(page_file):
    text = page_file.read_text("utf-8")
    assert not re.search(r"(src|href)=\"(?!#|data:)", text)
    assert not re.search(r"url\(|@import|https?://", text)
    open_elements = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in {"meta", "link", "img", "br"}:
                open_elements.append(tag)

        def handle_endtag(self, tag):
            assert open_elements.pop() == tag

    Checker().feed(text)
    assert open_elements == []


def test_names_from_records_are_text_not_markup(page_file):
    text = page_file.read_text("utf-8")
    assert "Abacus &lt;9&gt;" in text
    assert "A_rival &amp; co" in text


def test_the_page_depends_on_the_records_alone(page_file):
    folder = page_file.parent
    again = report(folder / "store", specs=folder / "specs")
    assert again == page_file.read_text("utf-8")


def test_nothing_run_yet_makes_a_page_too(tmp_path):
    specs = write_specs(tmp_path / "specs")
    text = report(tmp_path / "empty", specs=specs)
    assert text.count("cells are not run yet") == len(SPECS)
    assert "0 records" in text
    assert "<main" in draw_page(Page(()))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_renders_without_overflow_or_complaint(browser, page_file, width, theme):
    with Watched(browser, page_file, width, theme) as shown:
        assert shown.ask("document.documentElement.scrollWidth") <= width
        assert shown.ask(OVERFLOW) == []
        shown.ask("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        assert shown.ask("document.documentElement.scrollWidth") <= width
        contrast = shown.ask(CONTRAST)
        assert contrast["count"] > 200
        assert contrast["found"] == []
        assert shown.problems == []
        assert all(re.match(r"file:|data:", address) for address in shown.requests)


def test_every_figure_is_there(shown):
    count = shown.page.locator
    assert count("#figure-5 svg.lines .series").count() == 2
    assert count("#figure-5 svg.lines .mark").count() == 10
    assert count("#figure-6 svg.stems").count() == 6
    assert count("#figure-6 svg.stems .band").count() == 6
    assert count("#table-4 svg.bars rect").count() == 4
    assert count("#table-2 svg.lines").count() == 1
    assert count("#table-2 .strip").count() == 12
    assert count("#table-9 .matrix").count() == 1
    drawn = shown.ask("""() => [...document.querySelectorAll("svg.chart, .strip img, .matrix svg")]
        .map((e) => e.getBoundingClientRect()).every((box) => box.width > 20 && box.height > 20)""")
    assert drawn
    loaded = "() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)"
    assert shown.ask(loaded)


def test_it_says_what_is_missing_and_how_to_get_it(shown, monkeypatch):
    text = shown.page.locator("#table-10 .missing").inner_text()
    assert "crosslabel reproduce table-10" in text
    assert "1 of 12 cells" in shown.page.locator("#table-2").inner_text()
    assert "2 of 3 splits" in shown.page.locator("#table-2").inner_text()


def test_screen_readers_find_their_way(shown):
    assert {what: found for what, found in shown.ask(ACCESSIBILITY).items() if found} == {}


def test_the_first_tab_skips_to_the_results(shown):
    shown.page.keyboard.press("Tab")
    assert shown.ask("document.activeElement.className") == "skip"
    assert shown.ask("document.activeElement.getBoundingClientRect().top") >= 0
    shown.page.keyboard.press("Enter")
    assert shown.ask("document.activeElement.id") == "main"


def test_focus_can_be_seen(shown):
    for selector in ("button.theme", ".contents a", ".scroll", "th button", ".matrix", "summary"):
        shown.page.locator(selector).first.focus()
        shown.page.keyboard.press("Shift")  # tells the browser that keys are in use
        width = shown.ask("getComputedStyle(document.activeElement).outlineStyle")
        assert width != "none", selector


@pytest.mark.parametrize("theme", THEMES)
def test_the_button_changes_the_theme_and_the_choice_is_kept(browser, page_file, theme):
    other = {"light": "dark", "dark": "light"}[theme]
    ground = "getComputedStyle(document.body).backgroundColor"
    with Watched(browser, page_file, 768, theme) as shown:
        before = shown.ask(ground)
        button = shown.page.get_by_role("button", name=f"Switch to the {other} theme")
        button.click()
        after = shown.ask(ground)
        assert after != before
        shown.page.reload()
        assert shown.ask(ground) == after
        shown.page.get_by_role("button", name=f"Switch to the {theme} theme").click()
        assert shown.ask(ground) == before


def test_pointing_at_a_cell_tells_what_it_counts(shown):
    matrix = shown.page.locator("#table-9 .matrix")
    matrix.scroll_into_view_if_needed()
    data = shown.ask(
        """() => JSON.parse(document.querySelector("#table-9 .matrix script").textContent)"""
    )
    box = matrix.locator("svg").bounding_box()
    scale = box["width"] / (data["left"] + data["size"] * len(SCENES))
    row, column = 4, 1

    def middle(start, index):
        return scale * (data[start] + (index + 0.5) * data["size"])

    shown.page.mouse.move(box["x"] + middle("left", column), box["y"] + middle("top", row))
    count, total = data["counts"][row][column], sum(data["counts"][row])
    share = 100 * count / total
    said = f"{count} of {total} living room taken for suburb ({share:.1f} %)"
    assert matrix.locator(".tip").inner_text() == said
    assert matrix.locator(".tip").is_visible()
    assert shown.page.locator("#table-9 .said").inner_text() == said
    shown.page.mouse.move(5, 5)
    assert not matrix.locator(".tip").is_visible()


def test_arrow_keys_walk_through_the_matrix_and_it_is_said_aloud(shown):
    matrix, live = shown.page.locator("#table-9 .matrix"), shown.page.locator("#table-9 .said")
    matrix.focus()
    press = shown.page.keyboard.press
    press("ArrowDown")
    assert f"{SCENES[1]} taken for {SCENES[0]}" in live.inner_text()
    press("ArrowRight")
    assert f"{SCENES[1]} recognised" in live.inner_text()
    press("End")
    assert f"{SCENES[1]} taken for {SCENES[-1]}" in live.inner_text()
    press("PageDown")
    press("ArrowDown")
    press("ArrowRight")
    assert f"{SCENES[-1]} recognised" in live.inner_text()
    assert live.get_attribute("aria-live") == "polite"
    press("Home")
    press("PageUp")
    assert f"{SCENES[0]} recognised" in live.inner_text()
    assert matrix.locator(".tip").is_visible()
    press("Tab")
    assert not matrix.locator(".tip").is_visible()


def test_the_tip_stays_inside_a_phone(browser, page_file):
    with Watched(browser, page_file, 360) as shown:
        matrix = shown.page.locator("#table-9 .matrix")
        matrix.focus()
        for key in ("End", "PageDown", "Home", "PageUp"):
            shown.page.keyboard.press(key)
            box = matrix.locator(".tip").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360


def test_headers_sort_their_column(shown):
    table = shown.page.locator("#table-2 table.results").first

    def order():
        return [text.strip() for text in table.locator("tbody th").all_inner_texts()]

    first, rival, quoted = order()
    header = table.locator("th[data-column='3']")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert order() == [first, rival, quoted]
    header.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    assert order() == [rival, first, quoted]
    table.locator("th[data-column='0'] button").click()
    assert order() == sorted([first, rival, quoted], key=str.lower)
    assert table.locator("[aria-sort]").count() == 1


def test_motion_only_for_those_who_want_it(browser, page_file):
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    for wish, found in (("reduce", "auto"), ("no-preference", "smooth")):
        with Watched(browser, page_file, reduced_motion=wish) as shown:
            assert shown.ask(behaviour) == found


def test_without_scripts_the_content_is_all_there(browser, page_file):
    with Watched(browser, page_file, java_script_enabled=False) as shown:
        page = shown.page
        assert not page.locator("button.theme").is_visible()
        assert page.locator("#table-9 .matrix svg rect.hit").count() == len(SCENES)
        page.locator("#table-9 summary", has_text="The matrix as tables").click()
        assert page.get_by_text("Recall of each class").is_visible()


def test_a_wide_table_scrolls_in_its_own_box(browser, page_file):
    with Watched(browser, page_file, 360) as shown:
        box = shown.page.locator("#table-2 .scroll").first
        assert box.evaluate("(e) => e.scrollWidth > e.clientWidth")
        box.focus()
        shown.page.keyboard.press("ArrowRight")
        shown.page.wait_for_function("(e) => e.scrollLeft > 0", arg=box.element_handle())
        name = box.locator("tbody th").first.bounding_box()
        assert name["x"] >= 0  # the names of the rows stay in sight
