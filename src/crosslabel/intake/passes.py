"""One pass over samples on disk: bounded memory, a progress bar, and a file to resume from."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.ordering import Words, row_hashes
from crosslabel.core.scaling import Array
from crosslabel.files import arrays as archive
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.lift import Lift
from crosslabel.intake.sources import Source
from crosslabel.intake.summary import Summary
from crosslabel.progress_bar import progress_bar

KIND = "checkpoint of a pass"

CHECKPOINT_SECONDS = 60.0
"""Time between two checkpoints: little to do again, and little time spent writing."""

BLOCK_COPIES = 6
"""What is to fit into the limit, in blocks: two that are read, and the work on the classes."""


@dataclass(frozen=True)
class Checkpoint:
    """A file that holds how far a pass over one data set has come.

    Attributes
    ----------
    path : Path
    fingerprint : str
        Of the data set and of the settings of the summary.
    lift : Lift
    """

    path: Path
    fingerprint: str
    lift: Lift

    def save(self, summary: Summary, row: int) -> None:
        """Write the summary of the rows before `row`; a disk that is full costs only the file."""
        note = np.array([self.fingerprint, str(row)])
        try:
            archive.save(self.path, KIND, {**summary.to_arrays(), "note": note})
        except OSError as error:
            warnings.warn(
                f"The checkpoint {self.path} could not be written: {error}. The pass goes on; if "
                "it is interrupted, it resumes from the checkpoint before, if there is one.",
                RuntimeWarning,
                stacklevel=2,
            )

    def load(self) -> tuple[Summary, int] | None:
        """The summary so far and the row to go on from; None where there is no file."""
        if not self.path.exists():
            return None
        arrays = archive.load(self.path, KIND)
        fingerprint, row = arrays.pop("note").tolist()
        if fingerprint != self.fingerprint:
            raise ValueError(
                f"The checkpoint {self.path} belongs to another data set or to other settings "
                "(normalize, kept_samples, random_state). Name another file, or delete it."
            )
        return Summary.from_arrays(arrays, self.lift), int(row)

    def remove(self) -> None:
        """Delete the file, if there is one."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)


def run(
    source: Source,
    codes: NDArray[np.intp],
    weights: Array | None,
    summary: Summary,
    *,
    memory_limit: int,
    checkpoint: Checkpoint | None = None,
    progress: str | None = None,
) -> Summary:
    """The summary after all samples of a source.

    Parameters
    ----------
    source : Source
    codes : ndarray of int of shape (n_rows,)
        The label of each row, as a number.
    weights : ndarray of shape (n_rows,) or None
    summary : Summary
        Without samples.
    memory_limit : int
        Bytes for blocks of samples; statistics and the kept sample come on top.
    checkpoint : Checkpoint, optional
    progress : str, optional
        Name of a bar on standard error.
    """
    start = 0
    found = checkpoint.load() if checkpoint else None
    if found:
        summary, start = found
    n_rows = source.shape[0]
    step, written = block_rows(source, memory_limit), time.monotonic()
    with progress_bar(progress, n_rows) as advance:
        advance(start)
        for a, block, hashes in _blocks(source, start, step):
            b = a + len(block)
            given = None if weights is None else weights[a:b]
            summary = summary.absorb(block, codes[a:b], given, hashes)
            advance(len(block))
            late = time.monotonic() - written > CHECKPOINT_SECONDS
            if checkpoint and (late or b == n_rows):
                checkpoint.save(summary, b)
                written = time.monotonic()
    return summary


def block_rows(source: Source, memory_limit: int) -> int:
    """Rows of a block so that all copies of it fit into the limit: whole chunks, where they fit."""
    n_features = source.shape[1]
    rows = max(1, memory_limit // (BLOCK_COPIES * max(1, n_features) * source.dtype.itemsize))
    return rows // source.chunk * source.chunk or rows


def _blocks(source: Source, start: int, step: int) -> Iterator[tuple[int, Array, Words]]:
    """First row, samples and hashes of each block; while one is learnt from, the next is read."""
    n_rows = source.shape[0]
    places = range(start, n_rows, step)
    with ThreadPoolExecutor(1) as reader:
        ahead = None
        for a in places:
            now = ahead or reader.submit(_read, source, a, min(a + step, n_rows))
            following = a + step
            ahead = None
            block, hashes = now.result()
            if following < n_rows:
                ahead = reader.submit(_read, source, following, min(following + step, n_rows))
            yield a, block, hashes


def _read(source: Source, start: int, stop: int) -> tuple[Array, Words]:
    block = source.read(start, stop)
    return block, row_hashes(block)


def named(summary: Summary, classes: ClassLabels) -> Summary:
    """The summary of numbered classes under their names, which are sorted like the numbers."""
    statistics = summary.statistics
    return replace(summary, statistics=replace(statistics, classes=classes[statistics.classes]))
