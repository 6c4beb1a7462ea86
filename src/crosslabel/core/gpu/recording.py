"""Launches recorded once and replayed: a sweep is a thousand, and each costs the host time."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


class Recording:
    """Work on fixed tensors, done again and again; on a GPU, after the first time, as one launch.

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
        if self.on_gpu and self._warm and self._graph is None:
            self._record()
        if self._graph is None:
            self._warm = True  # the first time compiles and loads, which no graph may hold
            return self.work()
        self._graph.replay()
        assert self._result is not None
        return self._result.clone()

    def _record(self) -> None:
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                self._result = self.work()
        except RuntimeError:
            # Some library call of this torch cannot be recorded: launch by launch gives the same.
            self.on_gpu = False
            return
        self._graph = graph
