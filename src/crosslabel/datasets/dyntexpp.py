"""DynTex++: 36 classes of 100 dynamic textures, clips of 50×50×50 in one MATLAB file each."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.mat import read_arrays
from crosslabel.datasets.root import Root, find

NUMBERS = re.compile(r"\d+")


def load_dyntexpp(root: Root = None) -> Bunch:
    """DynTex++ (Ghanem and Ahuja, 2010).

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `dyntexpp/` in it holds a folder for each class, or files whose names
        begin with the class's number (`c01_001.mat`), each with one array of a clip.

    Returns
    -------
    Bunch
        `images` (n_clips, frames, height, width), `target`, `target_names` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_dyntexpp
    >>> data = load_dyntexpp()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    folder = find("dyntexpp", root, "dyntexpp", "DynTex++")
    files = sorted(folder.rglob("*.mat"))
    if not files:
        raise ValueError(f"{folder} holds no .mat files. DynTex++ comes as one for each clip.")
    classes = [
        f.parent.name if f.parent != folder else "".join(NUMBERS.findall(f.stem)[:1]) for f in files
    ]
    names, target = np.unique(classes, return_inverse=True)
    return Bunch(
        images=np.stack([_clip(read_arrays(f), str(f)) for f in files]),
        target=target,
        target_names=names,
        DESCR=f"DynTex++: {len(files)} clips of {len(names)} classes.",
    )


def _clip(arrays: dict[str, NDArray], name: str) -> NDArray:
    volumes = [value for value in arrays.values() if value.ndim == 3]
    if len(volumes) != 1:
        raise ValueError(
            f"{name} must hold one three-dimensional array, but it holds {len(volumes)}."
        )
    # MATLAB keeps time last.
    return np.moveaxis(volumes[0], -1, 0)


DATA_SET = DataSet(
    "dyntexpp",
    load_dyntexpp,
    "dyntexpp",
    "one .mat for each clip, in a folder for each class",
    "Bernard Ghanem's page (KAUST); the DynTex site asks for registration",
    counts=(3600, 36),
)
