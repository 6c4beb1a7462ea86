"""How long does a stranger take? The site's first page, followed to the letter in a fresh place.

python -m tools.stranger dist [--folder /tmp/stranger] [--record]

Makes an empty environment and a folder of pictures of three shapes, as a user has one, then runs
the console blocks of docs/start.md in their order, with the wheel in place of the name of the
package. Prints the seconds of each step; exit status 1 where a step fails, where the prediction is
wrong, or where it takes more than three minutes to the first prediction.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

PAGE = Path(__file__).parent.parent / "docs" / "start.md"
LIMIT = 180.0
SHAPES = ("circle", "square", "triangle")
ASKED = "triangle"
"""What new.jpg shows."""


def steps(page: str) -> list[str]:
    """The commands of a page, in order.

    Parameters
    ----------
    page : str
        Markdown; commands stand after `$ ` in blocks of the language console.
    """
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    lines = (line for block in blocks for line in block.splitlines())
    return [line.removeprefix("$ ").partition("  #")[0] for line in lines if line.startswith("$ ")]


def with_wheel(command: str, wheel: Path) -> str:
    """A `pip install` of the package's name as one of the wheel's file, with the same extras."""
    return re.sub(
        r"(pip install ')crosslabel(\[[\w,]+\])?'", lambda m: f"{m[1]}{wheel}{m[2] or ''}'", command
    )


def label(said: str) -> str:
    """The label in what `crosslabel predict` printed of one file, not the runner-up."""
    row = said.strip().splitlines()[-1].split()
    return row[1] if len(row) > 1 else ""


def picture(shape: str, rng: np.random.Generator) -> Image.Image:
    """A photo of a shape: of any colour, size and place, with noise."""
    ground, ink = rng.integers(150, 256, 3), rng.integers(0, 110, 3)
    image = Image.new("RGB", (160, 120), tuple(ground.tolist()))
    draw, colour = ImageDraw.Draw(image), tuple(ink.tolist())
    r, x, y = rng.integers(22, 42), rng.integers(50, 110), rng.integers(48, 72)
    box = [(int(x - r), int(y - r)), (int(x + r), int(y + r))]
    if shape == "circle":
        draw.ellipse(box, colour)
    elif shape == "square":
        draw.rectangle(box, colour)
    else:
        draw.polygon([(int(x), int(y - r)), box[1], (int(x - r), int(y + r))], colour)
    noisy = np.asarray(image) + rng.normal(0, 8, (120, 160, 3))
    return Image.fromarray(noisy.clip(0, 255).astype(np.uint8))


def own_folder(place: Path, each: int = 12) -> None:
    """What the page takes for granted: photos/<class>/*.jpg, and new.jpg."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        folder = place / "photos" / shape
        folder.mkdir(parents=True)
        for number in range(each):
            picture(shape, rng).save(folder / f"{number}.jpg")
    picture(ASKED, rng).save(place / "new.jpg")


def run(command: str, place: Path, environment: Path) -> tuple[float, str]:
    """Seconds and output of a command in the environment; its failure ends everything."""
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    cache = {"XDG_CACHE_HOME": str(place / "cache"), "CROSSLABEL_CACHE": str(place / "cache")}
    surroundings = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    start = time.perf_counter()
    done = subprocess.run(
        command, shell=True, cwd=place, env={**surroundings, **cache, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    print(f"{seconds:7.1f} s  {command}", flush=True)
    if done.returncode:
        sys.exit(f"It failed:\n{done.stdout}")
    return seconds, done.stdout


def follow(wheel: Path, place: Path) -> float:
    """Seconds to the first prediction, by the page's own commands; all of them are run."""
    own_folder(place)
    environment = place / "environment"
    run(f"{sys.executable} -m venv {environment}", place, environment)
    total, first = 0.0, None
    for command in steps(PAGE.read_text(encoding="utf-8")):
        seconds, said = run(with_wheel(command, wheel), place, environment)
        total += seconds
        if first is None and " predict " in command:
            first = total
            print(f"           {said.strip()}")
            if label(said) != ASKED:
                sys.exit(f"new.jpg shows a {ASKED}; the answer was: {said}")
    if first is None:
        sys.exit(f"{PAGE} predicts nothing.")
    return first


def keep(seconds: float) -> None:
    """Put the time into the records that the docs are filled from."""
    # A stranger's machine has neither the benchmarks nor what they need.
    from benchmarks.lines import Line
    from benchmarks.records import recorded

    line = Line("seconds from pip install to the first prediction", seconds, "<=", LIMIT)
    assert list(recorded("stranger", [line])) == [line]


def main() -> None:
    """Measure, print, and say whether it was within the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", type=Path, help="the wheel, or a folder that holds it")
    parser.add_argument("--folder", type=Path, help="an empty folder to work in; else a new one")
    parser.add_argument("--record", action="store_true", help="keep the seconds, for the docs")
    given = parser.parse_args()
    wheels = sorted(given.wheels.glob("crosslabel-*.whl")) or [given.wheels]
    place = given.folder or Path(tempfile.mkdtemp(prefix="stranger-"))
    place.mkdir(parents=True, exist_ok=True)
    first = follow(wheels[-1].resolve(), place)
    print(f"{first:7.1f} s from pip install to the first prediction of an own folder")
    if given.record:
        keep(first)
    if given.folder is None:
        shutil.rmtree(place)
    sys.exit(1 if first > LIMIT else 0)


if __name__ == "__main__":
    main()
