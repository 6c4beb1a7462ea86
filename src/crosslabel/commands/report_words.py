"""The words of `crosslabel report`: what may be typed, and where the result goes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ReportFormat(StrEnum):
    """A page, or the tables alone."""

    html = "html"
    md = "md"
    csv = "csv"
    latex = "latex"


def report_command(
    store: Annotated[
        Path | None,
        typer.Option(help="Folder of the records. Default: that of `crosslabel reproduce`."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write. Default: report.html; other formats are printed."),
    ] = None,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="A page, or the tables alone.")
    ] = ReportFormat.html,
    table: Annotated[
        list[str] | None,
        typer.Option(help="Only this table or figure, as table-2; may be given again."),
    ] = None,
) -> None:
    """Make one page of every table and figure that has been reproduced so far.

    The page needs no network: pictures, style and script are inside.

    Examples
    --------
      crosslabel report

      crosslabel report --table table-2 --format latex > table-2.tex

      crosslabel report --format csv --out results.csv
    """
    from crosslabel.commands.printing import user_errors

    with user_errors():
        from crosslabel.commands.report import report, write_report

        text = report(store, form=form.value, tables=table or ())
        if out is None and form is not ReportFormat.html:
            typer.echo(text, nl=False)
            return
        place = out or Path("report.html")
        write_report(place, text)
        typer.echo(f"The report is {place.resolve()}.")
