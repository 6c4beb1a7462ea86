"""Whatever path a user gives: a folder of images, a folder of clips, or a file of features."""

from __future__ import annotations

import os
from pathlib import Path

from sklearn.utils import Bunch

from crosslabel.datasets.folder import load_clip_folder, load_image_folder, walk
from crosslabel.datasets.mat import load_features
from crosslabel.media.clips import VIDEO_SUFFIXES
from crosslabel.media.images import image_suffixes

FEATURE_SUFFIXES = frozenset({".mat", ".npz"})


def load_source(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    minimum: int = 2,
    progress: bool = False,
) -> Bunch:
    """Samples, labels and class names behind a path.

    Parameters
    ----------
    path : path
        A folder with a subfolder for each class, or a `.mat` or `.npz` file.
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    minimum : int, default=2
        Usable files that a class must have.
    progress : bool, default=False
        Show a bar while the files of a folder are looked at.

    Returns
    -------
    Bunch
        `samples` (paths, or rows of features), `target`, `target_names`, `kind` ("images", "clips"
        or "features"), `skipped`, `train` and `test` (indices, or None) and `DESCR`.
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"There is no file or folder {place}.")
    if place.is_dir():
        loader = load_clip_folder if _holds_clips(place) else load_image_folder
        data = loader(place, strict=strict, minimum=minimum, progress=progress)
        return Bunch(samples=data.filenames, train=None, test=None, **data)
    if place.suffix.lower() not in FEATURE_SUFFIXES:
        raise ValueError(
            f"{place} is neither a folder with a subfolder for each class nor a .mat or .npz file."
        )
    data = load_features(place)
    return Bunch(samples=data.data, **data)


def _holds_clips(folder: Path) -> bool:
    """Whether the first file below that is a video, an array or an image is not an image."""
    images = image_suffixes()
    for file in walk(folder):
        suffix = file.suffix.lower()
        if suffix in images and suffix not in VIDEO_SUFFIXES:
            return False
        if suffix in VIDEO_SUFFIXES or suffix == ".npy":
            return True
    return False
