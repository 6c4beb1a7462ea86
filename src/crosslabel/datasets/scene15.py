"""Scene15: 4485 photographs of 15 kinds of scene."""

from __future__ import annotations

from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.folder import load_image_folder
from crosslabel.datasets.root import Root, find


def load_scene15(root: Root = None) -> Bunch:
    """The fifteen scene categories (Lazebnik, Schmid and Ponce, 2006), as paths.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `scene15/<class>/image_0001.jpg` … lie in it.

    Returns
    -------
    Bunch
        `filenames`, `target`, `target_names` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_scene15
    >>> data = load_scene15()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    return load_image_folder(find("scene15", root, "scene15", "15-Scene"), check=False)


DATA_SET = DataSet(
    "scene15",
    load_scene15,
    "scene15",
    "<class>/image_0001.jpg …, fifteen classes",
    "Svetlana Lazebnik's page at the University of Illinois (scene_categories.zip)",
    counts=(4485, 15),
)
