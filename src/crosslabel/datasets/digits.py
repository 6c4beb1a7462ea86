"""Handwritten digits that come with scikit-learn: always here."""

from __future__ import annotations

import numpy as np
import sklearn.datasets
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.root import Root


def load_digits(root: Root = None) -> Bunch:
    """The 1797 digits of 8×8 that come with scikit-learn.

    Parameters
    ----------
    root : ignored

    Returns
    -------
    Bunch
        `images` (float, in [0, 1]), `target`, `target_names` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_digits
    >>> load_digits().images.shape
    (1797, 8, 8)
    """
    digits = sklearn.datasets.load_digits()
    return Bunch(
        images=(digits.images / 16).astype(np.float32),
        target=digits.target,
        target_names=digits.target_names.astype(str),
        DESCR=digits.DESCR,
    )


DATA_SET = DataSet(
    "digits",
    load_digits,
    "",
    "nothing: it comes with scikit-learn",
    "scikit-learn",
    counts=(1797, 10),
)
