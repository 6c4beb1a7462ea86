"""What a dictionary is learnt from, on a device: `Moments.targets` with the size of each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crosslabel.core.moments import Moments
from crosslabel.core.scaling import Array


class Uploaded(NamedTuple):
    """Rows whose sums are those over all samples.

    Attributes
    ----------
    rows : Tensor of shape (n_rows, n_features)
        √n times the mean of each class, then the factors of their scatters.
    starts : ndarray of int of shape (n_classes + 1,)
        Where the factor of each class begins.
    counts : ndarray of shape (n_classes,)
    """

    rows: Tensor
    starts: NDArray[np.intp]
    counts: Array

    @classmethod
    def of(cls, statistics: Moments, device: torch.device) -> Uploaded:
        """Uploaded class by class, so that the host never holds them all."""
        scale = np.sqrt(statistics.counts)[:, None].astype(statistics.means.dtype)
        parts = [scale * statistics.means, *(scatter.factor() for scatter in statistics.scatters)]
        ends = np.cumsum([len(part) for part in parts])
        dtype = torch.as_tensor(parts[0]).dtype
        rows = torch.empty((int(ends[-1]), statistics.n_features), dtype=dtype, device=device)
        for part, end in zip(parts, ends.tolist()):
            rows[end - len(part) : end] = torch.as_tensor(part)
        return cls(rows, ends, statistics.counts)

    @property
    def energy(self) -> Tensor:
        """‖Y‖², in float64."""
        return self.rows.double().square().sum()
