"""Any image network in ONNX, opened and asked for one of its layers.

A network must take a batch of any size of colour pictures and give one vector, or one map, for
each; what takes or gives something else is refused with a list of its inputs and outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from crosslabel.core.scaling import Array

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

PROVIDERS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "DmlExecutionProvider")
"""Processors that are preferred where this onnxruntime has them."""

SIDE = 224  # of the pictures of a network that takes any
CHANNELS = 3


@dataclass(frozen=True)
class Network:
    """An opened network.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
    channels_last : bool
        Whether pictures go in as (n, height, width, 3) rather than (n, 3, height, width).
    side : int
        Height and width of the pictures.
    """

    session: InferenceSession
    channels_last: bool
    side: int

    def __call__(self, pictures: Array) -> Array:
        """One row for each picture; a map becomes its mean over all places.

        Parameters
        ----------
        pictures : ndarray of shape (n, side, side, 3), float32

        Returns
        -------
        ndarray of shape (n, n_features), float32
        """
        values = self.run(pictures)
        return values if values.ndim == 2 else values.mean(axis=self._places(values.shape))

    def run(self, pictures: Array) -> Array:
        """What the layer gives, a map as it is."""
        if not self.channels_last:
            pictures = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
        name = self.session.get_inputs()[0].name
        values = self.session.run(None, {name: pictures})[0]
        if values.ndim not in (2, 4) or len(values) != len(pictures):
            raise ValueError(
                f"The network's layer gives an array of shape {values.shape} for {len(pictures)} "
                "pictures, where a vector or a map for each is needed. Name another layer."
            )
        return values

    def _places(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """The axes of a map that are height and width, which are equal for a square picture."""
        first, last = shape[2] == shape[3], shape[1] == shape[2]
        # Where both could be, or neither, maps are laid out as the pictures are.
        return (1, 2) if (last if first != last else self.channels_last) else (2, 3)


@lru_cache(maxsize=4)
def opened(content: bytes, layer: str | None, size: int | None) -> Network:
    """Open a network and see that it can be used.

    Parameters
    ----------
    content : bytes
        Of an ONNX file.
    layer : str or None
        A value in the network; None for its only output.
    size : int or None
        Side of the pictures; None for what the network says, or 224 where it takes any.

    Returns
    -------
    Network
    """
    runtime = _runtime()
    if layer is not None:
        content = _cut(content, layer)
    options = runtime.SessionOptions()
    # One thread for each call: batches go to threads of our own, so that no two pools compete.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong comes as an exception
    present = runtime.get_available_providers()
    providers = [name for name in PROVIDERS if name in present] + ["CPUExecutionProvider"]
    try:
        session = runtime.InferenceSession(content, options, providers=providers)
    # onnxruntime's exceptions have no base of their own below Exception.
    except Exception as error:
        reason = str(error).splitlines()[0][:200]
        raise ValueError(f"This is no network that onnxruntime can run: {reason}") from None
    last, side = _checked(session, size)
    return Network(session, last, side)


def _runtime() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise ImportError(
            "Embeddings need the package onnxruntime. Install it: pip install 'crosslabel[embed]'."
        ) from None
    return onnxruntime


def _cut(content: bytes, layer: str) -> bytes:
    """The network up to one of its values, which becomes the only output."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_model_from_string(content)
    except DecodeError:
        raise ValueError("This is no network: the file cannot be read as ONNX.") from None
    values = [name for node in model.graph.node for name in node.output]
    if layer not in values:
        near = ", ".join(values[-8:])
        raise ValueError(f"The network has no layer {layer!r}. The last ones are: {near}.")
    declared = {value.name: value for value in model.graph.output}
    kept = declared.get(layer, onnx.ValueInfoProto(name=layer))
    del model.graph.output[:]
    model.graph.output.append(kept)
    return model.SerializeToString()


def _checked(session: InferenceSession, size: int | None) -> tuple[bool, int]:
    """Whether channels come last, and the side of the pictures."""
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1:
        _refuse(session, f"it has {len(inputs)} inputs instead of one")
    shape = inputs[0].shape
    if len(shape) != 4 or CHANNELS not in (shape[1], shape[3]):
        _refuse(session, "its input is no batch of colour pictures")
    if isinstance(shape[0], int) and shape[0] > 0:
        _refuse(session, f"its batch is fixed at {shape[0]}; export it with a batch of any size")
    if inputs[0].type != "tensor(float)":
        _refuse(session, "its pictures are not in single precision")
    if len(outputs) != 1:
        _refuse(session, f"it has {len(outputs)} outputs; name one of them as the layer")
    last = shape[1] != CHANNELS
    sides = {side for side in (shape[1:3] if last else shape[2:]) if isinstance(side, int)}
    if len(sides) > 1 or (sides and size not in (None, *sides)):
        _refuse(session, f"it does not take square pictures of side {size or SIDE}")
    return last, size or (sides.pop() if sides else SIDE)


def _refuse(session: InferenceSession, reason: str) -> NoReturn:
    ends = [
        f"{title} " + ", ".join(f"{end.name} {end.type[7:-1]} {_shape(end.shape)}" for end in each)
        for title, each in (("Inputs:", session.get_inputs()), ("outputs:", session.get_outputs()))
    ]
    raise ValueError(f"This network cannot be used: {reason}. {'; '.join(ends)}.")


def _shape(shape: list[object]) -> str:
    return "×".join("any" if not isinstance(n, int) else str(n) for n in shape) or "single"
