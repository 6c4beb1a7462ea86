"""The server itself: uvicorn, with limits on what comes before a request is known."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp

BACKLOG = 1024
MOST_HEADER_BYTES = 64 * 1024
HEADER_SECONDS = 20.0
GRACE_SECONDS = 20
"""What requests that are being answered have left when the server is asked to stop."""


class BoundedHttp(HttpToolsProtocol):
    """HTTP whose headers may be neither endless nor endlessly slow."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count bytes and seconds."""
        super().connection_made(transport)
        self.before = 0
        self.patience = self.loop.call_later(HEADER_SECONDS, self.hang_up)

    def on_message_begin(self) -> None:
        """Count anew for each request of a connection."""
        super().on_message_begin()
        self.before = 0
        self.patience.cancel()
        self.patience = self.loop.call_later(HEADER_SECONDS, self.hang_up)

    def on_headers_complete(self) -> None:
        """From here on the application has its own limits."""
        self.patience.cancel()
        self.before = -1
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Take bytes, unless there are too many before the headers end."""
        super().data_received(data)
        if self.before >= 0 and not self.transport.is_closing():
            self.before += len(data)
            if self.before > MOST_HEADER_BYTES:
                self.hang_up()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        self.patience.cancel()
        super().connection_lost(exc)

    def hang_up(self) -> None:
        """End a connection that has not said what it wants."""
        if not self.transport.is_closing():
            self.send_400_response("The headers of the request are too long or too slow.")


class Stoppable(uvicorn.Server):
    """A server that tells when it is asked to stop, so that streams without end can end.

    Parameters
    ----------
    config : uvicorn.Config
    on_stop : callable
    """

    def __init__(self, config: uvicorn.Config, on_stop: Callable[[], object]) -> None:
        super().__init__(config)
        self.on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Answer what is being answered, and go."""
        self.on_stop()
        super().handle_exit(sig, frame)


def server(app: ASGIApp, on_stop: Callable[[], object] = lambda: None) -> uvicorn.Server:
    """A server that is ready to run.

    Parameters
    ----------
    app : ASGI application
    on_stop : callable, optional
        Called when the server is asked to stop.

    Returns
    -------
    uvicorn.Server
        `run([socket])` serves until it is asked to stop; requests in work are then answered.
    """
    config = uvicorn.Config(
        app,
        http=BoundedHttp,
        ws="none",
        lifespan="on",
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return Stoppable(config, on_stop)


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections.

    Parameters
    ----------
    host : str
    port : int
        0 for any that is free.
    """
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(kind, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except OSError as error:
        taken.close()
        raise OSError(f"{host}:{port} cannot be listened on: {error.strerror}.") from None
    taken.listen(BACKLOG)
    return taken
