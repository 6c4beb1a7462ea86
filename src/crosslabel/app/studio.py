"""The words of `crosslabel studio`."""

from __future__ import annotations

import secrets
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from crosslabel.app.options import QUIET, choice
from crosslabel.app.printing import user_errors
from crosslabel.app.serve import HOST, LOOPBACK, address_of, web

GIVE_WAY = 5e-4
"""Seconds after which a thread of Python lets another one run."""

SIGHTS = ("auto", "embed", "pixels")


def studio_command(
    folder: Annotated[
        Path, typer.Argument(help="Pictures, a subfolder for each class; made if not there.")
    ] = Path("studio"),
    features: Annotated[str, choice(SIGHTS, "How pictures are seen.")] = "auto",
    served: Annotated[
        str | None,
        typer.Option(help="Address of a served model to ask too, as http://…/v2/models/pets."),
    ] = None,
    served_token: Annotated[str | None, typer.Option(help="What the served model wants.")] = None,
    host: HOST = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any that is free.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
    quiet: QUIET = False,
) -> None:
    """Teach a classifier in the browser: drop in pictures, ask, correct, take the model away.

    The folder is the truth: every change is in it at once, and can be undone. The address that is
    printed holds a token; whoever has it may use the studio. Needs the extra `studio`.

    For example:

      crosslabel studio pets
    """
    with user_errors():
        wire, app, room, sight, events, guard, asked = (
            web(f"crosslabel.{name}")
            for name in (
                *("serve.wire", "studio.app", "studio.studio", "studio.sight", "studio.events"),
                *("serve.guard", "studio.served"),
            )
        )
        address = None if served is None else asked.checked_address(served)
        told = events.Events()
        studio = room.Studio(folder, sight.sight_named(features), told.tell)
        token = secrets.token_urlsafe(18)
        pages = app.Pages(studio, told, address, served_token)
        door = guard.Door(guard.LOOPBACK if host in LOOPBACK else frozenset())
        socket = wire.listen(host, port)
        page = f"{address_of(host, socket.getsockname()[1])}/{token}/"
        typer.echo(page)
        if not quiet:
            typer.echo(f"Pictures lie in {studio.folder.root}. End with Ctrl-C.", err=True)
        if browser:
            webbrowser.open(page)
        # Who waits for an answer waits for the thread that studies too: let it give way sooner.
        sys.setswitchinterval(GIVE_WAY)
        wire.server(app.application(studio, token, pages, door), told.close).run([socket])
