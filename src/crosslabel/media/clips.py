"""Gray clips from video files and arrays, whatever state the files are in.

Any problem with one file is an `UnreadableFile`. Memory and time are bounded by the budget
(`files/budget.py`).
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crosslabel.files.budget import OverBudget, budget
from crosslabel.files.npy import read_npy
from crosslabel.media.unreadable import UnreadableFile

if TYPE_CHECKING:
    from av.container import InputContainer

FRAMES_HELD = 24
"""Bytes that a decoder holds for each pixel of a frame: the frames that others refer to."""

VIDEO_SUFFIXES = frozenset({".avi", ".mp4", ".mpg", ".mpeg", ".mov", ".mkv", ".webm", ".m4v"})
CLIP_SUFFIXES = VIDEO_SUFFIXES | {".npy"}


def read_clip(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    """Gray frames of a video file, or of a NumPy file that holds them.

    Parameters
    ----------
    path : path
        A `.npy` file of shape (frames, height, width), or a video (needs the extra `video`).

    Returns
    -------
    ndarray of shape (frames, height, width)

    Raises
    ------
    UnreadableFile
        If the file is missing, empty, damaged, no clip, or takes more than the budget allows.

    Examples
    --------
    >>> from crosslabel.datasets import read_clip
    >>> frames = read_clip("wave.avi")  # doctest: +SKIP
    >>> frames.ndim  # doctest: +SKIP
    3
    """
    try:
        if os.path.getsize(path) == 0:
            raise UnreadableFile(path, "the file is empty")
    except OSError as error:
        raise UnreadableFile(path, error.strerror or "it cannot be read") from None
    reader = _read_array if Path(path).suffix.lower() == ".npy" else _read_video
    try:
        clip = reader(path)
    except OverBudget as error:
        raise UnreadableFile(path, str(error)) from None
    except MemoryError:
        raise UnreadableFile(path, "the clip does not fit into memory") from None
    if clip.ndim != 3 or 0 in clip.shape:
        raise UnreadableFile(
            path, f"a clip must be (frames, height, width), but its shape is {clip.shape}"
        )
    if clip.dtype.kind not in "buif":
        raise UnreadableFile(path, f"a clip must hold numbers, but its type is {clip.dtype}")
    if clip.dtype.kind == "f" and not np.isfinite(clip).all():
        raise UnreadableFile(path, "the clip holds NaN or infinity")
    return clip


def _read_array(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    try:
        return read_npy(path)
    except OverBudget:
        raise
    # A header is an expression: what is wrong with one fails anywhere in its reader.
    except Exception as error:
        raise UnreadableFile(path, f"this is no NumPy array ({error})") from None


def _read_video(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    try:
        import av
    except ImportError:
        raise ImportError(
            "Reading videos needs the package av. Install it: pip install 'crosslabel[video]'."
        ) from None
    try:
        with av.open(os.fspath(path)) as container:
            frames = _gray_frames(container)
    except OverBudget:
        raise
    # A file without a video stream is an IndexError of av; all else is its own or the system's.
    except (av.FFmpegError, OSError, IndexError, ValueError) as error:
        raise UnreadableFile(path, f"the clip is damaged or no video ({error})") from None
    if not frames:
        raise UnreadableFile(path, "the clip has no frames")
    if any(frame.shape != frames[0].shape for frame in frames):
        raise UnreadableFile(path, "the frames of the clip differ in size")
    return np.stack(frames)


def _gray_frames(container: InputContainer) -> list[NDArray[np.generic]]:
    """All frames, as long as they, and the array that will hold them, fit into the budget."""
    limits, started = budget(), time.thread_time()
    stream = container.streams.video[0]
    stream.thread_type = "NONE"  # each thread of a decoder would hold frames of its own
    width, height = stream.codec_context.width, stream.codec_context.height
    limits.check("bytes", FRAMES_HELD * width * height, f"a frame of {width}×{height} pixels")
    frames: list[NDArray[np.generic]] = []
    held = 0
    for frame in container.decode(stream):
        limits.check("pixels", frame.width * frame.height, "a frame of the clip")
        frames.append(frame.to_ndarray(format="gray"))
        held += 2 * frames[-1].nbytes
        limits.check("bytes", held, f"the clip after {len(frames)} frames; it")
        limits.check("seconds", time.thread_time() - started, "decoding the clip")
    return frames
