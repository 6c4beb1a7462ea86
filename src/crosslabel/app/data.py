"""Which data sets are on this machine."""

from __future__ import annotations

import sys
from typing import Annotated, NamedTuple

import typer

from crosslabel.app.options import AS_JSON, QUIET, ROOT
from crosslabel.app.printing import print_json, user_errors
from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.fetching import fetch
from crosslabel.datasets.root import Root


class Status(NamedTuple):
    """A data set: whether it is here, whether it can be fetched, and what it holds or needs."""

    name: str
    present: bool
    fetchable: bool
    about: str


def list_data(root: Root = None) -> list[Status]:
    """Every known data set and whether it is present.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets.

    Returns
    -------
    list of Status
    """
    return [_status(name, root) for name in sorted(DATASETS)]


def _status(name: str, root: Root) -> Status:
    entry = DATASETS[name]
    fetchable = bool(entry.sources)
    try:
        data = entry.loader(root)
    except FileNotFoundError:
        return Status(name, False, fetchable, f"{entry.folder}/{entry.layout}")
    except ValueError as error:
        return Status(name, False, fetchable, f"damaged: {error}")
    return Status(
        name, True, fetchable, f"{len(data.target)} samples, {len(data.target_names)} classes"
    )


commands = typer.Typer(help="Data sets: which are here, and how to get the others.")


@commands.command("list")
def list_command(root: ROOT = None, as_json: AS_JSON = False) -> None:
    """Show which data sets are on this machine.

    For example:

      crosslabel data list --root ~/data
    """
    with user_errors():
        found = list_data(root)
        if as_json:
            print_json([status._asdict() for status in found])
            return
        for status in found:
            absent = "can be fetched" if status.fetchable else "absent"
            state = "present" if status.present else absent
            typer.echo(f"{status.name:<18}{state:<16}{status.about}")


@commands.command("fetch")
def fetch_command(
    name: Annotated[str, typer.Argument(help="A name that `crosslabel data list` shows.")],
    root: ROOT = None,
    quiet: QUIET = False,
) -> None:
    """Get a data set from its public address, or say where to ask for it.

    For example:

      crosslabel data fetch fashion_mnist --root ~/data
    """
    with user_errors():

        def advance(have: int, total: int | None) -> None:
            if not quiet and sys.stderr.isatty():
                of = "" if total is None else f" of {total / 1e6:.1f}"
                typer.echo(f"\r{have / 1e6:.1f}{of} MB", err=True, nl=False)

        folder = fetch(name, root, advance=advance)
        typer.echo(f"{name} is in {folder}.")
