"""Hostile images, clips, feature files and statistics: each is named or used, within 700 MB.

Sound files of many formats are truncated, flipped and given other sizes in their headers; others
are bombs. Each is read in one child process, whose peak is measured for each file.

Run: python -m benchmarks.hostile_media --count 300
"""

from __future__ import annotations

import argparse
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse
from PIL import Image

from benchmarks.asking import memory
from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import ClassStatistics
from crosslabel.datasets.mat import load_features
from crosslabel.media.clips import read_clip
from crosslabel.media.images import read_image

READERS: dict[str, Any] = {
    **dict.fromkeys(("png", "jpg", "gif", "tif", "webp", "bmp", "jp2", "ppm", "tga"), read_image),
    **dict.fromkeys(("npy", "avi", "mp4"), read_clip),
    **dict.fromkeys(("npz", "mat"), load_features),
    "stats": ClassStatistics.load,
}
"""What reads a file, by its suffix."""

Random = np.random.Generator
FORMATS = {"png": "PNG", "jpg": "JPEG", "gif": "GIF", "tif": "TIFF", "webp": "WEBP", "bmp": "BMP"}
MODES = ("L", "RGB", "RGBA", "P", "LA", "1", "I;16", "CMYK", "F")
VAST = 10_900  # pixels of a side: 119 million in all
PEAK = 700e6


def sound(folder: Path) -> list[tuple[str, bytes]]:
    """Suffix and content of sound files of all kinds."""
    random, found = np.random.default_rng(0), []
    picture = Image.fromarray(random.integers(0, 256, (60, 80, 3), dtype=np.uint8))
    for suffix, form in FORMATS.items():
        for mode in MODES:
            buffer = io.BytesIO()
            try:
                picture.convert("L" if mode == "I;16" else mode).convert(mode).save(buffer, form)
            except (OSError, ValueError):  # a format that has no such mode
                continue
            found.append((suffix, buffer.getvalue()))
    X, y = random.normal(size=(20, 5)), np.repeat(np.arange(4), 5)
    for write in (np.savez, np.savez_compressed):
        buffer = io.BytesIO()
        write(buffer, X=X, y=y)
        found.append(("npz", buffer.getvalue()))
    for sparse in (y, scipy.sparse.csc_array(np.eye(20)[:, :20])):
        for packed in (False, True):
            buffer = io.BytesIO()
            scipy.io.savemat(buffer, {"fea": X, "gnd": sparse}, do_compression=packed)
            found.append(("mat", buffer.getvalue()))
    buffer = io.BytesIO()
    np.save(buffer, random.integers(0, 256, (5, 8, 8), dtype=np.uint8))
    found.append(("npy", buffer.getvalue()))
    ClassStatistics.from_samples(X, y).save(folder / "s")
    found.append(("stats", (folder / "s").read_bytes()))
    return found


def bombs() -> Iterator[tuple[str, bytes]]:
    """Small files that unpack to a lot."""
    for mode in ("RGBA", "P", "L", "1", "LA"):
        buffer = io.BytesIO()
        Image.new(mode, (VAST, VAST)).save(buffer, "PNG", compress_level=1)
        yield "png", buffer.getvalue()
    buffer = io.BytesIO()
    Image.new("RGB", (VAST, VAST)).save(buffer, "JPEG", progressive=True)
    yield "jpg", buffer.getvalue()
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (750000000,), }"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("X.npy", "w", force_zip64=True) as member,
    ):
        member.write(head)
        for _ in range(3000):
            member.write(bytes(10**6))
    yield from (("npz", buffer.getvalue()), ("stats", buffer.getvalue()))
    yield from (
        ("npy", buffer.getvalue()),
        ("npy", head),
        ("npy", b"\x93NUMPY\x02\x00" + b"\xff" * 90),
    )
    packed = zlib.compress(bytes(3 * 10**9), 1)
    yield "mat", bytes(124) + b"\x00\x01IM" + struct.pack("<II", 15, len(packed)) + packed
    buffer = io.BytesIO()
    wide = scipy.sparse.csc_array((30_000, 30_000))
    scipy.io.savemat(buffer, {"fea": wide, "gnd": np.arange(3)})
    yield "mat", buffer.getvalue()
    for suffix in READERS:
        yield suffix, b""


def changed(content: bytes, random: Random) -> bytes:
    """Truncated, with flipped bits, or with a large number somewhere in its first bytes."""
    match random.integers(3):
        case 0:
            return content[: random.integers(len(content))]
        case 1:
            made = bytearray(content)
            for place in random.integers(0, len(made), random.integers(1, 9)):
                made[place] ^= 1 << random.integers(8)
            return bytes(made)
        case _:
            place = int(random.integers(0, min(200, len(content))))
            number = struct.pack("<>"[random.integers(2)] + "I", int(random.integers(2**31)))
            return content[:place] + number + content[place + 4 :]


def read_all(folder: Path) -> None:
    """In the child: read every file, and say how each ended and what it took."""
    for place in sorted(folder.iterdir()):
        Path("/proc/self/clear_refs").write_text("5")
        try:
            READERS[place.suffix[1:]](place)
            ending = "used"
        except ValueError as error:
            ending = "named" if place.name in str(error) else f"NOT NAMED {error}"
        # The finding of the benchmark: any other error.
        except BaseException as error:
            ending = f"RAISED {type(error).__name__} {error}"
        print(json.dumps([place.name, ending[:200], memory("VmHWM")]), flush=True)


def measured(count: int) -> Iterator[Line]:
    """Lines of the report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        folder.mkdir()
        good, random = sound(Path(name)), np.random.default_rng(1)
        files = [*good, *bombs()]
        while len(files) < count:
            suffix, content = good[random.integers(len(good))]
            files.append((suffix, changed(content, random)))
        for number, (suffix, content) in enumerate(files):
            (folder / f"{number:04}.{suffix}").write_bytes(content)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.hostile_media", "--read", str(folder)],
            stdout=subprocess.PIPE,
            text=True,
        )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    endings = Counter(ending.split()[0] for _, ending, _ in answers)
    for answer in answers:
        if answer[1] not in ("used", "named") or answer[2] > PEAK:
            print(*answer)
    used = sum(ending == "used" for _, ending, _ in answers[: len(good)])
    yield Line("files", len(answers), ">=", count)
    yield Line("exit status of the reader", done.returncode, "<=", 0)
    yield Line(
        "neither used nor named", endings.total() - endings["used"] - endings["named"], "<=", 0
    )
    yield Line("sound files that were not used", len(good) - used, "<=", 0)
    yield Line("largest memory of the reader, MB", max(a[2] for a in answers) / 1e6, "<=", 700)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Read hostile images, clips, features, statistics."
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--read", type=Path, default=None, help="Read this folder: the child.")
    if "--read" in sys.argv:  # the child, which measures nothing of its own
        read_all(parser.parse_args().read)
        return 0
    title = "hostile media, feature and statistics files"
    return command("hostile_media", title, lambda given: measured(given.count), parser)


if __name__ == "__main__":
    sys.exit(main())
