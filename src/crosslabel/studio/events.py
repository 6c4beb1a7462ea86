"""Server-sent events: what happens in the studio, told to every page that is open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from crosslabel.studio.asking import Said

MOST_BEHIND = 200
"""Events that wait for a slow page; it then starts again from the whole state."""
BEAT = 15.0
"""Seconds after which a silent connection is heard of, so that a dead one is noticed."""


class Events:
    """Listeners, each with a queue of its own."""

    def __init__(self) -> None:
        self.listeners: set[asyncio.Queue[str | None]] = set()
        self.loop: asyncio.AbstractEventLoop | None = None

    def tell(self, said: Said) -> None:
        """Tell all pages; from any thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._spread, json.dumps(said, ensure_ascii=False))

    def _spread(self, text: str) -> None:
        for queue in list(self.listeners):
            if queue.qsize() >= MOST_BEHIND:
                self.listeners.discard(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(text)

    def close(self) -> None:
        """End all streams, so that a server that stops need not wait for pages to go."""
        for queue in self.listeners:
            queue.put_nowait(None)

    async def stream(self) -> AsyncIterator[bytes]:
        """The events of one page, until it goes."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self.listeners.add(queue)
        try:
            yield b": here\n\n"
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), BEAT)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if text is None:
                    return
                yield f"data: {text}\n\n".encode()
        finally:
            self.listeners.discard(queue)
