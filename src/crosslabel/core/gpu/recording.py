"""Launches recorded once and replayed: a sweep is a thousand small ones, and each costs the host."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


class Recording:
    """Work on fixed tensors that is done again and again; on a GPU, from the second time on, as one.

    Parameters
    ----------
    work : callable
        Reads and writes tensors that stay where they are, and looks at no value.
    on_gpu : bool
    """

    def __init__(self, work: Callable[[], Tensor], on_gpu: bool) -> None:
        self.work, self.on_gpu = work, on_gpu
        self._graph: torch.cuda.CUDAGraph | None = None
        self._result: Tensor | None = None
        self._warm = False

    def __call__(self) -> Tensor:
        """Do the work; the result is the caller's own."""
        if not self.on_gpu or not self._warm:
            self._warm = True  # the first time compiles and loads, which no graph may hold
            return self.work()
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._result = self.work()
        self._graph.replay()
        assert self._result is not None
        return self._result.clone()
