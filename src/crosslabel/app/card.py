"""Write the card of a model file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from crosslabel.app.options import MODEL, QUIET, choice
from crosslabel.app.outputs import check_output
from crosslabel.app.printing import user_errors
from crosslabel.files.description import describe
from crosslabel.files.whole import write_whole
from crosslabel.lab.report.card import FORMS

SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}


def card(
    model: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    form: str | None = None,
) -> str:
    """The card of a model file, from what the file tells; the model is not loaded.

    Parameters
    ----------
    model : path
    out : path, default=None
        Where the card is written, a .md or .html file; None writes nothing.
    form : {"markdown", "html"}, default=None
        None goes by the suffix of `out`; Markdown where there is none.

    Returns
    -------
    str
    """
    place = None if out is None else check_output(out, suffixes=(*SUFFIXES, ""))
    chosen = form or SUFFIXES.get("" if place is None else place.suffix.lower(), "markdown")
    if chosen not in FORMS:
        raise ValueError(f"A card cannot be written as {chosen!r}; take {' or '.join(FORMS)}.")
    text = FORMS[chosen](describe(model))
    if place is not None:
        write_whole(place, lambda file: file.write(text.encode()))
    return text


def card_command(
    model: MODEL,
    out: Annotated[
        Path | None, typer.Option(help="File of the card, .md or .html. Default: printed.")
    ] = None,
    form: Annotated[
        str | None, choice(FORMS, "Default: by the suffix of --out.", "--format")
    ] = None,
    quiet: QUIET = False,
) -> None:
    """Write the card of a model: its data, how it was measured, its limits, the data's licence.

    For example:

      crosslabel card pets.skops

      crosslabel card pets.skops --out pets.html
    """
    with user_errors():
        text = card(model, out=out, form=form)
        if out is None:
            typer.echo(text, nl=False)
        elif not quiet:
            typer.echo(f"The card is {out}.")
