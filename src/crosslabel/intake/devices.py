"""Where an estimator computes: tensors in and out, and arrays that go to a device and come back.

Torch is imported by what is asked for, never by looking: without a tensor or a `device` every
function here stays with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, is_tensor, require_torch
from crosslabel.core.initialise import INITIALISERS, Initialiser
from crosslabel.core.rules import Rule
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Solution
from crosslabel.intake.labels import ClassLabels

if TYPE_CHECKING:
    import torch


def device_named(name: str) -> torch.device:
    """The torch device of this name, or an error that says what is missing."""
    require_torch(f"device={name!r}")
    from crosslabel.core.gpu.tensors import find_device

    return find_device(name)


def device_of(X: ArrayOrTensor) -> str | None:
    """Where a tensor lies; None for anything else."""
    return str(X.device) if is_tensor(X) else None


def from_device(X: ArrayOrTensor, name: str | None = None) -> ArrayOrTensor:
    """A tensor as an array on the host, anything else as it is."""
    if not is_tensor(X):
        return X
    from crosslabel.core.gpu.tensors import check_place, check_precision

    if name is not None:
        check_place(X, device_named(name))
    check_precision(X)
    return X.detach().cpu().numpy()


def check_tensor(
    X: ArrayOrTensor, name: str | None, n_features: int, normalize: bool
) -> ArrayOrTensor:
    """Checked queries as a tensor where they are, scaled as the model's samples were."""
    samples = tensor_queries(X, name, n_features)
    if normalize:
        return unit_rows_of_tensor(samples)
    check_tensor_range(samples)
    return samples


def check_tensor_range(X: ArrayOrTensor) -> None:
    """Refuse values whose squares leave the range of their type."""
    check_squares(float(X.abs().max()), np.dtype(str(X.dtype).removeprefix("torch.")))


def unit_rows_of_tensor(X: ArrayOrTensor) -> ArrayOrTensor:
    """x / ‖x‖₂ for each row x of a tensor; a row of zeros stays zero."""
    from crosslabel.core.gpu.tensors import unit_rows

    return unit_rows(X)


def tensor_queries(X: ArrayOrTensor, name: str | None, n_features: int) -> ArrayOrTensor:
    """Checked queries as a tensor where they are."""
    from crosslabel.core.gpu.tensors import check_samples

    samples = check_samples(X, None if name is None else device_named(name))
    if samples.shape[1] != n_features:
        raise ValueError(
            f"X has {samples.shape[1]} features, but the model was trained on {n_features}."
        )
    if not len(samples):
        raise ValueError("Found a tensor with 0 samples, while a minimum of 1 is required.")
    return samples


def on_device(
    score: Callable[[torch.Tensor], torch.Tensor], samples: ArrayOrTensor, name: str | None
) -> ArrayOrTensor:
    """Scores of samples, computed on a device; arrays for arrays, tensors for tensors."""
    from crosslabel.core.gpu.tensors import in_batches

    if is_tensor(samples):
        return in_batches(score, samples)
    torch = require_torch(f"device={name!r}")
    return in_batches(score, torch.as_tensor(samples, device=device_named(str(name)))).cpu().numpy()


def named(classes: ClassLabels, chosen: ArrayOrTensor) -> ArrayOrTensor:
    """Labels of the chosen classes: a tensor for a tensor, where labels are numbers."""
    if not is_tensor(chosen):
        return classes[chosen]
    if classes.dtype.kind not in "iufb":
        return classes[chosen.cpu().numpy()]
    return require_torch("A tensor").as_tensor(classes, device=chosen.device)[chosen]


def check_squares(
    largest: float, dtype: np.dtype, advice: str = "Rescale X, or use normalize=True."
) -> None:
    """Refuse values whose squares leave the range of their type; sums of 2²⁰ squares stay in it."""
    info = np.finfo(dtype)
    if 0 < largest < np.sqrt(info.tiny / info.eps) or largest > np.sqrt(info.max) / 2**20:
        raise ValueError(
            f"The largest value of X is {largest:.3g} in size: its square leaves the range of "
            f"{dtype}. {advice}"
        )


def device_initialiser(name: str, device: str | None) -> Initialiser:
    """The start of this name; k-means runs on the device, where there is one."""
    if device is None or name != "kmeans":
        return INITIALISERS[name]
    place = device_named(device)
    from crosslabel.core.gpu.initialise import kmeans_start

    return partial(kmeans_start, device=place)


def device_solver(device: str) -> Callable[..., Solution]:
    """The iterations of a finite suppression, on a device."""
    place = device_named(device)
    from crosslabel.core.gpu.solver import learn

    return partial(learn, device=place)


def scores_beside(rule: Rule, X: ArrayOrTensor) -> ArrayOrTensor:
    """Scores of a tensor by a rule that was prepared on the host, whose arrays move to it once."""
    from crosslabel.core.gpu.moving import moved

    return moved(rule, X.device).scores(X)


def like(array: Array, X: ArrayOrTensor) -> ArrayOrTensor:
    """The array as a tensor beside X, where X is one."""
    if not is_tensor(X):
        return array
    return require_torch("A tensor").as_tensor(array, device=X.device)


def in_type_of(array: Array, X: ArrayOrTensor) -> ArrayOrTensor:
    """X in the precision of the array."""
    if not is_tensor(X):
        return X.astype(array.dtype, copy=False)
    return X.to(getattr(require_torch("A tensor"), array.dtype.name))
