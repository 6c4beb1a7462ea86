"""The covariance within classes of samples on a device, for `core.discriminant`."""

from __future__ import annotations

import numpy as np
import torch

from crosslabel.core.discriminant import WithinClass
from crosslabel.core.gpu.closed_form import ClassRows


def within_class(samples: ClassRows, own_variances: bool = False) -> WithinClass:
    """What the discriminants of all α have in common.

    Parameters
    ----------
    samples : ClassRows
    own_variances : bool, default=False
        Whether W is shrunk to its diagonal.
    """
    X, weights, counts = samples.X, samples.weights, samples.counts
    n_classes, place = len(counts), X.device
    labels = torch.as_tensor(np.repeat(np.arange(n_classes), counts), device=place)
    masses = weights.new_zeros(n_classes).index_add_(0, labels, weights)
    shares = (weights / masses[labels])[:, None]
    means = shares.new_zeros(n_classes, X.shape[1]).index_add_(0, labels, shares * X.double())
    means = means.to(X.dtype)
    F = (weights / masses.sum()).sqrt()[:, None] * (X.double() - means.double()[labels])
    if len(F) < F.shape[1]:
        return WithinClass.of_scatter(F, F @ F.T, means, own_variances)
    return WithinClass.of_scatter(None, F.T @ F, means, own_variances)
