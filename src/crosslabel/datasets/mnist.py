"""MNIST: handwritten digits."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.idx import idx_sources, load_idx
from crosslabel.datasets.root import Root, find


def load_mnist(root: Root = None) -> Bunch:
    """MNIST (LeCun et al., 1998): 60,000 training and 10,000 test images of 28×28.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `mnist/train-images-idx3-ubyte` … (or `.gz`) lie in it.

    Returns
    -------
    Bunch
        `images`, `target`, `target_names`, `train` and `test` (indices) and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_mnist
    >>> data = load_mnist()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    return load_idx("mnist", find("mnist", root, "mnist", "MNIST/raw"), np.arange(10).astype(str))


DATA_SET = DataSet(
    "mnist",
    load_mnist,
    "mnist",
    "train-images-idx3-ubyte(.gz) …",
    "a mirror",
    sources=idx_sources(
        "https://ossci-datasets.s3.amazonaws.com/mnist",
        "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "d53e105ee54ea40749a09fcbcd1e9432",
        "9fb629c4189551a2d022fa330f9573f3",
        "ec29112dd5afa0611ce80d1b7f02629c",
    ),
    counts=(70000, 10),
)
