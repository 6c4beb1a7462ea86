"""The body of a request, which may be too large, come too slowly, or never end."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from crosslabel.serve.refusal import Refusal

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

MEGABYTE = 2**20
SECONDS = 30.0
"""A body that takes longer than this and a second per megabyte is not waited for."""


async def read_body(scope: Scope, receive: Receive, most: int) -> bytes:
    """All bytes of a request, of which there may be so many.

    Parameters
    ----------
    scope, receive
        As ASGI gives them.
    most : int
        Bytes.
    """
    said = dict(scope["headers"]).get(b"content-length", b"0")
    if not said.isdigit() or int(said) > most:
        raise too_large(most)
    try:
        async with asyncio.timeout(SECONDS + int(said) / MEGABYTE):
            first = await receive()
            if not first.get("more_body"):
                return within(first.get("body", b""), most)
            return await _rest(first, receive, most)
    except TimeoutError:
        raise Refusal(408, "The body of the request came too slowly.") from None


async def _rest(first: Message, receive: Receive, most: int) -> bytes:
    parts, size, message = [first.get("body", b"")], len(first.get("body", b"")), first
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "The request ended before its body did.")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise too_large(most)
    return b"".join(parts)


def within(body: bytes, most: int) -> bytes:
    """The body, if it is not too large."""
    if len(body) > most:
        raise too_large(most)
    return body


def too_large(most: int) -> Refusal:
    """Why a body is not read."""
    return Refusal(413, f"A body may have {most / MEGABYTE:g} megabytes here; this one has more.")


def parsed_object(text: bytes) -> dict[str, object]:
    """The JSON object that a text holds.

    Parameters
    ----------
    text : bytes
    """
    try:
        found = json.loads(text)
    # Numbers of many digits and deep nesting are as wrong as a missing brace.
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"The request holds no valid JSON: {str(error)[:200]}.") from None
    if not isinstance(found, dict):
        raise Refusal(400, f"The request must hold a JSON object, not a {type(found).__name__}.")
    return found
