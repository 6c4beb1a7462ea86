"""Fashion-MNIST: pictures of clothes, in the form of MNIST."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.idx import idx_sources, load_idx
from crosslabel.datasets.root import Root, find

FASHION = (
    *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
    *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
)


def load_fashion_mnist(root: Root = None) -> Bunch:
    """Fashion-MNIST (Xiao, Rasul and Vollgraf, 2017), in the same form as MNIST.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `fashion_mnist/train-images-idx3-ubyte` … (or `.gz`) lie in it.

    Returns
    -------
    Bunch
        As of `load_mnist`.

    Examples
    --------
    >>> from crosslabel.datasets import load_fashion_mnist
    >>> data = load_fashion_mnist()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    folder = find("fashion_mnist", root, "fashion_mnist", "FashionMNIST/raw")
    return load_idx("fashion_mnist", folder, np.array(FASHION))


DATA_SET = DataSet(
    "fashion_mnist",
    load_fashion_mnist,
    "fashion_mnist",
    "train-images-idx3-ubyte(.gz) …",
    "Zalando Research",
    sources=idx_sources(
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
        "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "25c81989df183df01b3e8a0aad5dffbe",
        "bef4ecab320f06d8554ea6380940ec79",
        "bb300cfdad3c16e7a12a480ee83cd310",
    ),
    counts=(70000, 10),
)
