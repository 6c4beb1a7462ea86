"""The words of `crosslabel serve`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from crosslabel.app.options import QUIET
from crosslabel.app.printing import user_errors

LOOPBACK = ("127.0.0.1", "localhost", "::1")

HOST = Annotated[str, typer.Option(help="Address to listen on; 127.0.0.1 is this machine alone.")]
TOKEN = Annotated[
    str | None,
    typer.Option(envvar="CROSSLABEL_TOKEN", help="What clients must send as a bearer token."),
]


def web(module: str) -> ModuleType:
    """A module that needs the extra `studio`.

    Parameters
    ----------
    module : str
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("crosslabel"):
            raise
        raise ImportError(
            f"This needs the package {error.name}: pip install 'crosslabel[studio]'."
        ) from None


def address_of(host: str, port: int) -> str:
    """What to type into a browser; an address of IPv6 stands in brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve_command(
    models: Annotated[list[Path], typer.Argument(help="Model files; each is served by its name.")],
    host: HOST = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any that is free.")] = 8080,
    token: TOKEN = None,
    allow_anyone: Annotated[
        bool, typer.Option(help="Answer whoever reaches the address, without a token.")
    ] = False,
    quiet: QUIET = False,
) -> None:
    """Serve models over HTTP by the Open Inference Protocol, and image files by `classify`.

    A file that changes is loaded anew, whole or not at all. Needs the extra `studio`.

    For example:

      crosslabel serve pets.skops

      curl -F image=@new.jpg http://127.0.0.1:8080/v2/models/pets/classify
    """
    with user_errors():
        if host not in LOOPBACK and not token and not allow_anyone:
            raise ValueError(
                f"On {host} others can reach the models. Give --token, or --allow-anyone if that "
                "is what you want."
            )
        wire, shelf, app, guard = (
            web(f"crosslabel.serve.{name}") for name in ("wire", "shelf", "app", "guard")
        )
        hosts = guard.LOOPBACK if host in LOOPBACK else frozenset()
        served = shelf.Shelf(models)
        socket = wire.listen(host, port)
        if not quiet:
            address = address_of(host, socket.getsockname()[1])
            for name in served.models:
                typer.echo(f"{address}/v2/models/{name}")
        wire.server(app.application(served, guard.Door(hosts, token))).run([socket])
