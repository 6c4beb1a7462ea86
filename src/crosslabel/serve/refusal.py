"""Why a request is not answered, as a sentence with its HTTP status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Send

MOST_SAID = 600
"""Characters of a reason that are sent: what a request holds may be repeated in it."""


class Refusal(Exception):
    """A request that is not answered: the client's mistake, and what to do.

    Parameters
    ----------
    status : int
        From 400 to 499.
    reason : str
        A sentence.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason

    @property
    def body(self) -> bytes:
        """As the Open Inference Protocol has it: a JSON object with `error`."""
        return json.dumps({"error": self.reason[:MOST_SAID]}).encode()


async def send_refusal(refusal: Refusal, send: Send) -> None:
    """Answer with the status and the reason."""
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(refusal.body)).encode()),
        # What is left of a refused body is not read: the connection cannot go on.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": refusal.body})
