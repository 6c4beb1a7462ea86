"""Weizmann actions: ten actions by nine people, one short video each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.folder import load_clip_folder
from crosslabel.datasets.root import Root, find


def load_weizmann(root: Root = None) -> Bunch:
    """The Weizmann actions (Gorelick et al., 2007), as paths; the person is the group.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `weizmann/<action>/denis_walk.avi` … lie in it.

    Returns
    -------
    Bunch
        `filenames`, `target`, `target_names`, `groups` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_weizmann
    >>> data = load_weizmann()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    data = load_clip_folder(find("weizmann", root, "weizmann"), check=False)
    data.groups = np.array([Path(name).stem.split("_")[0] for name in data.filenames])
    return data


DATA_SET = DataSet(
    "weizmann",
    load_weizmann,
    "weizmann",
    "<action>/<person>_<action>.avi",
    "the page 'Actions as Space-Time Shapes' of the Weizmann Institute",
    counts=(90, 10),
)
