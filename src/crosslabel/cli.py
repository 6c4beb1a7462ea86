"""The command `crosslabel`: parse, call, print."""

import typer

from crosslabel.commands.app import register

app = typer.Typer(
    help="Classify images, clips or features with a small dictionary that can be looked at.",
    no_args_is_help=True,
)
register(app)


def main() -> None:
    """Run the command line."""
    app()
