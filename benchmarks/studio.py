"""The studio in a real browser: from a dropped picture to the new answer on the page.

40 classes of 20 pictures of Caltech101, seen through embeddings. A picture is asked about; then
others are dropped on shelves, and each time the answer to the first one is awaited. Needs Chromium,
the extras `studio` and `embed`, and CROSSLABEL_DATA.

Run: python -m benchmarks.studio [--drops 40]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel.datasets import load_caltech101
from crosslabel.studio.lesson import Lesson, first_lesson, settled, taught

CLASSES, EACH, QUERIES = 40, 20, 5
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

TIMED = """async ([selector, text, name]) => {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type: "image/jpeg" }));
  const answer = document.getElementById("answer");
  const shown = new Promise((done) => new MutationObserver((_, watch) => {
    watch.disconnect();
    requestAnimationFrame(() => done(performance.now()));
  }).observe(answer, { childList: true }));
  const start = performance.now();
  const options = { bubbles: true, cancelable: true, dataTransfer: transfer };
  document.querySelector(selector).dispatchEvent(new DragEvent("drop", options));
  return await shown - start;
}"""


def pictures() -> dict[str, list[Path]]:
    """Paths of each class that has enough of them."""
    data = load_caltech101()
    found: dict[str, list[Path]] = {}
    for file, label in zip(data.filenames, data.target):
        found.setdefault(str(data.target_names[label]), []).append(Path(file))
    enough = {name: files for name, files in found.items() if len(files) >= EACH + QUERIES}
    return dict(list(enough.items())[:CLASSES])


def filled(root: Path, classes: dict[str, list[Path]]) -> None:
    for name, files in classes.items():
        (root / name).mkdir(parents=True)
        for file in files[:EACH]:
            shutil.copy(file, root / name / file.name)


def drops(root: Path, classes: dict[str, list[Path]], count: int) -> dict[str, np.ndarray]:
    """Milliseconds of each drop on a shelf, and of each question, in Chromium."""
    from playwright.sync_api import sync_playwright

    words = [sys.executable, "-m", "crosslabel", "studio", str(root), "--no-browser", "--quiet"]
    child = subprocess.Popen(
        words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert child.stdout is not None
    address = child.stdout.readline().decode().strip()
    draw = random.Random(0)
    new = [(name, file) for name, files in classes.items() for file in files[EACH : EACH + QUERIES]]
    times: dict[str, list[float]] = {"shelf": [], "ask": []}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        page.evaluate("location.hash = 'measure'")
        page.wait_for_selector("#measured svg .line")
        page.evaluate("location.hash = 'teach'")
        for name, file in draw.sample(new, count):
            for kind, place in (("ask", "#ask"), ("shelf", f'.shelf[data-class="{name}"]')):
                text = b64encode(file.read_bytes()).decode()
                times[kind].append(page.evaluate(TIMED, [place, text, file.name]))
                time.sleep(1.0)
        browser.close()
    child.terminate()
    child.wait(60)
    return {kind: np.array(found) for kind, found in times.items()}


def forgotten(root: Path) -> float:
    """The largest difference between a model that forgot pictures and one that never saw them."""
    with np.load(root / ".crosslabel" / "features.npz") as stored:
        rows = stored["rows"].astype(float)[: CLASSES * EACH]
    labels = [f"c{n // EACH:02d}" for n in range(len(rows))]
    kept = [n for n in range(len(rows)) if n % EACH]
    gone = [n for n in range(len(rows)) if n % EACH == 0]

    def lesson(places: list[int], before: Lesson | None = None) -> Lesson:
        batch = [rows[n] for n in places], [labels[n] for n in places]
        return settled(taught(before or first_lesson(rows.shape[1]), batch))

    never = lesson(kept)
    model = lesson(gone, lesson(kept))
    for n in gone:
        model = taught(model, removed=([rows[n]], [labels[n]]))
    model = settled(model)
    assert model.fitted is not None
    assert never.fitted is not None
    found, expected = model.fitted.probabilities(rows), never.fitted.probabilities(rows)
    assert_allclose(found.sum(axis=1), 1)
    return float(np.abs(found - expected).max())


def measured(count: int) -> Iterator[Line]:
    classes = pictures()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "caltech")
        filled(root, classes)
        print(f"load of this machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        times = drops(root, classes, count)
        print(f"load of this machine after: {os.getloadavg()[0]:.1f}")
        yield Line(
            "dropped on a shelf, then the new answer: median ms",
            float(np.median(times["shelf"])),
            "<=",
            150,
        )
        late = {kind: float(np.quantile(found, 0.95)) for kind, found in times.items()}
        yield Line("dropped on a shelf: 95 % within, ms", late["shelf"], "<=", 400)
        yield Line(
            "dropped on Ask, then its answer: median ms", float(np.median(times["ask"])), "<=", 150
        )
        yield Line("dropped on Ask: 95 % within, ms", late["ask"], "<=", 400)
        yield Line("40 pictures removed: difference to never seen", forgotten(root), "<=", 1e-8)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--drops", type=int, default=40)
    return command("studio", "The studio", lambda given: measured(given.drops), parser)


if __name__ == "__main__":
    sys.exit(main())
