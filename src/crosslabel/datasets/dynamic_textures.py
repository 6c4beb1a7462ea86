"""Dynamic textures of fifteen videos, cut into clips of 50×50×50."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.mat import read_arrays
from crosslabel.datasets.root import Root, find


def load_dynamic_textures(root: Root = None) -> Bunch:
    """Fifteen dynamic textures cut into clips of 50×50×50 in the manner of DynTex++.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `dynamic_textures/clips_50x50x50.npz` lies in it, with `clips`, `label`
        and `origin_tyx`.

    Returns
    -------
    Bunch
        `images` (n_clips, frames, height, width), `target`, `target_names`, `origins` (frame, row
        and column where each clip begins in its video) and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_dynamic_textures
    >>> data = load_dynamic_textures()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    place = find("dynamic_textures", root, "dynamic_textures/clips_50x50x50.npz")
    arrays = read_arrays(place)
    names, target = np.unique(arrays["label"], return_inverse=True)
    return Bunch(
        images=arrays["clips"],
        target=target,
        target_names=names,
        origins=arrays["origin_tyx"],
        DESCR=f"{len(target)} clips of {len(names)} dynamic textures, one source video each.",
    )


DATA_SET = DataSet(
    "dynamic_textures",
    load_dynamic_textures,
    "dynamic_textures",
    "clips_50x50x50.npz with clips, label and origin_tyx",
    "cut yourself from videos of dynamic textures; it has no public copy",
    counts=(210, 15),
)
