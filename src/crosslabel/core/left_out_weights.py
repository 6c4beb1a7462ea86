"""Weights of several kinds of scores, many times: each time without some of the samples.

What `core.joint.fit_weights` finds for one set of samples, found for many subsets of them at once:
cross-validation reads the scores of each fold with weights from the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.joint import DOUBT, fit_weights
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array

_TOLERANCE = 1e-3
"""Of the last Newton step, over the weights: what is left after it is about its square."""
_NEAR = 0.05
"""The same for the weights of all samples, from which those of the subsets begin."""
_STEPS = 30


def left_out_weights(
    scores: Array, labels: Labels, sample_weights: Array, left_out: NDArray[np.bool_]
) -> Array:
    """min over a ≥ 0 of Σ_n w_n ℓ_n(Σ_j a_j s_j), over the samples that are not left out.

    Newton's steps find the weights of all samples; few more lead from there to those of each
    subset. Where they fail `fit_weights` does it.

    Parameters
    ----------
    scores : ndarray of shape (n_kinds, n_samples, n_classes)
        By models that have not seen the samples; of a spread of about one.
    labels : ndarray of int of shape (n_samples,)
    sample_weights : ndarray of shape (n_samples,)
    left_out : ndarray of bool of shape (n_subsets, n_samples)
        Some samples remain in each subset.

    Returns
    -------
    ndarray of shape (n_subsets, n_kinds)
    """
    centred = scores - scores.mean(axis=2, keepdims=True)
    own = centred[:, np.arange(len(labels)), labels]
    # Classes before samples: sums over few classes are then sums of long rows.
    columns = np.ascontiguousarray(centred.transpose(0, 2, 1))
    whole = _newton(np.zeros((1, len(scores))), columns, own, sample_weights[None], _NEAR)
    begin = np.repeat(whole, len(left_out), axis=0)
    found = _newton(begin, columns, own, np.where(left_out, 0, sample_weights))
    for kind, below in enumerate(_below_zero(found).T):
        if below.any():
            found[below] = 0
            others = np.arange(len(scores)) != kind
            alone = left_out_weights(centred[others], labels, sample_weights, left_out[below])
            found[np.ix_(below, others)] = alone
    for k in np.flatnonzero(~(found >= 0).all(axis=1)):
        kept = ~left_out[k]
        found[k] = fit_weights(centred[:, kept], labels[kept], sample_weights[kept])
    return found


def _below_zero(free: Array) -> NDArray[np.bool_]:
    """Which of two weights is zero with the bound a ≥ 0: the one below zero without it.

    From any other point of the bound the way to the free minimum leads down, through the inside.
    Of more weights that need not be so.
    """
    return (free <= 0) & (free.shape[1] == 2) & (free > 0).any(axis=1, keepdims=True)


def _newton(
    a: Array, columns: Array, own: Array, sample_weights: Array, tolerance: float = _TOLERANCE
) -> Array:
    """Newton's steps for every row of weights; NaN where they do not end.

    Parameters
    ----------
    a : ndarray of shape (n_subsets, n_kinds)
        Where the steps begin.
    columns : ndarray of shape (n_kinds, n_classes, n_samples)
    own : ndarray of shape (n_kinds, n_samples)
        Scores of the samples' own classes.
    sample_weights : ndarray of shape (n_subsets, n_samples)
    tolerance : float, default=_TOLERANCE
        Of the last step, over the weights.
    """
    totals = sample_weights.sum(axis=1, keepdims=True)
    mass, reward = sample_weights * (1 + DOUBT / totals), sample_weights @ own.T
    damping = 1e-9 * totals[:, :, None] * np.eye(len(columns))
    for _ in range(_STEPS):
        slope, curvature = _derivatives(a, columns, mass)
        step = np.linalg.solve(curvature + damping, (slope - reward)[..., None])[..., 0]
        a = a - step
        if np.abs(step).max() <= tolerance * max(1.0, np.abs(a).max()):
            return a
        if not np.isfinite(a).all():
            break
    return np.full_like(a, np.nan)


def _derivatives(a: Array, columns: Array, mass: Array) -> tuple[Array, Array]:
    """First and second derivatives of Σ_n m_n log Σ_c exp(Σ_j a_j s_jcn) for every row of a."""
    if len(a) > 1 and (a == a[0]).all():  # at the first step what differs is the mass alone
        expected, covariances = _moments(a[0], columns)
        return mass @ expected.T, np.tensordot(mass, covariances, (1, 2))
    slopes, curvatures = np.empty_like(a), np.empty((*a.shape, a.shape[1]))
    for k, weights in enumerate(a):
        expected, covariances = _moments(weights, columns)
        slopes[k], curvatures[k] = expected @ mass[k], covariances @ mass[k]
    return slopes, curvatures


def _moments(weights: Array, columns: Array) -> tuple[Array, Array]:
    """Mean and covariance of each sample's scores over its classes, drawn by their chances."""
    logits = np.tensordot(weights, columns, 1)
    logits -= logits.max(axis=0)
    odds = np.exp(logits, out=logits)
    total = odds.sum(axis=0)
    weighted = columns * odds
    expected = weighted.sum(axis=1) / total
    squares = np.einsum("jcn,lcn->jln", weighted, columns) / total
    return expected, squares - expected[:, None] * expected
