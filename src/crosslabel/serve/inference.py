"""`infer` and `classify`: from the bytes of a request to the answer of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.serve.answering import USUAL, Answer, Answerer, Uploads, problem_of
from crosslabel.serve.batches import Answers, Batches
from crosslabel.serve.reasons import reasons
from crosslabel.serve.refusal import Refusal
from crosslabel.serve.tensors import TEXT, InferRequest, Tensor

MOST_IMAGES = 64
"""Images of one request."""

INPUTS = {"features": ("X", "FP64"), "images": ("image", TEXT)}
"""Name and datatype of the one input of a model."""


async def infer(answerer: Answerer, request: InferRequest, batches: Batches) -> list[Tensor]:
    """The outputs that a request asks for.

    Parameters
    ----------
    answerer : Answerer
    request : InferRequest
    batches : Batches
    """
    wanted = list(request.outputs) or [name for name in USUAL if name in answerer.outputs]
    unknown = [name for name in wanted if name not in answerer.outputs]
    if unknown:
        known = ", ".join(answerer.outputs)
        raise Refusal(400, f"The model has no output {unknown[0]!r}. It has: {known}.")
    if len(request.inputs) != 1:
        raise Refusal(400, f"The model has one input, but the request has {len(request.inputs)}.")
    values = request.inputs[0].values
    try:
        if answerer.kind == "images":
            found = await _of_files(answerer, values, wanted, batches)
        else:
            found = await batches.answers(answerer, checked_rows(answerer, values), wanted)
    # Queries that a model does not take: a wrong width, a damaged image.
    except ValueError as error:
        raise Refusal(400, problem_of(error)) from None
    return [_as_tensor(name, found[name]) for name in wanted]


def checked_rows(answerer: Answerer, values: object) -> Array:
    """Rows of finite numbers, as many as the model wants."""
    if not isinstance(values, np.ndarray):
        raise Refusal(400, "The model takes numbers, but the input holds BYTES.")
    rows = values[None] if values.ndim == 1 else values
    if rows.ndim != 2 or (answerer.width >= 0 and rows.shape[1] != answerer.width):
        width = answerer.width if answerer.width >= 0 else "any"
        raise Refusal(
            400, f"The model takes rows of {width} features, but the shape is {list(values.shape)}."
        )
    rows = rows.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)
    if not np.isfinite(rows).all():
        raise Refusal(400, "The rows hold NaN or infinity.")
    return rows


async def _of_files(
    answerer: Answerer, values: object, wanted: Sequence[str], batches: Batches
) -> Answers:
    if not isinstance(values, list):
        raise Refusal(400, "The model takes image files as BYTES, but the input holds numbers.")
    check_number(len(values))

    def work() -> Answers:
        with Uploads(values) as places:
            return answerer.answers(places, wanted)

    return await batches.run(work)


def check_number(images: int) -> None:
    """Refuse a request with no image or with too many."""
    if not 1 <= images <= MOST_IMAGES:
        raise Refusal(413 if images else 400, f"A request holds 1 to {MOST_IMAGES} images.")


def _as_tensor(name: str, answer: Answer) -> Tensor:
    if answer.dtype == object:
        return Tensor(name, answer.shape, [text.encode() for text in answer.tolist()])
    return Tensor(name, answer.shape, answer)


async def classify(
    answerer: Answerer, files: Sequence[bytes], explain: bool, batches: Batches
) -> list[dict[str, object]]:
    """What a model says of image files, for people.

    Parameters
    ----------
    answerer : Answerer
        Of images.
    files : sequence of bytes
    explain : bool
        Whether each class comes with the reason for its score.
    batches : Batches

    Returns
    -------
    list of dict
        Of each image its `label`, `probabilities` by class, `novelty`, `reasons`; as the model has
        them. Of a file that is no image, `problem`.
    """
    if answerer.kind != "images":
        raise Refusal(400, "The model takes rows of features: ask 'infer'.")
    check_number(len(files))

    def work() -> Answers:
        with Uploads(files) as places:
            said = [_one(answerer, place, explain) for place in places]
        return {"said": np.array(said, dtype=object)}

    return list((await batches.run(work))["said"])


def _one(answerer: Answerer, place: Path, explain: bool) -> dict[str, object]:
    wanted = [name for name in ("label", "probabilities", "novelty") if name in answerer.outputs]
    try:
        found = answerer.answers([place], wanted)
        said: dict[str, object] = {"label": found["label"][0]}
        if "probabilities" in found:
            ranked = np.argsort(-found["probabilities"][0], kind="stable").tolist()
            said["probabilities"] = {
                answerer.names[c]: float(found["probabilities"][0, c]) for c in ranked
            }
        if "novelty" in found:
            said["novelty"] = float(found["novelty"][0])
        if explain:
            said["reasons"] = reasons(answerer, place)
    except ValueError as error:
        return {"problem": problem_of(error)}
    return said
