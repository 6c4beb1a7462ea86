"""Nobody else gets in: whom a request says it is for, where it comes from, and whether it may.

A page of another site that is open in the same browser can send requests to a server on this
machine. It cannot fake `Host`, which names that site where its name was bound to this address (DNS
rebinding), nor `Origin` and `Sec-Fetch-Site`, which a browser writes itself.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosslabel.serve.refusal import Refusal, send_refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})

READING = frozenset({"GET", "HEAD"})

PROTECTION = [
    # Nothing but our own files: no inline script, no outside address, no frame around the page.
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        b"connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
"""Headers of every answer that does not bring its own."""


@dataclass(frozen=True)
class Door:
    """Who may pass.

    Attributes
    ----------
    hosts : frozenset of str
        Names without ports that `Host` may have; empty for any.
    token : str, optional
        What `Authorization: Bearer` must hold; None asks for none.
    """

    hosts: frozenset[str] = LOOPBACK
    token: str | None = None

    def check(self, method: str, headers: dict[bytes, bytes]) -> None:
        """Raise a `Refusal` for a request that may not pass.

        Parameters
        ----------
        method : str
        headers : dict
            By names in lower case.
        """
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self.hosts and name_of(host) not in self.hosts:
            raise Refusal(403, "This server does not answer under the name in the Host header.")
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in _same(host):
            raise Refusal(403, "Pages of other sites may not ask this server.")
        site = headers.get(b"sec-fetch-site", b"none")
        if method not in READING and site not in (b"same-origin", b"none"):
            raise Refusal(403, "Pages of other sites may not ask this server.")
        if self.token is not None and not _bears(headers, self.token):
            raise Refusal(401, "This server wants its token: send 'Authorization: Bearer TOKEN'.")


def name_of(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _same(host: str) -> tuple[str, str]:
    return f"http://{host}", f"https://{host}"


def _bears(headers: dict[bytes, bytes], token: str) -> bool:
    said = headers.get(b"authorization", b"")
    return secrets.compare_digest(said, b"Bearer " + token.encode())


def guarded(app: ASGIApp, door: Door) -> ASGIApp:
    """An application behind a door; every answer carries the headers of `PROTECTION`.

    Parameters
    ----------
    app : ASGI application
        May raise `Refusal` before it has answered.
    door : Door
    """

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # A WebSocket, which nothing here speaks, is closed; the life of the server goes on.
            return await app(scope, receive, send) if scope["type"] == "lifespan" else None
        said = _protecting(send)
        headers = dict(scope["headers"])
        try:
            if sum(name == b"host" for name, _ in scope["headers"]) != 1:
                raise Refusal(400, "A request has one Host header.")
            door.check(scope["method"], headers)
            return await app(scope, receive, said)
        except Refusal as refusal:
            return await send_refusal(refusal, said)

    return behind


def _protecting(send: Send) -> Send:
    async def protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = message.get("headers", [])
            names = {name for name, _ in own}
            added = [pair for pair in PROTECTION if pair[0] not in names]
            message = {**message, "headers": [*own, *added]}
        await send(message)

    return protected
