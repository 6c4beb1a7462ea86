"""Eigenvectors and polar factors of many small matrices at once, by Jacobi's rotations.

Torch has a kernel for stacks of matrices of up to 32 rows; larger ones it takes one by one.
"""

from __future__ import annotations

import torch
from torch import Tensor

from crosslabel.core.gpu.jacobi_kernel import orthogonal_rows


def eigh(grams: Tensor) -> tuple[Tensor, Tensor]:
    """As `torch.linalg.eigh`, of positive semi-definite matrices.

    Parameters
    ----------
    grams : Tensor of shape (n, size, size)
        In float64.
    """
    rows, rotations = orthogonal_rows(grams)
    values, order = rows.norm(dim=2).sort(dim=1)
    vectors = torch.take_along_dim(rotations, order[..., None], 1)
    return values, vectors.swapaxes(1, 2)


def polar(products: Tensor, needed: Tensor) -> Tensor:
    """UVᵀ of each C = USVᵀ of a stack: R with orthonormal columns, as far as they are needed.

    Parameters
    ----------
    products : Tensor of shape (n, n_rows, n_columns)
        In float64, with no more columns than rows.
    needed : Tensor of int of shape (n,)
        Where C has a lower rank than this, directions of value zero are filled up.
    """
    rows, rotations = orthogonal_rows(products.swapaxes(1, 2))
    values, order = rows.norm(dim=2).sort(dim=1, descending=True)
    rows, rotations = (torch.take_along_dim(v, order[..., None], 1) for v in (rows, rotations))
    real = (values > rows.shape[1] * torch.finfo(rows.dtype).eps * values[:, :1])[..., None]
    left = torch.where(real, rows / torch.where(real, values[..., None], 1), 0)
    if bool((real.sum(dim=(1, 2)) < needed).any()):
        left = torch.where(real, left, _complement(left)[:, : rows.shape[1]])
    return left.swapaxes(1, 2) @ rotations


def _complement(rows: Tensor) -> Tensor:
    """Orthonormal rows orthogonal to the given ones, after as many rows of zeros as these are."""
    eye = torch.eye(rows.shape[2], dtype=rows.dtype, device=rows.device)
    found, _ = orthogonal_rows(eye - rows.swapaxes(1, 2) @ rows)
    lengths, order = found.norm(dim=2).sort(dim=1)
    found = torch.take_along_dim(found, order[..., None], 1)
    return torch.where(lengths[..., None] > 0.5, found / lengths[..., None], 0)
