"""How the commands speak: results to standard output, all else to standard error."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from crosslabel.files.visible import cell, visible

if TYPE_CHECKING:
    from sklearn.utils import Bunch

Row = dict[str, Any]
"""What is said of one file."""

SHOWN = 10
"""Skipped files that are named; the rest is counted."""


@contextmanager
def user_errors() -> Iterator[None]:
    """A user's mistake becomes one sentence; $CROSSLABEL_DEBUG keeps the traceback."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:
        # The reader has gone, as with `| head`; Python must not complain at its exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (ValueError, OSError, ImportError) as error:
        if os.environ.get("CROSSLABEL_DEBUG"):
            raise
        typer.echo(visible_lines(f"Error: {error}"), err=True)
        raise typer.Exit(1) from None


def visible_lines(text: str) -> str:
    """Lines of text in which nothing commands a terminal."""
    return "\n".join(visible(line) for line in text.split("\n"))


def tell_skipped(data: Bunch, quiet: bool) -> None:
    """Name what was left out, and count it."""
    if not data.skipped or quiet:
        return
    for item in data.skipped[:SHOWN]:
        typer.echo(visible_lines(str(item)), err=True)
    if len(data.skipped) > SHOWN:
        typer.echo(f"… and {len(data.skipped) - SHOWN} more.", err=True)
    typer.echo(f"{len(data.skipped)} files or classes left out.", err=True)


def print_json(value: object) -> None:
    """One value, for a program."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


class _Table:
    """Predictions for a reader: aligned columns under a header, one line each."""

    layout = "{:<40} {:<24} {:>11}  {}"

    def __init__(self, quiet: bool = False) -> None:
        self.headed = quiet

    def add(self, row: Row) -> None:
        """Take one prediction."""
        if row["label"] is None:
            return
        if not self.headed:
            typer.echo(self.layout.format("file", "label", "probability", "runner-up"))
            self.headed = True
        second = chance = ""
        if row["probability"] is not None:
            chance = f"{row['probability']:.1%}"
            second = f"{row['runner_up']} ({row['runner_up_probability']:.1%})"
        if row.get("top"):
            second = _listed(row["top"][1:])
        typer.echo(visible(self.layout.format(row["file"], row["label"], chance, second)))

    def close(self) -> None:
        """Nothing is left to print."""


class _Csv:
    """Predictions for a spreadsheet, with a header."""

    fields = (
        *("file", "label", "probability", "runner_up", "runner_up_probability"),
        *("warning", "problem"),
    )

    def __init__(self, quiet: bool = False) -> None:
        self.writer: csv.DictWriter[str] | None = None

    def _head(self, *more: str) -> csv.DictWriter[str]:
        writer = csv.DictWriter(sys.stdout, (*self.fields, *more), lineterminator="\n")
        writer.writeheader()
        return writer

    def add(self, row: Row) -> None:
        """Take one prediction."""
        if "top" in row:
            row = {**row, "top": _listed(row["top"])}
        self.writer = self.writer or self._head(*(("top",) if "top" in row else ()))
        self.writer.writerow({name: cell(value) for name, value in row.items()})

    def close(self) -> None:
        """A header, where there was no prediction."""
        self.writer = self.writer or self._head()


def _listed(top: list[Row]) -> str:
    """Classes with their probabilities, in one cell."""
    return ", ".join(f"{one['label']} ({one['probability']:.1%})" for one in top)


class _Json:
    """Predictions for a program: one list."""

    def __init__(self, quiet: bool = False) -> None:
        self.rows: list[Row] = []

    def add(self, row: Row) -> None:
        """Take one prediction."""
        self.rows.append(row)

    def close(self) -> None:
        """Print all."""
        print_json(self.rows)


Printer = _Table | _Csv | _Json
PRINTERS: dict[str, Callable[[bool], Printer]] = {
    "table": _Table,
    "csv": _Csv,
    "json": _Json,
}
