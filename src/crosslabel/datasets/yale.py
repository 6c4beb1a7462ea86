"""Yale faces: 15 people under 11 conditions, as distributed or as aligned 100×100 crops."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.root import Root, find
from crosslabel.media.images import read_image

# The distribution names one file of subject01 after its format instead of its condition.
RENAMED = {"gif": "centerlight"}


def load_yale(root: Root = None, *, crops: bool = False) -> Bunch:
    """The Yale face database (Belhumeur, Hespanha and Kriegman, 1997).

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `yale/yalefaces/subject01.glasses` … or, for crops,
        `yale/yalefaces_100x100.zip` (or the same unpacked) lie in it.
    crops : bool, default=False
        The aligned 100×100 crops in place of the 243×320 originals.

    Returns
    -------
    Bunch
        `images` (165, height, width), `target`, `target_names`, `conditions` (originals only) and
        `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_yale
    >>> data = load_yale()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    return _crops(root) if crops else _originals(root)


def _originals(root: Root) -> Bunch:
    folder = find("yale", root, "yale/yalefaces", "yalefaces")
    files = sorted(f for f in folder.iterdir() if f.name.startswith("subject") and f.is_file())
    people, conditions = zip(*(f.name.split(".", 1) for f in files))
    names, target = np.unique(people, return_inverse=True)
    return Bunch(
        images=np.stack([read_image(f) for f in files]),
        target=target,
        target_names=names,
        conditions=np.array([RENAMED.get(c, c) for c in conditions]),
        DESCR="Yale faces as distributed. subject04.sad repeats subject04.normal.",
    )


def _crops(root: Root) -> Bunch:
    place = find("yale", root, "yale/yalefaces_100x100.zip", "yale/yalefaces_100x100")
    images = _zipped(place) if place.suffix == ".zip" else _unpacked(place)
    keys = sorted(images)
    names, target = np.unique([person for person, _ in keys], return_inverse=True)
    return Bunch(
        images=np.stack([images[key] for key in keys]),
        target=target,
        target_names=names,
        DESCR="Yale faces, aligned crops of 100×100.",
    )


def _zipped(place: Path) -> dict[tuple[str, str], NDArray]:
    with zipfile.ZipFile(place) as archive:
        members = [name for name in archive.namelist() if name.lower().endswith(".bmp")]
        return {
            (Path(name).parent.name, Path(name).name): np.asarray(
                Image.open(io.BytesIO(archive.read(name)), formats=["BMP"]).convert("L")
            )
            for name in members
        }


def _unpacked(place: Path) -> dict[tuple[str, str], NDArray]:
    return {(f.parent.name, f.name): read_image(f) for f in place.rglob("*.bmp")}


DATA_SET = DataSet(
    "yale",
    load_yale,
    "yale",
    "yalefaces/subject01.glasses … (and yalefaces_100x100.zip for the aligned crops)",
    "the Yale vision group; ask through the page of the Yale Face Database (UCSD)",
    counts=(165, 15),
)
