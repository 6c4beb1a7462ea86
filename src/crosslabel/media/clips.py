"""Gray clips from video files and arrays, whatever state the files are in.

Any problem with one file is an `UnreadableFile`. Memory is bounded by `MAX_VOXELS`.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosslabel.media.unreadable import UnreadableFile

MAX_VOXELS = 2**30  # one gigabyte of gray frames

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
        If the file is missing, empty, damaged, no clip, or holds more than 2³⁰ pixels in all.

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
    clip = reader(path)
    if clip.ndim != 3 or 0 in clip.shape:
        raise UnreadableFile(
            path, f"a clip must be (frames, height, width), but its shape is {clip.shape}"
        )
    return clip


def _read_array(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UnreadableFile(path, f"this is no NumPy array ({error})") from None


def _read_video(path: str | os.PathLike[str]) -> NDArray[np.generic]:
    try:
        import av
    except ImportError:
        raise ImportError(
            "Reading videos needs the package av. Install it: pip install 'crosslabel[video]'."
        ) from None
    frames: list[NDArray[np.generic]] = []
    try:
        with av.open(os.fspath(path)) as container:
            for frame in container.decode(video=0):
                frames.append(frame.to_ndarray(format="gray"))
                if len(frames) * frames[0].size > MAX_VOXELS:
                    raise UnreadableFile(path, "the clip is too long; cut it into parts")
    except UnreadableFile:
        raise
    # A file without a video stream is an IndexError of av; all else is its own or the system's.
    except (av.FFmpegError, OSError, IndexError, ValueError) as error:
        raise UnreadableFile(path, f"the clip is damaged or no video ({error})") from None
    if not frames:
        raise UnreadableFile(path, "the clip has no frames")
    return np.stack(frames)
