"""What a GPU does in one launch, by the name of the function of the core that it stands for.

A launch takes some ten microseconds, so that loops of small steps are slow there as they are
written. Without Triton (torch brings it on Linux) they are done so all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

LARGEST = 128
"""Rows of a matrix that one processor turns in good time."""

SMALL = 32
"""Rows up to which torch has kernels of its own for stacks."""

FEW = 6
"""Matrices below which torch's way, one after the other, is as soon done."""


class Kernel(NamedTuple):
    """A function and what it takes."""

    function: Callable[..., Any]
    takes: Callable[[Tensor], bool]


def _are_many_and_small(X: Tensor) -> bool:
    """Whether a stack of matrices is quicker turned all at once."""
    return X.ndim == 3 and len(X) >= FEW and SMALL < max(X.shape[1:]) <= LARGEST


KERNELS: dict[str, Kernel] = {}

try:
    from crosslabel.core.gpu import (
        exemplars_kernel,
        jacobi,
        steps_kernel,
        temperatures_kernel,
        turns_kernel,
    )
except ImportError as absent:
    if not str(absent.name).startswith("triton"):
        raise
else:
    KERNELS |= {
        "descended": Kernel(temperatures_kernel.descended, lambda X: True),
        "eigh": Kernel(jacobi.eigh, _are_many_and_small),
        "greedy": Kernel(exemplars_kernel.greedy, lambda X: X.shape[1] <= exemplars_kernel.LARGEST),
        "polar": Kernel(jacobi.polar, _are_many_and_small),
        "steps": Kernel(steps_kernel.steps, lambda X: True),
        "unit_norms": Kernel(turns_kernel.unit_norms, lambda X: True),
    }


def kernel(name: str, X: Tensor) -> Callable[..., Any] | None:
    """The function of this name for a stack like X, if there is one."""
    found = KERNELS.get(name)
    return found.function if found and found.takes(X) else None
