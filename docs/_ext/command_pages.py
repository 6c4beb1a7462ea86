"""The page of the reference that lists the commands, from the command line's own words.

Needs no Sphinx, so that tests can read it.
"""

import re
from typing import Any, NamedTuple

from typer.main import get_command

from crosslabel.app.entry import application

NAME = "crosslabel"
INTRODUCTION = """\
What ``crosslabel COMMAND --help`` says, of all commands. Results go to standard output, all else to
standard error. Exit status: 0 when all went well, 1 for a mistake in the data or files, 2 for a
mistake in the words, 130 when interrupted.

"""


class Command(NamedTuple):
    """A command: its words, what it is for, lines that can be typed, arguments and options."""

    name: str
    about: str
    examples: list[str]
    parameters: list[tuple[str, str]]


def commands() -> list[Command]:
    """All commands, those of a group by both words."""
    found: dict[str, Any] = {}
    for name, command in get_command(application()).commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {k}": c for k, c in inner.items()} if inner else {name: command}
    return [_command(name, command) for name, command in found.items()]


def _command(name: str, command: Any) -> Command:
    context = command.context_class(command, info_name=f"{NAME} {name}")
    about, _, after = command.help.partition("For example:")
    lines = [line.strip() for line in after.splitlines() if line.strip()]
    records = [parameter.get_help_record(context) for parameter in command.params]
    return Command(name, about.strip(), lines, [record for record in records if record])


def _code(text: str) -> str:
    """Back-quoted words of a help text as code."""
    return re.sub(r"`([^`]+)`", r"``\1``", text.replace("*", r"\*"))


def page() -> str:
    """The page, as reStructuredText."""
    parts = ["Commands\n========\n", INTRODUCTION]
    for one in commands():
        title = f"{NAME} {one.name}"
        parts += [title, "-" * len(title), "", _code(one.about), "", ".. code-block:: console", ""]
        parts += [*(f"   $ {line}" for line in one.examples), ""]
        for word, told in one.parameters:
            parts += [f"``{word}``", f"   {_code(' '.join(told.split()))}"]
        parts.append("")
    return "\n".join(parts)
