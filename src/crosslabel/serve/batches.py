"""Rows of many requests in one product: what arrives while one is computed is the next batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.serve.answering import Answer, Answerer

MOST_ROWS = 512
"""Rows of a batch; a request with more is a batch of its own."""

Answers = dict[str, Answer]


class Waiting(NamedTuple):
    """A request's rows, what is wanted of them, by which model, and where the answer goes."""

    answerer: Answerer
    rows: Array
    wanted: frozenset[str]
    answer: asyncio.Future[Answers]


class Batches:
    """Answers rows of features on one thread, a batch at a time."""

    def __init__(self) -> None:
        self.waiting: list[Waiting] = []
        self.thread = ThreadPoolExecutor(1, "batches")
        self.busy: asyncio.Task[None] | None = None
        self.count = 0

    async def answers(self, answerer: Answerer, rows: Array, wanted: Sequence[str]) -> Answers:
        """Each wanted output for rows.

        Parameters
        ----------
        answerer : Answerer
        rows : ndarray of shape (n, width)
        wanted : sequence of str
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answers] = loop.create_future()
        self.waiting.append(Waiting(answerer, rows, frozenset(wanted), future))
        if self.busy is None or self.busy.done():
            self.busy = loop.create_task(self._work())
        return await future

    async def run(self, work: Callable[[], Answers]) -> Answers:
        """Something that belongs into no batch, on the same thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, work)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self.waiting:
            batch = self._next()
            found = await loop.run_in_executor(self.thread, _computed, batch)
            self.count += 1
            for one, answer in zip(batch, found):
                if one.answer.done():
                    continue  # the client has gone
                if isinstance(answer, Exception):
                    one.answer.set_exception(answer)
                else:
                    one.answer.set_result(answer)

    def _next(self) -> list[Waiting]:
        """The longest waiting requests to one model that fit into a batch."""
        first = self.waiting[0]
        batch, left, size = list[Waiting](), list[Waiting](), 0
        for one in self.waiting:
            fits = not batch or size + len(one.rows) <= MOST_ROWS
            if fits and _alike(one, first):
                batch.append(one)
                size += len(one.rows)
            else:
                left.append(one)
        self.waiting = left
        return batch


def _alike(one: Waiting, other: Waiting) -> bool:
    same = one.answerer is other.answerer and one.rows.dtype == other.rows.dtype
    return same and one.rows.shape[1:] == other.rows.shape[1:]


def _computed(batch: list[Waiting]) -> list[Answers | Exception]:
    """The answers of each request; one that cannot be answered takes no other with it."""
    try:
        return list(_together(batch))
    except Exception as error:
        if len(batch) == 1:
            return [error]
        return [answer for one in batch for answer in _computed([one])]


def _together(batch: list[Waiting]) -> list[Answers]:
    wanted = sorted(frozenset.union(*(one.wanted for one in batch)))
    rows = batch[0].rows if len(batch) == 1 else np.concatenate([one.rows for one in batch])
    found = batch[0].answerer.answers(rows, wanted)
    ends = np.cumsum([len(one.rows) for one in batch]).tolist()
    starts = [0, *ends[:-1]]
    return [
        {name: found[name][start:end] for name in one.wanted}
        for one, start, end in zip(batch, starts, ends)
    ]
