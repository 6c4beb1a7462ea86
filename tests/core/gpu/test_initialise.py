"""The start on a device is the start of NumPy, from the same random numbers."""

import numpy as np
import pytest
import torch

from crosslabel.core import initialise as plain
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import initialise as gpu
from crosslabel.core.scaling import unit_rows


@pytest.mark.parametrize("shared", [0, 4])
@pytest.mark.parametrize("sizes", [[20] * 5, [20, 9, 14, 3, 30]])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_start_as_on_the_host(sizes, shared, weighted):
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    X = unit_rows(rng.standard_normal((len(labels), 12)) + 3 * rng.standard_normal((5, 12))[labels])
    weights = rng.integers(1, 4, len(labels)).astype(float) if weighted else None
    layout = AtomLayout(shared, tuple(min(6, size) for size in sizes))
    expected, found = (
        make(X, labels, layout, 1e-2, np.random.default_rng(7), weights, **extra)
        for make, extra in (
            (plain.kmeans_start, {}),
            (gpu.kmeans_start, {"device": torch.device("cpu")}),
        )
    )
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_an_empty_cluster_moves_to_the_farthest_sample():
    X = torch.tensor([[[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]]], dtype=torch.float64)
    nearest, distances = torch.tensor([[0, 0, 0]]), torch.tensor([[0.1, 0.2, 9.0]])
    means = gpu._means(X, nearest, distances, torch.ones(1, 3, dtype=torch.float64), 2)
    np.testing.assert_allclose(means[0].numpy(), [[0.05, 0.0], [5.0, 5.0]])
