"""Samples as tensors: checked and scaled as arrays are, and handled in batches that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

FLOATS = (torch.float32, torch.float64)


def find_device(name: str | torch.device) -> torch.device:
    """The device of this name, where there is one.

    Raises
    ------
    ValueError
        If torch does not know or does not find it.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ValueError(
            f"device={name!r} is unknown: use None, 'cpu', 'cuda' or 'cuda:1'."
        ) from None
    if device.type not in ("cpu", "cuda"):
        raise ValueError(f"device={name!r} is not supported: use None, 'cpu' or 'cuda'.")
    if device.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (device.index or 0) >= count:
            raise ValueError(
                f"device={name!r} was asked for, but torch {torch.__version__} finds {count} GPUs "
                "here. Use device=None to compute on the CPU, or install a torch that matches the "
                "GPU's driver."
            )
        device = torch.device("cuda", device.index or 0)
    return device


def check_place(X: Tensor, device: torch.device) -> None:
    """Refuse a tensor that lies elsewhere than the model."""
    if X.device != device:
        raise ValueError(
            f"X is a tensor on {X.device}, but the model's device is {device}. Move one of them: "
            f"X.to({str(device)!r}), or device={str(X.device)!r}."
        )


def check_precision(X: Tensor) -> None:
    """Refuse complex numbers, and numbers of fewer than 32 bits."""
    if X.is_complex() or (X.is_floating_point() and X.dtype.itemsize < 4):
        raise TypeError(f"X is a tensor of {X.dtype}. Use float64 or float32: X.double().")


def check_samples(X: Tensor, device: torch.device | None = None) -> Tensor:
    """Finite samples (n_samples, n_features) in float32 or float64, where they are.

    Raises
    ------
    TypeError, ValueError
        A sentence that says what is wrong.
    """
    if device is not None:
        check_place(X, device)
    if X.ndim != 2:
        raise ValueError(
            f"Expected a tensor of shape (n_samples, n_features), got {tuple(X.shape)}. Reshape "
            "your data."
        )
    check_precision(X)
    X = X.detach()
    X = X if X.dtype in FLOATS else X.double()
    if not bool(torch.isfinite(X).all()):
        raise ValueError("X contains NaN or infinity. Remove or fill in such samples.")
    return X.contiguous()


def unit_rows(X: Tensor) -> Tensor:
    """x / ‖x‖₂ for each row x, without over- or underflow; a row of zeros stays zero."""
    peaks = X.abs().amax(dim=1, keepdim=True)
    scaled = X / torch.where(peaks > 0, peaks, 1)
    norms = torch.linalg.vector_norm(scaled, dim=1, keepdim=True)
    return scaled / torch.where(norms > 0, norms, 1)


def in_batches(score: Callable[[Tensor], Tensor], X: Tensor) -> Tensor:
    """score(X), by ever smaller batches of rows where the device's memory is too small for all."""
    step = max(1, len(X))
    while True:
        try:
            return torch.cat([score(rows) for rows in X.split(step)])
        except torch.OutOfMemoryError as error:
            if step == 1:
                raise MemoryError(f"Not even one query fits into the device: {error}") from None
        torch.cuda.empty_cache()
        step = -(-step // 4)


@contextmanager
def enough_memory(needed: int, device: torch.device) -> Iterator[None]:
    """Errors of the allocator come out with what the task needs in all."""
    try:
        yield
    except torch.OutOfMemoryError:
        free, total = torch.cuda.mem_get_info(device)
        raise MemoryError(
            f"Training needs about {needed / 2**30:.1f} GiB on {device}, which has "
            f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free. Use fewer atoms or features, or "
            "device=None."
        ) from None
