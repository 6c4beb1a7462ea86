"""l1 codes of many queries at once by accelerated proximal gradient steps: products only."""

from __future__ import annotations

import torch
from torch import Tensor

LOOK = 20
"""Steps between two looks at the optimality conditions: each look waits for the device."""


def lasso(
    gram: Tensor, correlations: Tensor, penalty: float, *, tol: float = 1e-5, max_iter: int = 5000
) -> Tensor:
    """min over x of ‖y − xD‖² + λ‖x‖₁ for each row y, from G = DDᵀ and C = yDᵀ.

    FISTA with the restart of O'Donoghue and Candès: where a step turns against the last one,
    momentum begins anew.

    Parameters
    ----------
    gram : Tensor of shape (n_atoms, n_atoms)
    correlations : Tensor of shape (n_queries, n_atoms)
    penalty : float
        λ > 0.
    tol : float, default=1e-5
        Stop when no query violates its optimality conditions by more than this part of its own
        largest correlation.
    max_iter : int, default=5000

    Returns
    -------
    Tensor of shape (n_queries, n_atoms)
    """
    step = 1 / torch.linalg.matrix_norm(gram, 2).clamp(min=torch.finfo(gram.dtype).tiny)
    threshold, scale = penalty / 2, correlations.abs().amax(dim=1).clamp(min=penalty)
    x = torch.zeros_like(correlations)
    point, momentum = x, torch.ones_like(scale)
    for iteration in range(max_iter):
        gradient = point @ gram - correlations
        new = _shrunk(point - step * gradient, step * threshold)
        turned = ((point - new) * (new - x)).sum(dim=1) > 0
        momentum = torch.where(turned, 1.0, momentum)
        following = (1 + (1 + 4 * momentum**2).sqrt()) / 2
        point = new + ((momentum - 1) / following)[:, None] * (new - x)
        x, momentum = new, following
        if iteration % LOOK == LOOK - 1:
            violation = _violation(x, x @ gram - correlations, threshold)
            if bool((violation <= tol * scale).all()):
                break
    return x


def _shrunk(x: Tensor, threshold: Tensor) -> Tensor:
    return x.sign() * (x.abs() - threshold).clamp(min=0)


def _violation(x: Tensor, gradient: Tensor, threshold: float) -> Tensor:
    """Distance of −gradient from the subdifferential of threshold·‖x‖₁, for each query."""
    used = (gradient + threshold * x.sign()).abs()
    unused = (gradient.abs() - threshold).clamp(min=0)
    return torch.where(x != 0, used, unused).amax(dim=1)
