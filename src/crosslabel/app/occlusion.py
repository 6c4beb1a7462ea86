"""What of a picture matters for its label: cover a part, and see how much the answer suffers.

Nothing is asked of the features but that they can look at a picture: it works for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from crosslabel.core.scaling import Array
from crosslabel.progress_bar import progress_bar

Pixels = NDArray[np.generic]

CELLS = 8
"""Rows and columns of the map."""
LONGEST = 512
"""Pixels of the longer side at which a picture is covered: fewer are faster, and show as much."""
BATCH = 16


def occlusion_map(
    score: Callable[[Sequence[Pixels]], Array],
    picture: Pixels,
    *,
    cells: int = CELLS,
    progress: bool = False,
) -> Array:
    """How much of a score each part of a picture is responsible for.

    A window of two by two cells goes over the picture cell by cell and hides it under its mean. A
    cell's value is the mean, over the windows that hide it, of what the score loses.

    Parameters
    ----------
    score : callable
        From pictures to an array of scores.
    picture : ndarray of shape (height, width), (height, width, 3), or (frames, height, width)
        Three channels at most; a longer first axis is time.
    cells : int, default=8
    progress : bool, default=False
        Show a bar.

    Returns
    -------
    ndarray of shape (cells, cells)
        Positive where hiding a part lowers the score.
    """
    windows = list(_windows(cells))
    whole = float(score([picture])[0])
    losses: list[float] = []
    with progress_bar("what matters" if progress else None, len(windows)) as advance:
        for start in range(0, len(windows), BATCH):
            part = windows[start : start + BATCH]
            found = score([_hidden(picture, rows, columns, cells) for rows, columns in part])
            losses.extend(whole - np.asarray(found, np.float64))
            advance(len(part))
    total, count = np.zeros((cells, cells)), np.zeros((cells, cells))
    for (rows, columns), loss in zip(windows, losses):
        total[rows, columns] += loss
        count[rows, columns] += 1
    return total / count


def _windows(cells: int) -> Iterator[tuple[slice, slice]]:
    """Windows of two by two cells, also those that reach over an edge."""
    starts = [slice(max(0, first), first + 2) for first in range(-1, cells)]
    for rows in starts:
        for columns in starts:
            yield rows, columns


def _hidden(picture: Pixels, rows: slice, columns: slice, cells: int) -> Pixels:
    is_clip = picture.ndim == 3 and picture.shape[2] not in (1, 3, 4)
    axes = (1, 2) if is_clip else (0, 1)
    covered = picture.copy()
    part: list[slice] = [slice(None)] * picture.ndim
    for axis, cut in zip(axes, (rows, columns)):
        edges = np.linspace(0, picture.shape[axis], cells + 1).round().astype(int)
        part[axis] = slice(edges[cut.start], edges[min(cut.stop, cells)])
    covered[tuple(part)] = picture.mean(axis=axes, keepdims=True).astype(picture.dtype)
    return covered


def handy(picture: Pixels) -> Pixels:
    """A picture with a longer side of at most `LONGEST` pixels; clips as they are.

    Parameters
    ----------
    picture : ndarray of shape (height, width), (height, width, 3), or (frames, height, width)

    Returns
    -------
    ndarray
    """
    longest = max(picture.shape[:2])
    if longest <= LONGEST or picture.dtype != np.uint8 or picture.shape[2:] not in ((), (3,)):
        return picture
    size = [max(1, round(side * LONGEST / longest)) for side in picture.shape[1::-1]]
    return np.asarray(Image.fromarray(picture).resize((size[0], size[1]), Image.Resampling.BOX))
