"""UCF50: fifty actions from web videos, in 25 groups of clips that share a source."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.folder import load_clip_folder
from crosslabel.datasets.root import Root, find

GROUP = re.compile(r"_g(\d+)_c\d+$")


def load_ucf50(root: Root = None) -> Bunch:
    """UCF50 (Reddy and Shah, 2013), as paths, with the groups for group-wise folds.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `UCF50/<action>/v_Biking_g01_c01.avi` … lie in it.

    Returns
    -------
    Bunch
        `filenames`, `target`, `target_names`, `groups` (1 to 25) and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_ucf50
    >>> data = load_ucf50()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    data = load_clip_folder(find("ucf50", root, "UCF50", "ucf50"), check=False)
    data.groups = np.array([_group(name) for name in data.filenames])
    return data


def _group(name: str) -> int:
    match = GROUP.search(Path(name).stem)
    if match is None:
        raise ValueError(
            f"The name of {name} does not end in _g<group>_c<clip>, as those of UCF50 do; its "
            "group is unknown."
        )
    return int(match[1])


DATA_SET = DataSet(
    "ucf50",
    load_ucf50,
    "UCF50",
    "<action>/v_<action>_g01_c01.avi …",
    "the Center for Research in Computer Vision, University of Central Florida (UCF50.rar)",
)
