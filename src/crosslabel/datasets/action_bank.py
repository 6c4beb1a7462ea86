"""Action-bank features: read from the published files, since the tool that made them is private.

Each video has a file `v_Biking_g01_c01_bank.npy.gz` (or `.npy`, `.mat`), in a folder for each
action. The paper shortens the rows to 6000 by PCA: `sklearn.decomposition.PCA(6000)` on training
rows.
"""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.mat import read_arrays
from crosslabel.datasets.root import Root, find
from crosslabel.files.budget import budget
from crosslabel.files.npy import from_bytes, read_npy
from crosslabel.media.unreadable import UnreadableFile

SUFFIXES = (".npy", ".npy.gz", ".mat")
GROUP = re.compile(r"_g(\d+)_c\d+")


def load_action_bank(root: Root = None) -> Bunch:
    """Action-bank vectors of UCF50 (Sadanand and Corso, 2012).

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `action_bank/<action>/*_bank.npy.gz` … lie in it.

    Returns
    -------
    Bunch
        `data` (n_videos, n_features), `target`, `target_names`, `groups` (0 where a name tells
        none), `filenames` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_action_bank
    >>> data = load_action_bank()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    folder = find("action_bank", root, "action_bank", "UCF50_bank")
    files = sorted(f for f in folder.glob("*/*") if f.name.endswith(SUFFIXES))
    if not files:
        raise ValueError(f"{folder} holds no files <action>/*.npy.gz, .npy or .mat.")
    rows = [read_bank(f) for f in files]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        odd = next(f for f, row in zip(files, rows) if len(row) != len(rows[0]))
        raise UnreadableFile(odd, f"its vector has another length than the first: {lengths}")
    names, target = np.unique([f.parent.name for f in files], return_inverse=True)
    matches = [GROUP.search(f.name) for f in files]
    return Bunch(
        data=np.stack(rows),
        target=target,
        target_names=names,
        groups=np.array([int(m[1]) if m else 0 for m in matches]),
        filenames=[str(f) for f in files],
        kind="features",
        DESCR=f"Action bank: {len(files)} videos of {len(names)} actions.",
    )


def read_bank(path: Path) -> NDArray:
    """The vector of one video, float32.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray of shape (n_features,)
    """
    if path.suffix == ".mat":
        arrays = list(read_arrays(path).values())
        if len(arrays) != 1:
            raise UnreadableFile(path, f"it must hold one array, but it holds {len(arrays)}")
        return arrays[0].ravel().astype(np.float32)
    try:
        if path.suffix != ".gz":
            return read_npy(path).ravel().astype(np.float32)
        limit = int(budget().bytes)
        with gzip.open(path) as file:
            raw = file.read(limit + 1)
        budget().check("bytes", len(raw), "the vector, unpacked,")
        return from_bytes(raw).ravel().astype(np.float32)
    except (OSError, ValueError, EOFError, SyntaxError, zlib.error) as error:
        raise UnreadableFile(path, f"it is no NumPy array ({error})") from None


DATA_SET = DataSet(
    "action_bank",
    load_action_bank,
    "action_bank",
    "<action>/*_bank.npy.gz",
    "the action bank page of Jason Corso's group; the tool that made them is not public",
)
