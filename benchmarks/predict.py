"""How long `crosslabel predict` takes beyond Python's own start, for one image and for a thousand.

The model sees pixels: an embedding costs its network's time, which `benchmarks.embedding` measures.

Run: python -m benchmarks.predict
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel.app.fit import Parameters, fit

COMMAND = "from crosslabel.app.entry import main; main()"
GIVEN = Parameters(ridge=8e-3, suppression=2e3, grouping=2e-2, rule="global", atoms_per_class=5)


def wall(*words: str, repeats: int = 5) -> float:
    """Best of several runs of a fresh Python."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - started)
    return best


def measured() -> Iterator[Line]:
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for label in range(10):
            (root / "photos" / str(label)).mkdir(parents=True)
            base = random.integers(0, 256, (64, 64))
            for number in range(100):
                noisy = np.clip(base + random.normal(0, 30, base.shape), 0, 255).astype(np.uint8)
                Image.fromarray(noisy).save(root / "photos" / str(label) / f"{number}.png")
        fit(root / "photos", out=root / "m.skops", features="pixels", parameters=GIVEN)
        model, one = str(root / "m.skops"), str(root / "photos" / "3" / "7.png")
        start = wall("-c", "pass")
        libraries = wall("-c", "import sklearn.base")
        single = wall("-c", COMMAND, "predict", model, one)
        many = wall("-c", COMMAND, "predict", model, str(root / "photos"), repeats=3)
    print(f"Python's own start {start:.2f} s; importing scikit-learn alone {libraries:.2f} s")
    yield Line("one image, seconds beyond Python's start", single - start, "<=", 1.5)
    yield Line(
        "1,000 images in one call: times one image", (many - start) / (single - start), "<=", 3
    )
    yield Line("each further image, milliseconds", 1e3 * (many - single) / 999, "<=", 2)


def main() -> int:
    return command("predict", "crosslabel predict", lambda given: measured())


if __name__ == "__main__":
    sys.exit(main())
