import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from crosslabel.core.discriminant import discriminant
from crosslabel.core.gpu.closed_form import ClassRows
from crosslabel.core.gpu.discriminant import within_class
from crosslabel.core.moments import Moments
from tests.core.problems import samples


@pytest.mark.parametrize("n_features", [4, 50])
@pytest.mark.parametrize("own_variances", [False, True])
def test_it_is_that_of_the_statistics(n_features, own_variances):
    counts = (3, 12, 1, 9)
    X, y = samples(np.random.default_rng(0), counts, n_features)
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    rows = ClassRows.of(torch.as_tensor(X), torch.as_tensor(weights), counts)
    expected = discriminant(Moments.from_samples(X, y, 4, weights), 0.3, own_variances)
    found = within_class(rows, own_variances).discriminant(0.3)
    assert_allclose(found.weights.numpy(), expected.weights, atol=1e-10)
    assert_allclose(found.offsets.numpy(), expected.offsets, atol=1e-10)


def test_the_formula():
    counts = (5, 7)
    X, y = samples(np.random.default_rng(0), counts, 3)
    means = np.array([X[y == c].mean(axis=0) for c in range(2)])
    spread = X - means[y]
    W = spread.T @ spread / 12
    W += 0.2 * np.trace(W) / 3 * np.eye(3)
    rows = ClassRows.of(torch.as_tensor(X), torch.ones(12, dtype=torch.float64), counts)
    found = within_class(rows).discriminant(0.2)
    assert_allclose(found.weights.numpy(), means @ np.linalg.inv(W))
    assert_allclose(found.offsets.numpy(), -0.5 * np.sum(means @ np.linalg.inv(W) * means, axis=1))


def test_samples_that_do_not_vary_leave_the_nearest_mean():
    X = torch.as_tensor(np.repeat(np.eye(3), 2, axis=0))
    rows = ClassRows.of(X, torch.ones(6, dtype=torch.float64), (2, 2, 2))
    found = within_class(rows, own_variances=True).discriminant(1.0)
    assert_allclose(found.weights.numpy(), np.eye(3))
    assert_allclose(found.offsets.numpy(), np.full(3, -0.5))
