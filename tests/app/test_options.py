from typing import Annotated

import typer
from typer.testing import CliRunner

from crosslabel.app.options import choice

NAMES = {"early": 1, "late": 2}


def run(*words):
    app = typer.Typer()

    @app.command()
    def command(when: Annotated[str | None, choice(NAMES, "When.", "--time")] = None) -> None:
        typer.echo(f"{when!r}")

    return CliRunner().invoke(app, list(words))


def test_a_choice_takes_the_names_of_a_registry():
    assert run().stdout == "None\n"
    assert run("--time", "late").stdout == "'late'\n"
    assert "[early|late]" in run("--help").stdout


def test_another_word_is_refused_with_the_names():
    done = run("--time", "never")
    assert done.exit_code == 2
    assert "'never' is not one of early, late." in done.stderr
