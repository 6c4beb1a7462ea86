"""The command `crosslabel`: parse, call, print."""

import sys

import typer

from crosslabel.app.parser import register
from crosslabel.app.start import start_quickly

QUICK = ("evaluate", "explain", "predict")  # what loads a model, and so scikit-learn

app = typer.Typer(
    help="Classify images, clips or features with a small dictionary that can be looked at.",
    no_args_is_help=True,
)
register(app)


def main() -> None:
    """Run the command line."""
    if len(sys.argv) > 1 and sys.argv[1] in QUICK:
        start_quickly()
    app()
