"""What a model predicts with, moved to a device once and kept there as long as the model lives."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import torch

Model = TypeVar("Model")

_MOVED: WeakKeyDictionary[object, tuple[tuple[torch.device, object], Any]] = WeakKeyDictionary()
"""For each model: what tells its present state and device, and the copy for these."""


def moved(model: Model, device: torch.device, state: object = None) -> Model:
    """A shallow copy of an object whose arrays, also those in lists, are tensors on the device.

    Parameters
    ----------
    model : object
        Hashable by identity.
    device : torch.device
    state : object, optional
        A copy made for another `state` is made anew: an array that every fit replaces, say.
    """
    known = _MOVED.get(model)
    if known is not None and known[0][0] == device and known[0][1] is state:
        return known[1]
    there = copy(model)
    for name, value in vars(model).items():
        setattr(there, name, _tensor(value, device))
    _MOVED[model] = ((device, state), there)
    return there


def _tensor(value: object, device: torch.device) -> object:
    if isinstance(value, list):
        return [_tensor(item, device) for item in value]
    is_numeric = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return torch.as_tensor(value, device=device) if is_numeric else value
