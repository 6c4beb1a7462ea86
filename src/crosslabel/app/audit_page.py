"""The page of an audit: thumbnails of what is doubtful, worst first, inside one file."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from crosslabel.app.audit import Findings, Pair, Suspect
from crosslabel.lab.report.markup import Markup, element
from crosslabel.lab.report.page import frame
from crosslabel.media.clips import read_clip
from crosslabel.media.gray import gray_image
from crosslabel.media.images import read_image

SIDE = 200
"""Pixels of the longer side of a thumbnail."""
MOST = 200
"""Entries of each kind that are shown; the rest is counted."""


def draw_page(findings: Findings) -> str:
    """Everything that was found, as one HTML document that needs no network.

    Parameters
    ----------
    findings : Findings
    """
    kind = findings.data.kind
    sections = [
        _section("Labels that are probably wrong", _suspects(findings.suspects, kind)),
        _section("Nearly the same under different labels", _pairs(findings.near, kind)),
        _section("There more than once", _groups(findings.equal, kind)),
    ]
    lede = (
        f"{findings.data.DESCR} Each was judged by a model that had not seen it "
        f"(features: {findings.features})."
    )
    return frame("Audit of labels", lede, element("main", sections, id="main", tabindex=-1))


def _section(title: str, entries: Iterable[Markup]) -> Markup:
    found = list(entries)
    shown = element("div", found[:MOST], class_="stemgrid") if found else element("p", "None.")
    more = len(found) - MOST
    rest = element("p", f"… and {more} more, in the JSON that --json prints.") if more > 0 else None
    return element("section", element("h2", f"{title}: {len(found)}"), shown, rest)


def _suspects(suspects: Iterable[Suspect], kind: str) -> Iterator[Markup]:
    for number, one in enumerate(suspects):
        yield element(
            "figure",
            _picture(one.file, kind) if number < MOST else None,
            element(
                "figcaption",
                element("strong", f"{one.looks_like} ({one.looks_probability:.0%})"),
                f" rather than {one.label} ({one.probability:.0%})",
                element("br"),
                one.file,
            ),
        )


def _pairs(pairs: Iterable[Pair], kind: str) -> Iterator[Markup]:
    for number, pair in enumerate(pairs):
        ends = ((pair.first, pair.first_label), (pair.second, pair.second_label))
        yield element(
            "figure",
            (_picture(file, kind) if number < MOST else None for file, _ in ends),
            element("figcaption", (_line(f"{label}: {file}") for file, label in ends)),
        )


def _groups(groups: Iterable[list[str]], kind: str) -> Iterator[Markup]:
    for number, group in enumerate(groups):
        yield element(
            "figure",
            _picture(group[0], kind) if number < MOST else None,
            element("figcaption", (_line(file) for file in group)),
        )


def _line(text: str) -> list[object]:
    return [text, element("br")]


def _picture(file: str, kind: str) -> Markup | None:
    """A thumbnail; a file that people brought is never sent as it is."""
    if kind == "features":
        return None
    small = Image.fromarray(_eight_bits(Path(file), kind))
    small.thumbnail((SIDE, SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    address = "data:image/jpeg;base64," + base64.b64encode(content.getvalue()).decode()
    return element("img", src=address, alt="", class_="photo", loading="lazy")


def _eight_bits(place: Path, kind: str) -> NDArray[np.uint8]:
    """The picture, or the middle frame of a clip."""
    pixels: NDArray[np.generic]
    if kind == "clips":
        clip = read_clip(place)
        pixels = clip[len(clip) // 2]
    else:
        pixels = read_image(place, colour=True, detail=SIDE)
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint8, copy=False)
    return np.rint(255 * gray_image(pixels)).astype(np.uint8)
