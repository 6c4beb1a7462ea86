"""Apply a slow function to many images or clips: on all cores, with progress, cached on disk.

A result is kept under a key of the item's content and the function's settings, one file each,
written whole or not at all. So an interrupted run resumes where it stopped, a changed file or
setting is computed anew, and processes may share a cache without knowing of each other.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray

from crosslabel.files.whole import write_whole
from crosslabel.progress_bar import progress_bar

Input = TypeVar("Input")
Row = NDArray[Any]

FORMAT = 1  # part of every key: a change of any transformer's output must raise it
CHUNK = 16  # items per task: the function travels to another process once for so many


def extract(
    function: Callable[..., Any],
    items: Sequence[Input],
    *,
    settings: object = None,
    cache: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: str | None = None,
    batches: bool = False,
) -> list[Row]:
    """[function(item) for item in items], faster and only once.

    Parameters
    ----------
    function : callable
        From an item to an array; picklable where `n_jobs` is not 1. Or as `batches` says.
    items : sequence of arrays or paths
        A path's content is the content of the file.
    settings : object, default=None
        All that the result depends on beside the item: numbers, strings, arrays, in any nesting.
    cache : path, default=None
        Folder that keeps results; None keeps nothing.
    n_jobs : int, default=None
        Processes or threads, as in scikit-learn: None is 1, -1 is one for each core.
    progress : str, default=None
        Shows a bar of this name on standard error; None shows none.
    batches : bool, default=False
        The function takes a list of items, gives an array for each, and works outside of Python's
        lock: it is run in threads instead of processes.

    Returns
    -------
    list of ndarray
        In the order of the items.
    """
    folder = None if cache is None else Path(cache)
    label = joblib.hash([FORMAT, settings])
    chunks = [items[start : start + CHUNK] for start in range(0, len(items), CHUNK)]
    # Starting processes takes a second: not for what one chunk holds.
    workers = joblib.Parallel(
        n_jobs=n_jobs if len(chunks) > 1 else 1,
        return_as="generator",
        prefer="threads" if batches else "processes",
    )
    # `map` gives each result as soon as it is there, so that none is lost to an interruption.
    every = function if batches else partial(map, function)
    tasks = (joblib.delayed(_extract_chunk)(every, chunk, label, folder) for chunk in chunks)
    results: list[Row] = []
    with progress_bar(progress, len(items)) as advance:
        for chunk in workers(tasks):
            results.extend(chunk)
            advance(len(chunk))
    return results


def _extract_chunk(
    function: Callable[..., Iterable[Row]], items: Sequence[Input], label: str, folder: Path | None
) -> list[Row]:
    if folder is None:
        return list(function(items))
    places = [_place(item, label, folder) for item in items]
    found = [_kept(place) for place in places]
    missing = [number for number, row in enumerate(found) if row is None]
    made = function([items[number] for number in missing]) if missing else ()
    for number, row in zip(missing, made):
        found[number] = row
        _keep(row, places[number])
    return [row for row in found if row is not None]


def _kept(place: Path) -> Row | None:
    # A file that cannot be read back (a full disk, a foreign file) is as good as none.
    with suppress(OSError, ValueError, EOFError):
        return np.load(place, allow_pickle=False)
    return None


def _keep(row: Row, place: Path) -> None:
    try:
        write_whole(place, lambda file: np.save(file, row, allow_pickle=False))
    except OSError as error:  # a full disk, or a folder that is closed
        warnings.warn(
            f"The cache {place.parent.parent} cannot be written: {error}. The run goes on without "
            "it, and the next one computes these rows again.",
            stacklevel=2,
        )


def _place(item: object, label: str, folder: Path) -> Path:
    content = Path(item).read_bytes() if isinstance(item, str | os.PathLike) else item
    key = joblib.hash([label, content])
    return folder / key[:2] / f"{key}.npy"
