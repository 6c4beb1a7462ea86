"""The command line as tests run it."""

from functools import cache

from typer.testing import CliRunner

from crosslabel.app.entry import application

whole = cache(application)


def run(*words):
    return CliRunner().invoke(whole(), [str(word) for word in words])
