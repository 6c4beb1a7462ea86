"""Apply a slow function to many images or clips: on all cores, with progress, cached on disk.

A result is kept under a key of the item's content and the function's settings, one file each,
written whole or not at all. So an interrupted run resumes where it stopped, a changed file or
setting is computed anew, and processes may share a cache without knowing of each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray

from crosslabel.files.whole import write_whole
from crosslabel.progress_bar import progress_bar

Input = TypeVar("Input")

FORMAT = 1  # part of every key: a change of any transformer's output must raise it
CHUNK = 16  # items per task: the function travels to another process once for so many


def extract(
    function: Callable[[Input], NDArray[np.generic]],
    items: Sequence[Input],
    *,
    settings: object = None,
    cache: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: str | None = None,
) -> list[NDArray[np.generic]]:
    """[function(item) for item in items], faster and only once.

    Parameters
    ----------
    function : callable
        From an item to an array; picklable where `n_jobs` is not 1.
    items : sequence of arrays or paths
        A path's content is the content of the file.
    settings : object, default=None
        All that the result depends on beside the item: numbers, strings, arrays, in any nesting.
    cache : path, default=None
        Folder that keeps results; None keeps nothing.
    n_jobs : int, default=None
        Processes, as in scikit-learn: None is 1, -1 is one for each core.
    progress : str, default=None
        Shows a bar of this name on standard error; None shows none.

    Returns
    -------
    list of ndarray
        In the order of the items.
    """
    folder = None if cache is None else Path(cache)
    label = joblib.hash([FORMAT, settings])
    chunks = [items[start : start + CHUNK] for start in range(0, len(items), CHUNK)]
    # Starting processes takes a second: not for what one chunk holds.
    workers = joblib.Parallel(n_jobs=n_jobs if len(chunks) > 1 else 1, return_as="generator")
    tasks = (joblib.delayed(_extract_chunk)(function, chunk, label, folder) for chunk in chunks)
    results: list[NDArray[np.generic]] = []
    with progress_bar(progress, len(items)) as advance:
        for chunk in workers(tasks):
            results.extend(chunk)
            advance(len(chunk))
    return results


def _extract_chunk(
    function: Callable[[Input], NDArray[np.generic]],
    items: Sequence[Input],
    label: str,
    folder: Path | None,
) -> list[NDArray[np.generic]]:
    if folder is None:
        return [function(item) for item in items]
    return [_cached(function, item, _place(item, label, folder)) for item in items]


def _cached(
    function: Callable[[Input], NDArray[np.generic]], item: Input, place: Path
) -> NDArray[np.generic]:
    # A file that cannot be read back (a full disk, a foreign file) is as good as none.
    with suppress(OSError, ValueError, EOFError):
        return np.load(place, allow_pickle=False)
    result = function(item)
    write_whole(place, lambda file: np.save(file, result, allow_pickle=False))
    return result


def _place(item: object, label: str, folder: Path) -> Path:
    content = Path(item).read_bytes() if isinstance(item, str | os.PathLike) else item
    key = joblib.hash([label, content])
    return folder / key[:2] / f"{key}.npy"
