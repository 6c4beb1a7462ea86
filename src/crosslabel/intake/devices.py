"""Where an estimator computes: checked tensors, and what runs on a device.

Whoever has neither a tensor nor a `device` does not come here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, device_named, is_tensor, require_torch
from crosslabel.core.initialise import INITIALISERS, Initialiser
from crosslabel.core.ordering import Words
from crosslabel.core.rules import Rule
from crosslabel.core.solver import Solution
from crosslabel.intake.checking import check_finite, check_squares

if TYPE_CHECKING:
    import torch


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


def where_it_lies(X: ArrayOrTensor) -> ArrayOrTensor:
    """An array on a GPU as a tensor that shares its memory; anything else as it is.

    Numbers of fewer than 32 bits become float64, as they do on the host.
    """
    if hasattr(X, "__cuda_array_interface__") and not is_tensor(X):
        if not hasattr(X, "__dlpack__"):
            raise TypeError(
                f"A partition is a {type(X).__name__} on a GPU, which torch cannot share. Give "
                "partitions that are arrays of CuPy or tensors of torch."
            )
        X = require_torch("An array on a GPU").from_dlpack(X)
    if is_tensor(X) and X.is_floating_point() and X.dtype.itemsize < 4:
        return X.double()
    return X


def samples_there(X: torch.Tensor, dtype: np.dtype, place: Callable[[int], str]) -> torch.Tensor:
    """Finite samples of this type where they are; `place` tells where a row is that is not."""
    torch = require_torch("A tensor")
    samples = X.detach().to(getattr(torch, dtype.name)).contiguous()
    if not bool(torch.isfinite(samples).all()):
        check_finite(samples.cpu().numpy(), place)
    return samples


def hashes_there(X: torch.Tensor) -> Words:
    """As `core.ordering.row_hashes`, reckoned where the samples are."""
    from crosslabel.core.gpu.ordering import row_hashes

    return row_hashes(X).cpu().numpy().view(np.uint64)


def on_device(
    score: Callable[[torch.Tensor], torch.Tensor], samples: ArrayOrTensor, name: str | None
) -> ArrayOrTensor:
    """Scores of samples, computed on a device; arrays for arrays, tensors for tensors."""
    from crosslabel.core.gpu.tensors import in_batches

    if is_tensor(samples):
        return in_batches(score, samples)
    torch = require_torch(f"device={name!r}")
    return in_batches(score, torch.as_tensor(samples, device=device_named(str(name)))).cpu().numpy()


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
