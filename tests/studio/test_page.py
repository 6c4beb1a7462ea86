"""The page in a real browser: drop, camera, rename, undo, ask, doubts, dark, narrow, keys alone."""

import json
import shutil
from base64 import b64encode

import pytest

from tests.lab.report.browser import ACCESSIBILITY, CONTRAST, FLAGS, OVERFLOW
from tests.studio.conftest import drawing, write_pictures
from tests.studio.test_app import open_studio, wait

CAMERA = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]

DROP = """([selector, files, kind]) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type: "image/png" }));
  }
  const place = document.querySelector(selector);
  const more = { bubbles: true, cancelable: true };
  if (kind === "paste") {
    const event = new ClipboardEvent("paste", { clipboardData: transfer, ...more });
    document.activeElement.dispatchEvent(event);
  } else {
    for (const name of ["dragover", "drop"]) {
      place.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, ...more }));
    }
  }
}"""


@pytest.fixture(scope="module")
def browser():
    driver = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    place = shutil.which("chromium")
    if place is None:
        pytest.skip("Chromium is not installed; Debian has it: apt-get install chromium")
    with driver.sync_playwright() as playing:
        found = playing.chromium.launch(executable_path=place, args=[*FLAGS, *CAMERA])
        yield found
        found.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """One studio for all tests: each undoes what it did, or adds what the others do not touch."""
    root = write_pictures(tmp_path_factory.mktemp("page") / "shapes")
    (root / "ball" / "stray.png").write_bytes(drawing(2, 500))
    (root / "loose.png").write_bytes(drawing(1, 501))
    with open_studio(root) as (address, studio):
        wait(lambda: studio.study is not None and studio.study.curve)
        yield address, root, studio


class Tab:
    """One page, with what went wrong on it."""

    def __init__(self, browser, address, width=1280, theme="light"):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, permissions=["camera"]
        )
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]")

    def drop(self, selector, *files, kind="drop"):
        coded = [[name, b64encode(content).decode()] for name, content in files]
        self.page.evaluate(DROP, [selector, coded, kind])

    def shelf(self, name):
        return self.page.locator(f'.shelf[data-class="{name}"]')

    def count(self, name, wanted):
        self.page.wait_for_function(
            """([name, wanted]) => document.querySelector(`.shelf[data-class="${name}"]`)
              ?.querySelectorAll(".picture").length === wanted""",
            arg=[name, wanted],
        )

    def said(self, text):
        self.page.wait_for_function(
            "(text) => document.getElementById('says').textContent.includes(text)", arg=text
        )

    def answer(self):
        """The class that is likeliest, whether it is a stranger or not."""
        self.page.wait_for_selector("#answer .found strong")
        return self.page.locator("#answer .bars .name").first.inner_text()


@pytest.fixture
def tab(browser, place):
    made = Tab(browser, place[0])
    yield made
    made.context.close()
    assert made.problems == []


def test_drop_on_a_shelf_and_undo(tab, place):
    tab.count("corner", 6)
    tab.drop(
        '.shelf[data-class="corner"]', ("one.png", drawing(1, 601)), ("two.png", drawing(1, 602))
    )
    tab.count("corner", 8)
    tab.said("Added 2 pictures to corner")
    assert (place[1] / "corner" / "one.png").read_bytes() == drawing(1, 601)
    tab.page.click("#undo")
    tab.count("corner", 6)
    assert not (place[1] / "corner" / "one.png").exists()
    tab.page.click("#redo")
    tab.count("corner", 8)
    tab.page.keyboard.press("Control+z")
    tab.count("corner", 6)


def test_what_is_no_picture_is_said_and_left_out(tab):
    tab.drop('.shelf[data-class="cross"]', ("bad.png", b"<script>alert(1)</script>"))
    tab.said("Left out: bad.png")
    tab.count("cross", 6)
    tab.problems[:] = [text for text in tab.problems if "415" not in text]


def test_ask_by_drop_and_teach_it(tab):
    tab.drop("#ask", ("query.png", drawing(1, 611)))
    assert tab.answer() == "corner"
    assert tab.page.locator("#answer .behind img").count() > 0
    assert tab.page.locator("#answer .share").first.inner_text().endswith("%")
    tab.page.click("text=Teach it")
    tab.count("corner", 7)
    tab.page.click("#undo")
    tab.count("corner", 6)


def test_paste_is_asked_about_or_goes_to_the_shelf_with_the_focus(tab):
    tab.drop("body", ("pasted.png", drawing(0, 612)), kind="paste")
    assert tab.answer() == "ball"
    tab.shelf("cross").locator(".add").focus()
    tab.drop("body", ("pasted.png", drawing(2, 613)), kind="paste")
    tab.count("cross", 7)
    tab.page.click("#undo")
    tab.count("cross", 6)


def test_rename_with_markup_is_refused_and_a_good_name_is_seen_by_another_page(tab, browser, place):
    other = Tab(browser, place[0])
    tab.shelf("cross").locator(".rename").click()
    tab.page.keyboard.type("<img src=x onerror=alert(1)>")
    tab.page.keyboard.press("Enter")
    tab.said("A name may not")
    tab.problems[:] = [text for text in tab.problems if "400" not in text]
    tab.page.keyboard.press("Control+a")
    tab.page.keyboard.type("plus & minus")
    tab.page.keyboard.press("Enter")
    for one in (tab, other):
        one.count("plus & minus", 6)
    assert (place[1] / "plus & minus").is_dir()
    other.page.click("#undo")
    for one in (tab, other):
        one.count("cross", 6)
    other.context.close()
    assert other.problems == []


def test_markup_in_file_names_stays_text(tab, place):
    name = "<img src=x onerror=alert(1)>.png"
    (place[1] / "ball" / name).write_bytes(drawing(0, 620))
    tab.count("ball", 8)
    shown = tab.shelf("ball").locator(f'.picture[aria-label="{name}"] img')
    assert shown.count() == 1
    shown.evaluate("picture => picture.decode()")  # which asks for it: not when it is gone
    (place[1] / "ball" / name).unlink()
    tab.count("ball", 7)


def test_the_camera_for_a_class_and_for_a_question(tab):
    tab.shelf("cross").locator(".shoot").click()
    tab.page.wait_for_function("() => document.querySelector('#camera video')?.videoWidth > 0")
    tab.page.click("text=Take a picture")
    tab.count("cross", 7)
    tab.page.keyboard.press("Escape")
    tab.page.click("#undo")
    tab.count("cross", 6)
    tab.page.click("#ask-camera")
    tab.answer()
    assert tab.page.get_attribute("#ask-camera", "aria-pressed") == "true"
    tab.page.click("#ask-camera")
    assert tab.page.get_attribute("#ask-camera", "aria-pressed") == "false"


def test_doubts_are_confirmed_or_moved(tab, place):
    tab.page.click("text=Doubts")
    case = tab.page.locator("#doubt-list .case", has_text="looks like cross")
    case.first.wait_for()
    case.first.locator("text=Move it to cross").click()
    tab.said("Moved 1 picture to cross")
    assert (place[1] / "cross" / "stray.png").exists()
    tab.page.click("#undo")
    case.first.wait_for()
    case.first.locator("text=Yes, it is ball").click()
    tab.said("Confirmed 1 picture")
    case.first.wait_for(state="detached")
    tab.page.click("#undo")
    case.first.wait_for()


def test_pictures_without_a_class_find_one(tab, place):
    tab.page.locator("#unsorted-list >> text=It is corner").click()
    tab.count("corner", 7)
    assert (place[1] / "corner" / "loose.png").exists()
    tab.page.click("#undo")
    tab.page.wait_for_selector("#unsorted-list .case")


def test_how_good_it_is_and_what_can_be_taken_away(tab, place):
    tab.page.click("text=How good")
    tab.page.wait_for_selector("#measured .figure")
    assert tab.page.inner_text("#measured .figure").endswith("%")
    assert tab.page.locator(".confusion tbody tr").count() == 3
    tab.page.wait_for_selector("#measured svg .line")
    tab.page.click("text=Take away")
    with tab.page.expect_download() as taken:
        tab.page.click("text=Model file")
    assert taken.value.suggested_filename == "model.skops"


def test_by_keyboard_alone(browser, place):
    tab = Tab(browser, place[0])
    page, press = tab.page, tab.page.keyboard.press

    def focused(what):
        for _ in range(80):
            press("Tab")
            if page.evaluate("(what) => document.activeElement.matches(what)", what):
                return
        raise AssertionError(f"Tab never leads to {what}")

    press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    focused("#new-name")
    page.keyboard.type("kept by keys")
    press("Enter")
    tab.count("kept by keys", 0)
    focused('.shelf[data-class="ball"] .picture')
    press("ArrowRight")
    press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    press("Enter")
    page.wait_for_selector("#card[open]")
    page.select_option("#card select", "kept by keys")
    page.focus("#card button:has-text('Move')")
    press("Enter")
    tab.count("kept by keys", 1)
    assert (place[1] / "kept by keys" / name).exists()
    focused('.shelf[data-class="kept by keys"] .picture')
    press("Delete")
    tab.count("kept by keys", 0)
    for _ in range(3):
        before = page.inner_text("#says")
        press("Control+z")
        page.wait_for_function("(t) => document.getElementById('says').innerText !== t", arg=before)
    tab.page.wait_for_selector('.shelf[data-class="kept by keys"]', state="detached")
    tab.context.close()
    assert tab.problems == []


def test_an_empty_studio_says_how_to_begin(browser, tmp_path):
    with open_studio(tmp_path / "empty") as (address, _):
        tab = Tab(browser, address)
        tab.page.wait_for_selector("#nothing:not([hidden])")
        tab.drop("#ask", ("query.png", drawing(1, 1)))
        tab.page.wait_for_selector("#answer >> text=It cannot answer yet")
        tab.page.fill("#new-name", "first")
        tab.page.keyboard.press("Enter")
        tab.count("first", 0)
        assert tab.page.is_hidden("#nothing")
        tab.drop('.shelf[data-class="first"]', ("a.png", drawing(0, 1)))
        tab.count("first", 1)
        tab.context.close()
        assert tab.problems == []
    assert (tmp_path / "empty" / "first" / "a.png").exists()


@pytest.mark.parametrize(
    ("width", "theme"), [(380, "dark"), (380, "light"), (1440, "dark"), (1440, "light")]
)
def test_every_view_fits_is_named_and_can_be_read(browser, place, width, theme):
    tab = Tab(browser, place[0], width, theme)
    tab.drop("#ask", ("query.png", drawing(1, 611)))
    tab.answer()
    for view in ("teach", "doubts", "measure", "take"):
        tab.page.evaluate("(view) => { location.hash = view; }", view)
        tab.page.wait_for_selector(f"#{view}:not([hidden])")
        assert tab.page.evaluate(OVERFLOW) == [], view
        demands = tab.page.evaluate(ACCESSIBILITY)
        assert {what: found for what, found in demands.items() if found} == {}, view
        assert tab.page.evaluate(CONTRAST)["found"] == [], view
    tab.context.close()
    assert tab.problems == []


def test_the_journal_tells_what_was_done(place):
    lines = (place[1] / ".crosslabel" / "journal.jsonl").read_text().splitlines()
    assert all(json.loads(line[9:])["what"] for line in lines)
