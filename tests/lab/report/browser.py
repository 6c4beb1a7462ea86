"""A real browser for tests of pages: Debian's Chromium, driven by playwright, without a screen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
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
        self.context.set_default_timeout(120_000)  # a busy machine is no failure
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


OVERFLOW = (HERE / "overflow.js").read_text("utf-8")
ACCESSIBILITY = (HERE / "accessibility.js").read_text("utf-8")
CONTRAST = (HERE / "contrast.js").read_text("utf-8")
