"""Embeddings: their speed beside the bare network, and what they do for accuracy.

Run: python -m benchmarks.embedding [--only 'speed*']      (needs $CROSSLABEL_DATA)

Vectors are kept in $CROSSLABEL_BENCH/embed, so that a second run judges without embedding again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
from packaging.requirements import Requirement

from benchmarks.command import command
from benchmarks.lines import Line, Part, lines_of
from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_caltech101, load_orl, load_scene15
from crosslabel.datasets.splits import per_class
from crosslabel.features import Embedding
from crosslabel.features.efficientnet_lite import read_weights, weight_file
from crosslabel.media.images import read_image

KEPT = Path(os.environ.get("CROSSLABEL_BENCH", "/var/tmp/crosslabel-bench")) / "embed"
COMMAND = [sys.executable, "-m", "crosslabel"]
SPLITS = 10


def _fastest(
    *works: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The best time of each, in turns, so that what else the machine does meets all alike."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for number, work in enumerate(works):
            start = clock()
            work()
            best[number] = min(best[number], clock() - start)
    return best


def _photos(count: int) -> list[str]:
    names = load_caltech101().filenames
    return [str(names[i]) for i in np.random.default_rng(0).permutation(len(names))[:count]]


def speed() -> Iterator[Line]:
    """One photo on one thread; many on two."""
    embedding = Embedding(n_jobs=1).fit([])
    photo = [read_image(_photos(1)[0], colour=True)]
    encoder = embedding.encoder()
    session, ready = encoder.network.session, encoder.pictures(photo).transpose(0, 3, 1, 2)
    feed = {session.get_inputs()[0].name: np.ascontiguousarray(ready)}
    works = (lambda: session.run(None, feed), lambda: embedding.transform(photo))
    # Of one thread the processor's time, which other work on the machine does not lengthen.
    bare, ours = _fastest(*works, rounds=60, clock=time.process_time)
    print(f"the bare network takes {1e3 * bare:.1f} ms")
    yield Line("one photo, one thread: times the bare network", ours / bare, "<=", 1.3)
    many = _photos(240)
    both = Embedding(n_jobs=2).fit([])
    one, two = _fastest(lambda: embedding.transform(many), lambda: both.transform(many), rounds=5)
    print(f"240 photos from files: {one:.2f} s on one thread, {two:.2f} s on two")
    yield Line("240 photos: two threads against one", one / two, ">=", 1.6)


def agreement() -> Iterator[Line]:
    """Against the network as its authors wrote it, in torch."""
    # Torch is needed for this part alone.
    from tests.features.test_efficientnet_lite import literal

    embedding = Embedding(power=1).fit([])
    photos = _photos(100)
    ours = embedding.transform(photos)
    seen = np.ascontiguousarray(embedding.encoder().pictures(photos).transpose(0, 3, 1, 2))
    theirs = literal(read_weights(weight_file()), seen)
    norms = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    cosine = ((ours * theirs).sum(axis=1) / norms).min()
    yield Line("cosine with the network in torch, least of 100 photos", cosine, ">=", 0.9999)


def fitted_folder() -> Iterator[Line]:
    """`crosslabel fit` of 8 × 30 photos of the largest classes; then of the next two eights."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        environment = {**os.environ, "CROSSLABEL_CACHE": str(root / "cache")}
        shares = []
        for number, classes in enumerate(_largest().reshape(3, 8)):
            photos, unseen = root / f"photos{number}", root / f"unseen{number}"
            _copied(classes, photos, unseen)
            model = str(root / f"{number}.skops")
            words = [*COMMAND, "fit", str(photos), "--out", model, "--quiet", "--force"]
            cold = _seconds(words, environment)
            if number == 0:
                warm = min(_seconds(words, environment) for _ in range(5))
                yield Line("crosslabel fit of 8 × 30 photos, cold cache, seconds", cold, "<=", 15)
                yield Line("the same with a warm cache", warm, "<=", 3)
            shares.append(
                _accuracy([*COMMAND, "evaluate", model, str(unseen), "--json"], environment)
            )
        for number, share in enumerate(shares, 1):
            yield Line(f"accuracy on 160 unseen photos, eight number {number}, %", share)
        yield Line("accuracy on 160 unseen photos, %", float(np.mean(shares)), ">=", 98.5)


def _largest() -> np.ndarray:
    """The 24 classes with the most photos; not the background, nor the faces a second time."""
    data = load_caltech101()
    order = np.argsort(-np.bincount(data.target), kind="stable")
    names = [n for n in data.target_names[order] if n not in ("BACKGROUND_Google", "Faces_easy")]
    return np.array(names[:24])


def _copied(classes: np.ndarray, photos: Path, unseen: Path) -> None:
    data = load_caltech101()
    files, labels = np.array(data.filenames), data.target_names[data.target]
    random = np.random.default_rng(1)
    for name in classes:
        own = random.permutation(files[labels == name])
        for folder, part in ((photos, own[:30]), (unseen, own[30:50])):
            (folder / name).mkdir(parents=True)
            for file in part:
                shutil.copy(file, folder / name)


def _seconds(words: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _accuracy(words: list[str], environment: dict[str, str]) -> float:
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    return 100 * float(json.loads(done.stdout)["accuracy"])


def caltech101() -> Iterator[Line]:
    """With the background class, from images of at most 240 pixels."""
    data = load_caltech101()
    X = _kept(data.filenames)
    for count, bar in ((5, 84), (15, 88.5), (30, 91)):
        yield _judged(f"Caltech101, {count} per class", X, data.target, count, bar)


def scene15() -> Iterator[Line]:
    """From images of at most 256 pixels."""
    data = load_scene15()
    yield _judged("Scene15, 100 per class", _kept(data.filenames), data.target, 100, 92.3)


def orl() -> Iterator[Line]:
    """Faces, which the network was not trained for."""
    data = load_orl()
    yield _judged("ORL, 5 per person", _kept(data.filenames), data.target, 5, 99)


def _kept(files: list[str]) -> np.ndarray:
    return Embedding(n_jobs=-1, cache=KEPT, verbose=True).fit_transform([str(f) for f in files])


def _judged(what: str, X: np.ndarray, y: np.ndarray, count: int, bar: float) -> Line:
    """Mean accuracy of the defaults over ten random splits."""
    scores = []
    for train, test in per_class(y, count, repeats=SPLITS):
        model = CrossLabelClassifier(random_state=0).fit(X[train], y[train])
        scores.append(100 * model.score(X[test], y[test]))
    name = f"{what}, overall accuracy, % (± {np.std(scores):.2f})"
    return Line(name, float(np.mean(scores)), ">=", bar)


def installed() -> Iterator[Line]:
    """What the extra adds to the core, and that torch is not among it."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    more = _needed(project["optional-dependencies"]["embed"]) - _needed(project["dependencies"])
    print("the extra adds", ", ".join(sorted(more)))
    yield Line("torch among what crosslabel[embed] adds", "torch" in more, "<=", 0)
    sizes = sum(
        file.locate().stat().st_size
        for name in more
        for file in distribution(name).files or ()
        if file.locate().is_file()
    )
    yield Line("what crosslabel[embed] adds to the core, MB", sizes / 1e6, "<=", 150)


def _needed(requirements: list[str]) -> set[str]:
    """The named packages and all that they need, by their names."""
    found: set[str] = set()
    left = list(requirements)
    while left:
        need = Requirement(left.pop())
        name = need.name.lower().replace("-", "_")
        if name not in found and (need.marker is None or need.marker.evaluate({"extra": ""})):
            found.add(name)
            left.extend(distribution(name).requires or [])
    return found


PARTS: tuple[Part, ...] = (speed, agreement, fitted_folder, orl, scene15, caltech101, installed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="*", help="names of parts, with *")
    return command(
        "embedding",
        "Embeddings",
        lambda given: lines_of(part for part in PARTS if fnmatchcase(part.__name__, given.only)),
        parser,
    )


if __name__ == "__main__":
    sys.exit(main())
