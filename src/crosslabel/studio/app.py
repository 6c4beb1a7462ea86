"""The studio over HTTP: the page, its files, and what it asks for. The token is in the address.

Every path begins with the token, so that the page's own addresses carry it and nobody else's can.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, Router

from crosslabel.media.unreadable import UnreadableFile
from crosslabel.serve.app import as_json
from crosslabel.serve.bodies import MEGABYTE, parsed_object, read_body
from crosslabel.serve.guard import Door, guarded
from crosslabel.serve.refusal import Refusal
from crosslabel.studio.asking import Said
from crosslabel.studio.events import Events
from crosslabel.studio.served import ask_served
from crosslabel.studio.studio import Studio
from crosslabel.studio.takeaway import TAKEN
from crosslabel.studio.telling import doubted, told
from crosslabel.studio.thumbnails import FORM
from crosslabel.studio.worker import Worker

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

Result = TypeVar("Result")

MOST_BYTES = 40 * MEGABYTE
"""Of one picture."""
MOST_REQUEST = 4 * MEGABYTE

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
STYLE, SCRIPT = "report.css", "report.js"
"""The report's own style and script, which the page builds on."""


def page_files() -> dict[str, tuple[bytes, str]]:
    """Content and type of each file of the page, by name."""
    found = {
        place.name: place.read_bytes()
        for place in files("crosslabel.studio").joinpath("page").iterdir()
        if place.name.rpartition(".")[2] in KINDS
    }
    report = files("crosslabel.lab.report")
    found |= {STYLE: (report / "style.css").read_bytes(), SCRIPT: (report / "page.js").read_bytes()}
    return {
        name: (content, f"{KINDS[name.rpartition('.')[2]]}; charset=utf-8")
        for name, content in found.items()
    }


class Pages:
    """The routes of one studio.

    Parameters
    ----------
    studio : Studio
    events : Events
    served : str, optional
        Address of a served model that the page may ask too.
    token : str, optional
        That the served model wants.
    """

    def __init__(
        self, studio: Studio, events: Events, served: str | None = None, token: str | None = None
    ) -> None:
        self.studio = studio
        self.events = events
        self.served = served
        self.token = token
        self.files = page_files()

    def routes(self) -> list[Route]:
        """What is answered where."""
        return [
            Route("/", self.page),
            Route("/api/state", self.state),
            Route("/api/events", self.stream),
            Route("/api/staged", self.stage, methods=["POST"]),
            Route("/api/change", self.change, methods=["POST"]),
            Route("/api/undo", self.undo, methods=["POST"]),
            Route("/api/redo", self.redo, methods=["POST"]),
            Route("/api/ask", self.ask, methods=["POST"]),
            Route("/api/asked/{name}", self.asked),
            Route("/api/served", self.ask_served, methods=["POST"]),
            Route("/api/study", self.study),
            Route("/api/doubts", self.doubts),
            Route("/api/unsorted", self.unsorted),
            Route("/thumbnail/{key}", self.thumbnail),
            Route("/take/{name}", self.take),
            Route("/{name}", self.file),
        ]

    async def page(self, request: Request) -> Response:
        """The page itself."""
        return self._file("index.html")

    async def file(self, request: Request) -> Response:
        """A module or style of the page."""
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        if name not in self.files:
            raise Refusal(404, "There is no such file.")
        content, kind = self.files[name]
        return Response(content, media_type=kind)

    async def state(self, request: Request) -> Response:
        """All that a page shows when it opens."""
        said = await self._run(self.studio.state)
        return as_json({**said, "served": self.served, "sight": self.studio.teacher.sight.name})

    async def stream(self, request: Request) -> Response:
        """What happens, as it happens."""
        return StreamingResponse(self.events.stream(), media_type="text/event-stream")

    async def stage(self, request: Request) -> Response:
        """Take a picture in."""
        content = await read_body(request.scope, request.receive, MOST_BYTES)
        return as_json(await self._run(lambda: self.studio.stage(content)))

    async def change(self, request: Request) -> Response:
        """Change the shelves; with the new answer to what the page is asking about."""
        asked = parsed_object(await read_body(request.scope, request.receive, MOST_REQUEST))
        return as_json(await self._run(lambda: self._answering(self.studio.change(asked), asked)))

    async def undo(self, request: Request) -> Response:
        """Take the last change back."""
        return await self._again(request, self.studio.undo)

    async def redo(self, request: Request) -> Response:
        """Make it again."""
        return await self._again(request, self.studio.redo)

    async def _again(self, request: Request, act: Callable[[], Said]) -> Response:
        asked = parsed_object(
            await read_body(request.scope, request.receive, MOST_REQUEST) or b"{}"
        )
        return as_json(await self._run(lambda: self._answering(act(), asked)))

    def _answering(self, said: Said, request: Said) -> Said:
        """The news with the answer of now, for a page that shows one."""
        name = request.get("asking")
        if not isinstance(name, str) or name not in self.studio.asked:
            return said
        return {**said, "answer": {"asked": name, **self.studio.answer(name)}}

    async def ask(self, request: Request) -> Response:
        """What the model says of a picture."""
        content = await read_body(request.scope, request.receive, MOST_BYTES)
        return as_json(await self._run(lambda: self.studio.ask(content)))

    async def asked(self, request: Request) -> Response:
        """What it says of it now."""
        name = request.path_params["name"]
        return as_json(await self._run(lambda: {"asked": name, **self.studio.answer(name)}))

    async def ask_served(self, request: Request) -> Response:
        """What a served model says of a picture."""
        address = self.served
        if address is None:
            raise Refusal(404, "The studio was started without a served model.")
        content = await read_body(request.scope, request.receive, MOST_BYTES)
        return as_json(await self._run(lambda: ask_served(address, content, self.token)))

    async def study(self, request: Request) -> Response:
        """How good the model is."""
        return as_json(told(self.studio.study, self.studio.stock.names))

    async def doubts(self, request: Request) -> Response:
        """Pictures in doubt."""
        studio = self.studio
        confirmed = studio.folder.journal.confirmed
        return as_json(doubted(studio.study, studio.stock.names, confirmed))

    async def unsorted(self, request: Request) -> Response:
        """Pictures without a class."""
        return as_json(await self._run(self.studio.unsorted))

    async def thumbnail(self, request: Request) -> Response:
        """A small picture; its name is its content, so it may be kept."""
        content = await self._run(lambda: self.studio.thumbnail(request.path_params["key"]))
        kept = {"cache-control": "private, max-age=31536000, immutable"}
        return Response(content, media_type=FORM, headers=kept)

    async def take(self, request: Request) -> Response:
        """The model, as a file."""
        name = request.path_params["name"]
        if name not in TAKEN:
            raise Refusal(404, f"There is no {name[:80]!r}. Known: {', '.join(TAKEN)}.")
        content = await self._run(lambda: TAKEN[name](self.studio))
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    async def _run(self, work: Callable[[], Result]) -> Result:
        """Something slow, on a thread; a mistake of the page's becomes a sentence."""
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except UnreadableFile as error:
            raise Refusal(415, f"This cannot be used: {error.reason}.") from None
        except KeyError as error:
            raise Refusal(404, str(error.args[0])) from None
        except FileExistsError as error:
            raise Refusal(409, str(error)) from None
        except (ValueError, ImportError) as error:
            raise Refusal(400, str(error)) from None


def application(studio: Studio, token: str, pages: Pages, door: Door) -> ASGIApp:
    """The studio behind its token and its door.

    Parameters
    ----------
    studio : Studio
    token : str
        The first part of every path.
    pages : Pages
    door : Door
    """
    worker = Worker(studio)

    @asynccontextmanager
    async def life(app: object) -> AsyncIterator[None]:
        pages.events.loop = asyncio.get_running_loop()
        worker.start()
        yield
        await asyncio.get_running_loop().run_in_executor(None, worker.stop)
        studio.close()

    router = Router(pages.routes(), lifespan=life, default=_nothing_here, redirect_slashes=False)
    return guarded(_behind_token(router, token), door)


def _behind_token(app: ASGIApp, token: str) -> ASGIApp:
    async def opened(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await app(scope, receive, send)
        said, slash, rest = scope["path"][1:].partition("/")
        if not slash or not secrets.compare_digest(said.encode(), token.encode()):
            raise Refusal(404, "There is nothing here. Open the address that the studio printed.")
        return await app({**scope, "path": f"/{rest}"}, receive, send)

    return opened


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    raise Refusal(404, "There is nothing here.")
