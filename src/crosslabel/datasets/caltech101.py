"""Caltech101: 9144 photographs in 102 folders, one of them background."""

from __future__ import annotations

from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet, Download
from crosslabel.datasets.folder import load_image_folder
from crosslabel.datasets.root import Root, find

BACKGROUND = "BACKGROUND_Google"


def load_caltech101(root: Root = None, *, background: bool = True) -> Bunch:
    """Caltech101 (Fei-Fei, Fergus and Perona, 2004), as paths.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `caltech101/<class>/image_0001.jpg` … or `101_ObjectCategories/…` lie
        in it.
    background : bool, default=True
        Count `BACKGROUND_Google` as a class, as the paper and the LC-KSVD files do.

    Returns
    -------
    Bunch
        `filenames`, `target`, `target_names` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_caltech101
    >>> data = load_caltech101()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    folder = find(
        "caltech101",
        root,
        "caltech101/101_ObjectCategories",
        "caltech101/caltech-101/101_ObjectCategories",
        "caltech101",
        "101_ObjectCategories",
    )
    data = load_image_folder(folder, check=False)
    if not background and BACKGROUND in data.target_names:
        number = data.target_names.tolist().index(BACKGROUND)
        keep = data.target != number
        data.filenames = [f for f, kept in zip(data.filenames, keep) if kept]
        data.target = data.target[keep] - (data.target[keep] > number)
        data.target_names = data.target_names[data.target_names != BACKGROUND]
    return data


DATA_SET = DataSet(
    "caltech101",
    load_caltech101,
    "caltech101",
    "<class>/image_0001.jpg … or 101_ObjectCategories/<class>/…",
    "CaltechDATA, record 20086",
    sources=(
        Download(
            "https://data.caltech.edu/records/mzrjq-6wc02/files/caltech-101.zip",
            "md5:3138e1922a9193bfa496528edbbc45d0",
            archive=True,
        ),
    ),
    counts=(9144, 102),
)
