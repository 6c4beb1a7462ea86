"""The command `crosslabel`: which commands there are, and how they are started.

Results go to standard output, all else to standard error. Exit status: 0 when all went well, 1 for
a mistake in the data or files, 2 for a mistake in the words, 130 when interrupted. A command's
module is imported only when that command runs, or when help on all of them is asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer

from crosslabel._version import __version__
from crosslabel.app.start import import_writer, start_quickly

QUICK = ("evaluate", "explain", "fit", "predict")  # what loads a model, and so scikit-learn
WRITE = ("fit",)  # what writes a model

VERSION = "--version"

COMMANDS = {
    "fit": "crosslabel.app.fit_words",
    "evaluate": "crosslabel.app.evaluate",
    "predict": "crosslabel.app.predict",
    "compare": "crosslabel.app.compare_words",
    "audit": "crosslabel.app.audit_words",
    "explain": "crosslabel.app.explain",
    "reproduce": "crosslabel.app.experiment_words",
    "export": "crosslabel.app.export",
    "inspect": "crosslabel.app.inspect",
    "card": "crosslabel.app.card",
    "demo": "crosslabel.app.demo",
    "studio": "crosslabel.app.studio",
    "serve": "crosslabel.app.serve",
    "report": "crosslabel.app.experiment_words",
}
"""The module of each command; its function is the command's name with `_command` after it."""


def application(*names: str) -> typer.Typer:
    """The command line with the named commands, or with all of them.

    Parameters
    ----------
    *names : str
        Of `COMMANDS`, or "data"; none for all. An option that stands alone needs no command.
    """
    app = typer.Typer(
        help="Classify images, clips or features with a small dictionary that can be looked at.",
        no_args_is_help=True,
    )
    app.callback()(_about)
    for name in names or COMMANDS:
        if name in COMMANDS:
            app.command(name)(getattr(import_module(COMMANDS[name]), f"{name}_command"))
    if not names or "data" in names:
        data = import_module("crosslabel.app.data").commands
        app.add_typer(data, name="data", no_args_is_help=True)
    return app


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"crosslabel {__version__}")
        raise typer.Exit


def _about(
    version: Annotated[
        bool,
        typer.Option(VERSION, callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Hold what may be said before a command."""


def main() -> None:
    """Run the command line."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if word in QUICK:
        start_quickly()
    if word in WRITE and "--help" not in sys.argv:
        import_writer()
    application(*([word] if word in {*COMMANDS, "data", VERSION} else []))()
