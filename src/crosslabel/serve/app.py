"""The Open Inference Protocol v2 over HTTP: health, metadata, `infer`; `classify` for images."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from crosslabel._version import __version__
from crosslabel.serve.batches import Batches
from crosslabel.serve.bodies import MEGABYTE, read_body
from crosslabel.serve.guard import Door, guarded
from crosslabel.serve.inference import INPUTS, MOST_IMAGES, classify, infer
from crosslabel.serve.metrics import FORM, Metrics
from crosslabel.serve.refusal import Refusal
from crosslabel.serve.shelf import Served, Shelf
from crosslabel.serve.tensors import TEXT, parse_request, write_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 64 * MEGABYTE
VERSION = "1"
"""Of each model: a file holds one, and is replaced as a whole."""

HEADER_LENGTH = "inference-header-content-length"


class Protocol:
    """The routes, over models that are served.

    Parameters
    ----------
    shelf : Shelf
    """

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.metrics = Metrics()
        self.batches = Batches()

    def routes(self) -> list[Route]:
        """What is answered where; the busiest first."""
        model = "/v2/models/{name}"
        versioned = model + "/versions/{version}"
        found = [
            Route(f"{base}/{last}", ask, methods=["POST"])
            for last, ask in (("infer", self.infer), ("classify", self.classify))
            for base in (model, versioned)
        ]
        for base in (model, versioned):
            found.append(Route(base, self.metadata))
            found.append(Route(f"{base}/ready", self.ready))
        return [
            *found,
            Route("/v2", self.about),
            Route("/v2/health/live", self.alive),
            Route("/v2/health/ready", self.alive),
            Route("/metrics", self.counts),
        ]

    async def infer(self, request: Request) -> Response:
        """Outputs of a model for tensors."""
        return await self._timed(request, "infer")

    async def classify(self, request: Request) -> Response:
        """What a model says of image files."""
        return await self._timed(request, "classify")

    async def _timed(self, request: Request, what: str) -> Response:
        served, start, status, rows = self._served(request), time.perf_counter(), 500, 0
        try:
            response, rows = await ANSWERS[what](self, request, served)
            status = response.status_code
        except Refusal as refusal:
            status = refusal.status
            raise
        finally:
            seconds = time.perf_counter() - start
            self.metrics.tell(served.name, what, status, seconds, rows)
        return response

    async def inferred(self, request: Request, served: Served) -> tuple[Response, int]:
        """The answer to `infer`, and its number of rows."""
        body = await read_body(request.scope, request.receive, MOST_BYTES)
        length = request.headers.get(HEADER_LENGTH)
        asked = parse_request(body, None if length is None else length.encode())
        outputs = await infer(served.answerer, asked, self.batches)
        head: dict[str, object] = {"model_name": served.name, "model_version": VERSION}
        content, end = write_response(head, outputs, asked)
        if end is None:
            response = Response(content, media_type="application/json")
        else:
            response = Response(content, media_type="application/octet-stream")
            response.headers[HEADER_LENGTH] = str(end)
        return response, outputs[0].shape[0] if outputs else 0

    async def classified(self, request: Request, served: Served) -> tuple[Response, int]:
        """The answer to `classify`, and its number of images."""
        files = await uploaded(request)
        explain = request.query_params.get("explain", "") in ("1", "true", "yes")
        said = await classify(served.answerer, files, explain, self.batches)
        return as_json({"model_name": served.name, "images": said}), len(said)

    async def metadata(self, request: Request) -> Response:
        """Inputs and outputs of a model."""
        served = self._served(request)
        answerer = served.answerer
        name, datatype = INPUTS[answerer.kind]
        rows = [-1] if answerer.kind == "images" else [-1, answerer.width]
        shapes = {"label": (TEXT, [-1]), "novelty": ("FP64", [-1])}
        wide = ("FP64", [-1, len(answerer.names)])
        outputs = {one: shapes.get(one, wide) for one in answerer.outputs}
        return as_json(
            {
                "name": served.name,
                "versions": [VERSION],
                "platform": "crosslabel",
                "inputs": [{"name": name, "datatype": datatype, "shape": rows}],
                "outputs": [
                    {"name": one, "datatype": kind, "shape": shape}
                    for one, (kind, shape) in outputs.items()
                ],
                "parameters": {"classes": answerer.names},
            }
        )

    async def ready(self, request: Request) -> Response:
        """Whether a model can be asked: it can, once it is served."""
        served = self._served(request)
        return as_json({"name": served.name, "ready": True})

    async def about(self, request: Request) -> Response:
        """What server this is."""
        extensions = ["binary_tensor_data", "classify"]
        said = {"name": "crosslabel", "version": __version__, "extensions": extensions}
        return as_json({**said, "models": list(self.shelf.models)})

    async def alive(self, request: Request) -> Response:
        """Whether the server answers."""
        return as_json({"live": True, "ready": True})

    async def counts(self, request: Request) -> Response:
        """Metrics for Prometheus."""
        return Response(self.metrics.text(self.shelf.models.values()), media_type=FORM)

    def _served(self, request: Request) -> Served:
        name, version = request.path_params["name"], request.path_params.get("version", VERSION)
        if name not in self.shelf.models or version != VERSION:
            known = ", ".join(self.shelf.models)
            raise Refusal(
                404, f"There is no model {name!r} of version {version!r}. Known: {known}."
            )
        return self.shelf.models[name]


ANSWERS = {"infer": Protocol.inferred, "classify": Protocol.classified}


def as_json(value: object) -> Response:
    """A value as JSON."""
    return Response(json.dumps(value, ensure_ascii=False), media_type="application/json")


async def uploaded(request: Request) -> list[bytes]:
    """The image files of a request: parts of a form, or the body as one."""
    body = await read_body(request.scope, request.receive, MOST_BYTES)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        return [body] if body else []

    async def again() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    form = Request(request.scope, again)
    try:
        async with form.form(max_files=MOST_IMAGES, max_fields=MOST_IMAGES) as parts:
            values = [value for _, value in parts.multi_items()]
            return [await value.read() for value in values if not isinstance(value, str)]
    except (MultiPartException, HTTPException, ValueError, KeyError) as error:
        reason = getattr(error, "detail", None) or getattr(error, "message", None) or str(error)
        raise Refusal(400, f"The form cannot be read: {reason}") from None


def application(shelf: Shelf, door: Door) -> ASGIApp:
    """Everything that is served, behind a door.

    Parameters
    ----------
    shelf : Shelf
    door : Door
    """

    @asynccontextmanager
    async def life(app: object) -> AsyncIterator[None]:
        shelf.watch()
        yield
        shelf.stop()

    router = Router(Protocol(shelf).routes(), lifespan=life, default=_nothing_here)
    return guarded(router, door)


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    raise Refusal(404, "There is nothing here. Ask for /v2, /v2/models/NAME or /metrics.")
