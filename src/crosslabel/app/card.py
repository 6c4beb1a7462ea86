"""Write the card of a model file."""

from __future__ import annotations

import os
from pathlib import Path

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
        Where the card is written; None writes nothing.
    form : {"markdown", "html"}, default=None
        None goes by the suffix of `out`; Markdown where there is none.

    Returns
    -------
    str
    """
    chosen = form or SUFFIXES.get("" if out is None else Path(out).suffix.lower(), "markdown")
    if chosen not in FORMS:
        raise ValueError(f"A card cannot be written as {chosen!r}; take {' or '.join(FORMS)}.")
    text = FORMS[chosen](describe(model))
    if out is not None:
        write_whole(Path(out), lambda file: file.write(text.encode()))
    return text
