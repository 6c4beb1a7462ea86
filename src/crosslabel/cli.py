"""The command `crosslabel`: parse, call, print."""

import typer

from crosslabel.commands.app import register

app = typer.Typer(help=__doc__, no_args_is_help=True)


@app.callback()
def _root() -> None:
    """Supervised dictionary learning from the command line."""


register(app)


def main() -> None:
    """Run the command line."""
    app()
