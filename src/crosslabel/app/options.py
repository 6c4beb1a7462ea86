"""The options that several commands share, and options whose words come from a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

MODEL = Annotated[Path, typer.Argument(help="A model file, as `crosslabel fit` writes it.")]
SOURCE = Annotated[
    Path,
    typer.Argument(help="A folder with a subfolder for each class, or a .mat or .npz file."),
]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result only.")]
AS_JSON = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
FORCE = Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")]
SEED = Annotated[int, typer.Option(help="Seeds every random choice.")]
STRICT = Annotated[bool, typer.Option(help="Stop at the first file that cannot be used.")]
ROOT = Annotated[Path | None, typer.Option(help="Folder of data sets. Default: $CROSSLABEL_DATA.")]
CACHE = Annotated[Path | None, typer.Option(help="Folder that keeps finished features.")]
JOBS = Annotated[int, typer.Option(help="Processes for features; -1 for one on each core.")]


def choice(names: Iterable[str], help: str, *flags: str) -> OptionInfo:
    """A typer option that takes one of the names, as a registry lists them.

    Parameters
    ----------
    names : iterable of str
    help : str
    *flags : str
        As "--format", where the parameter has another name.
    """
    known = list(names)
    return typer.Option(
        *flags,
        help=help,
        metavar=f"[{'|'.join(known)}]",
        callback=_one_of(known),
        autocompletion=lambda: known,
    )


def _one_of(known: list[str]) -> Callable[[str | None], str | None]:
    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.")
        return value

    return check
