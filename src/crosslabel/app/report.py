"""Write what has been reproduced so far: a page to look at, or tables for other programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from crosslabel.files.whole import write_whole
from crosslabel.lab.records import Store
from crosslabel.lab.report.formats import FORMATS
from crosslabel.lab.report.gather import gather
from crosslabel.lab.report.page import draw_page
from crosslabel.lab.spec_files import FOLDER, load_spec, load_specs

PAGE = "html"


def report(
    store: str | os.PathLike[str] | None = None,
    *,
    form: str = PAGE,
    tables: Sequence[str] = (),
    specs: Path = FOLDER,
) -> str:
    """The page, or the tables in another form, as text.

    Parameters
    ----------
    store : path, default=None
        Folder of the records; None for the default store.
    form : str, default="html"
        "html" for the page, or a name of `FORMATS` for the tables alone.
    tables : sequence of str, default=()
        Names of tables and figures, as "table-2"; none means all.
    specs : Path, default=FOLDER
        Folder of the specifications.

    Returns
    -------
    str
    """
    if form != PAGE and form not in FORMATS:
        known = ", ".join([PAGE, *FORMATS])
        raise ValueError(f"There is no format {form!r} of a report. Known: {known}.")
    chosen = [load_spec(name, specs) for name in tables] if tables else load_specs(specs)
    content = gather(Store(store), chosen)
    if form == PAGE:
        return draw_page(content)
    return FORMATS[form]([table for section in content.sections for table in section.tables])


def absent_records(store: str | os.PathLike[str] | None = None) -> str:
    """A sentence where nothing has been reproduced yet; empty where something has.

    Parameters
    ----------
    store : path, default=None
        Folder of the records; None for the default store.
    """
    folder = Store(store).folder
    if any((folder / "records").glob("*.json")):
        return ""
    return (
        f"There are no records in {folder} yet, so that only the paper's values are shown. "
        "`crosslabel reproduce table-2` makes some; --store names another folder."
    )


def write_report(out: Path, text: str) -> None:
    """Write the page or tables whole or not at all.

    Parameters
    ----------
    out : Path
    text : str
    """
    write_whole(out, lambda file: file.write(text.encode()))
