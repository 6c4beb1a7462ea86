"""Batched FISTA meets the optimality conditions of the lasso and agrees with the host's solver."""

import numpy as np
import torch

from crosslabel.core import lasso as plain
from crosslabel.core.gpu.fista import lasso


def problem():
    rng = np.random.default_rng(0)
    D, Y = rng.standard_normal((20, 40)), rng.standard_normal((15, 40))
    return D @ D.T, Y @ D.T


def test_agrees_with_the_lasso_of_numpy():
    gram, correlations = problem()
    found = lasso(torch.as_tensor(gram), torch.as_tensor(correlations), 4.0, tol=1e-10)
    expected = plain.lasso(gram, correlations, 4.0)  # to its own tolerance
    np.testing.assert_allclose(found.numpy(), expected, atol=2e-4)


def test_optimality_conditions():
    gram, correlations = problem()
    x = lasso(torch.as_tensor(gram), torch.as_tensor(correlations), 4.0, tol=1e-10).numpy()
    slope = 2 * (x @ gram - correlations)
    used = x != 0
    np.testing.assert_allclose(slope[used], -4.0 * np.sign(x[used]), atol=1e-5)
    assert np.all(np.abs(slope[~used]) <= 4.0 + 1e-5)


def test_a_large_penalty_gives_zeros():
    gram, correlations = (torch.as_tensor(part) for part in problem())
    assert not lasso(gram, correlations, 1e6).any()
