"""A real browser for tests of pages: Debian's Chromium, driven by playwright, without a screen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTHS = (360, 768, 1440)
THEMES = ("light", "dark")


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium; where there is none, the test is skipped and says so."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    place = shutil.which("chromium")
    if place is None:
        pytest.skip("Chromium is not installed; Debian has it: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=place, headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page in the browser, with all that went wrong on it and all that it asked for."""

    def __init__(
        self, browser: Any, file: Path, width: int = 1440, theme: str = "light", **more: Any
    ):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, **more
        )
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda request: self.problems.append(request.url))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *problem: object) -> None:
        self.context.close()

    def ask(self, script: str, argument: Any = None) -> Any:
        """The value of a JavaScript expression."""
        return self.page.evaluate(script, argument)


OVERFLOW = """() => [...document.querySelectorAll("body *")].filter((e) => {
  const box = e.getBoundingClientRect();
  return box.right > innerWidth + 1 && box.width > 1 && !e.closest(".scroll") && !e.closest("svg");
}).map((e) => e.outerHTML.slice(0, 120))"""

# What a screen reader needs, each as a list of the elements that lack it.
ACCESSIBILITY = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const named = (e) => (e.getAttribute("aria-label") || e.textContent || "").trim() !== ""
    || (e.getAttribute("aria-labelledby") || "").split(" ").some((id) => document.getElementById(id));
  const brief = (list) => list.map((e) => e.outerHTML.slice(0, 120));
  const ids = all("[id]").map((e) => e.id);
  const levels = all("h1, h2, h3, h4, h5, h6").map((e) => Number(e.tagName[1]));
  return {
    "images without alt": brief(all("img:not([alt])")),
    "lone images with an empty alt": brief(all('img[alt=""]').filter((e) => !e.closest('[role="img"]'))),
    "drawings without a name": brief(all("svg").filter((e) =>
      e.getAttribute("aria-hidden") !== "true" && !(e.getAttribute("role") === "img" && e.getAttribute("aria-label")))),
    "controls without a name": brief(all("button, a[href], summary, [tabindex='0']").filter((e) => !named(e))),
    "tables without a caption": brief(all("table").filter((e) => !e.caption || !e.caption.textContent.trim())),
    "headers without a scope": brief(all("th:not([scope])")),
    "figures without a caption": brief(all("figure").filter((e) => !e.querySelector("figcaption"))),
    "sections without a name": brief(all("section, nav, [role=region]").filter((e) =>
      !e.getAttribute("aria-label") && !document.getElementById(e.getAttribute("aria-labelledby")))),
    "ids that occur twice": ids.filter((id, index) => ids.indexOf(id) !== index),
    "links to nowhere": brief(all('a[href^="#"]').filter((e) => !document.getElementById(e.hash.slice(1)))),
    "headings that skip a level": levels.filter((level, i) => level > (levels[i - 1] || 0) + 1),
    "first headings but one": levels.filter((level) => level === 1).length === 1 ? [] : levels,
    "landmarks": all("main").length === 1 && document.documentElement.lang ? [] : ["main or lang"],
  };
}"""

# Text whose contrast with what lies behind it is too low (WCAG AA).
CONTRAST = """() => {
  const parse = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((p) => p * scale), parts.length > 3 ? parts[3] : 1];
  };
  const over = (top, below) => {
    const a = top[3];
    return [0, 1, 2].map((i) => a * top[i] + (1 - a) * below[i]).concat(1);
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    let colour = [255, 255, 255, 1];
    for (const layer of layers.reverse()) colour = over(layer, colour);
    if (e.matches(".matrix .number")) {
      const field = parse(getComputedStyle(e.closest("svg").querySelector(".field")).fill);
      const style = getComputedStyle(e.previousElementSibling);
      const cell = parse(style.fill);
      cell[3] *= Number(style.fillOpacity);
      return over(cell, over(field, colour));
    }
    return colour;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || e.closest("script, style, title, .hidden, .tip")) continue;
    if (!e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const colour = parse(e instanceof SVGElement ? style.fill : style.color);
    const back = behind(e);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 600;
    const enough = size >= 24 || (bold && size >= 18.7) ? 3 : 4.5;
    const value = ratio(over(colour, back), back);
    count += 1;
    if (value < enough) found.push([value.toFixed(2), e.outerHTML.slice(0, 120)]);
  }
  return { count, found };
}"""
