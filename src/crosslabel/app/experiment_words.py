"""The words of `crosslabel reproduce` and `crosslabel report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosslabel.app.options import QUIET, ROOT
from crosslabel.app.outputs import check_output
from crosslabel.app.printing import user_errors


def reproduce_command(
    names: Annotated[list[str] | None, typer.Argument(help="As table-2; or all.")] = None,
    show: Annotated[bool, typer.Option("--list", help="Name every table and figure.")] = False,
    store: Annotated[
        Path | None,
        typer.Option(help="Folder of results. Default: $CROSSLABEL_STORE or the user's cache."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1 for one on each core.")] = 1,
    device: Annotated[str, typer.Option(help="cpu or cuda, for methods that can use it.")] = "cpu",
    only: Annotated[
        str | None,
        typer.Option(help="Methods, with commas; * for any part of a name."),
    ] = None,
    limit_splits: Annotated[int | None, typer.Option(min=1, help="The first splits only.")] = None,
    features: Annotated[
        Path | None, typer.Option(help="Folder of slow features. Default: in the store.")
    ] = None,
    root: ROOT = None,
    quiet: QUIET = False,
) -> None:
    """Run tables and figures of the paper, and put ours beside the published values.

    Each result is kept as it comes: run again, and only what is missing runs.

    For example:

      crosslabel reproduce --list

      crosslabel reproduce table-2 --jobs 2 --only 'global,log'
    """
    with user_errors():
        from crosslabel.app.reproduce import reproduce_all, selected

        if show or not names:
            for spec in selected(["all"]):
                typer.echo(f"{spec.name:<24}{spec.title}")
            return
        chosen = [name.strip() for name in only.split(",")] if only else []
        well = reproduce_all(
            selected(names, chosen), store, typer.echo, jobs=jobs, device=device,
            only=chosen, limit_splits=limit_splits, features=features, root=root, quiet=quiet,
        )  # fmt: skip
        if not well:
            raise typer.Exit(1)


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
        str,
        typer.Option("--format", help="html for the page; md, csv or latex for the tables."),
    ] = "html",
    table: Annotated[
        list[str] | None,
        typer.Option(help="Only this table or figure, as table-2; may be given again."),
    ] = None,
) -> None:
    """Make one page of every table and figure that has been reproduced so far.

    The page needs no network: pictures, style and script are inside.

    For example:

      crosslabel report

      crosslabel report --table table-2 --format latex > table-2.tex

      crosslabel report --format csv --out results.csv
    """
    with user_errors():
        from crosslabel.app.report import absent_records, report, write_report

        place = check_output(out or Path("report.html"))
        note = absent_records(store)
        if note:
            typer.echo(note, err=True)
        text = report(store, form=form, tables=table or ())
        if out is None and form != "html":
            typer.echo(text, nl=False)
            return
        write_report(place, text)
        typer.echo(f"The report is {place.resolve()}.")
