"""The options that several commands share, and the words that may stand in them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

MODEL = Annotated[Path, typer.Argument(help="A model file, as `crosslabel fit` writes it.")]
SOURCE = Annotated[
    Path,
    typer.Argument(help="A folder with a subfolder for each class, or a .mat or .npz file."),
]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result only.")]
AS_JSON = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
SEED = Annotated[int, typer.Option(help="Seeds every random choice.")]
STRICT = Annotated[bool, typer.Option(help="Stop at the first file that cannot be used.")]
ROOT = Annotated[Path | None, typer.Option(help="Folder of data sets. Default: $CROSSLABEL_DATA.")]


class Features(StrEnum):
    """Names of the features, as `crosslabel.features.recipes` holds them."""

    auto = "auto"
    pixels = "pixels"
    eigenfaces = "eigenfaces"
    randomfaces = "randomfaces"
    spm = "spm"
    lbptop = "lbptop"
    none = "none"


class Format(StrEnum):
    """How predictions are printed."""

    table = "table"
    csv = "csv"
    json = "json"


class CardFormat(StrEnum):
    """How a model card is written."""

    markdown = "markdown"
    html = "html"


class Rule(StrEnum):
    """The two rules of the paper."""

    global_ = "global"
    local = "local"


class Precision(StrEnum):
    """Floating types of an exported model."""

    float32 = "float32"
    float64 = "float64"


FEATURES = Annotated[Features, typer.Option(help="What is computed from each image or clip.")]
SIZE = Annotated[
    str | None, typer.Option(help="Size of pixels, as 54x48 (height x width). Default: 48 rows.")
]
LOG = Annotated[bool, typer.Option("--log", help="Logarithm of intensities, against shadows.")]
DIMENSION = Annotated[int | None, typer.Option(min=1, help="Of eigenfaces, random faces or PCA.")]
WORDS = Annotated[int, typer.Option(min=1, help="Codebook size of a spatial pyramid.")]
CACHE = Annotated[Path | None, typer.Option(help="Folder that keeps finished features.")]
JOBS = Annotated[int, typer.Option(help="Processes for features; -1 for one on each core.")]


def feature_settings(
    size: str | None,
    log: bool,
    dimension: int | None,
    words: int,
    cache: Path | None,
    jobs: int,
    quiet: bool,
    seed: int,
) -> Any:
    """Settings of the features, from what was typed."""
    from crosslabel.features.recipes import Settings

    shape: tuple[int, int] | None = None
    if size is not None:
        parts = size.lower().replace("×", "x").split("x")
        if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
            raise typer.BadParameter(f"--size must be HEIGHTxWIDTH, as 54x48, not {size!r}")
        shape = (int(parts[0]), int(parts[1]))
    place = None if cache is None else str(cache.expanduser())
    return Settings(shape, log, dimension, words, place, jobs, not quiet, seed)
