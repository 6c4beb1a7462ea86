"""The order of `core.ordering` for samples on a device: the same hashes, from the same bits.

Torch has no arithmetic of unsigned words. Sums and products of signed ones wrap to the same bits;
only shifts and comparisons must be told that there is no sign.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crosslabel.core import ordering
from crosslabel.core.gpu.tensors import FLOATS

_LOWEST = -(2**63)


class KeptRows(NamedTuple):
    """Samples by class and rank, equal ones joined: what a summary keeps, as places in a tensor.

    Attributes
    ----------
    rows : Tensor of int of shape (n_distinct,)
        Which samples stand for all.
    weights : Tensor of shape (n_distinct,)
        How often each occurs.
    counts : list of int
        Of each class.
    hashes : Tensor of shape (n_distinct,)
        Of the samples as they were given, in signed words.
    keys : ndarray of uint64 of shape (n_classes,)
        From which an order of the classes follows that does not depend on their names.
    """

    rows: Tensor
    weights: Tensor
    counts: list[int]
    hashes: Tensor
    keys: np.ndarray


def row_hashes(X: Tensor) -> Tensor:
    """64-bit hash of each row's values, as `core.ordering.row_hashes`, in signed words."""
    assert X.dtype in FLOATS
    whole = X.shape[1] * X.dtype.itemsize % 8 == 0
    values = (X + 0).contiguous()  # turns −0 into 0, which equals it
    words = values.view(torch.int64) if whole else values.view(torch.int32).long() & 0xFFFFFFFF
    factors = ordering.mixed(np.arange(1, words.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    words = words ^ shifted(words, 29)
    words *= torch.as_tensor(factors.view(np.int64), device=X.device)
    return mixed(words.sum(dim=1))


def shifted(words: Tensor, by: int) -> Tensor:
    """Words moved right with zeros coming in."""
    return (words >> by) & (2 ** (64 - by) - 1)


def mixed(hashes: Tensor) -> Tensor:
    """As `core.ordering.mixed`."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes = (hashes ^ shifted(hashes, shift)) * _signed(factor)
    return hashes ^ shifted(hashes, 31)


def _signed(word: int) -> int:
    """The signed word of the same bits."""
    return word - 2**64 if word >= 2**63 else word


def distinct(X: Tensor, labels: Tensor, weights: Tensor, n_classes: int, seed: int) -> KeptRows:
    """Samples in the order of `core.ordering.KeptSample`, which keeps all of them here.

    Parameters
    ----------
    X : Tensor of shape (n_samples, n_features)
    labels : Tensor of int of shape (n_samples,)
    weights : Tensor of shape (n_samples,)
        In float64, positive.
    n_classes : int
    seed : int
    """
    hashes = row_hashes(X)
    seeded = int(ordering.mixed(np.array([seed + 1], np.uint64)).view(np.int64)[0])
    ranks = mixed(hashes ^ seeded) ^ _LOWEST  # signed words in the order of unsigned ones
    order = torch.argsort(ranks, stable=True)
    order = order[torch.argsort(labels[order], stable=True)]
    first = torch.ones_like(order, dtype=torch.bool)
    first[1:] = (hashes[order].diff() != 0) | (labels[order].diff() != 0)
    rows, groups = order[first], first.cumsum(0) - 1
    joined = weights.new_zeros(len(rows)).index_add_(0, groups, weights[order])
    counts = torch.bincount(labels[rows], minlength=n_classes).tolist()
    units = (weights * ordering.UNIT).round().clip(1, 2.0**62).long()
    keys = mixed(hashes ^ _signed(int(ordering.ODD))) * units
    sums = torch.zeros(n_classes, dtype=torch.int64, device=X.device).index_add_(0, labels, keys)
    by_class = np.array(sums.tolist(), np.int64).view(np.uint64)
    return KeptRows(rows, joined, counts, hashes[rows], by_class)
