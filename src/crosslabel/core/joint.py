"""Scores of several kinds become one: weights that held-out samples choose by their log loss.

The logits of a class are Σ_j a_j s_j, with s_j a score of the dictionary or of the discriminant
and a_j ≥ 0. The weights hold the temperature too: the softmax of the logits is the probability.
Scores may be tensors: what is found of them, a weight or a loss of each sample, comes home.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, beside, from_device, namespace
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array

DOUBT = 1.0
"""Samples at chance level that are added: without one, weights of faultless scores are infinite."""
TOLERANCE = 1e-5
"""Of a Newton step, over the weights: far below what a fold could tell apart."""
STEPS = 50
FAR = 1e6
"""Of a Newton step: where chances are all but certain, their curvature underflows."""
NEAR = 100.0
"""Of a temperature that steps begin with, over the usual: one further off would take as many."""
ROUNDING = 8 * np.finfo(float).eps
"""Of scores, over the largest: what the mean of equal ones leaves of them."""


def evidence(residuals: ArrayOrTensor, energy: ArrayOrTensor) -> ArrayOrTensor:
    """−log of each class's residual, as the share that it leaves of a query's energy.

    Parameters
    ----------
    residuals : ndarray of shape (n_queries, n_classes)
    energy : ndarray of shape (n_queries,)
        Squared norm of the query.
    """
    xp = namespace(residuals)
    whole = xp.where(energy > 0, energy, 1)[:, None]
    # Bound what one query can say: below this share residuals are rounding.
    return -xp.log(xp.clip(residuals / whole, 1e-9, None))


def spread(scores: ArrayOrTensor) -> float:
    """Root mean square of scores about their mean over the classes of a query; 1 for none."""
    return _centred(scores)[1] or 1.0


def _centred(scores: ArrayOrTensor) -> tuple[ArrayOrTensor, float]:
    """Scores about their mean over the classes, and their root mean square: 0 for rounding."""
    xp, centred = namespace(scores), scores - scores.mean(axis=-1, keepdims=True)
    values = centred.reshape(-1)
    found = math.sqrt(float(values @ values) / len(values)) if len(values) else 0.0
    is_rounding = len(values) == 0 or found <= ROUNDING * float(xp.abs(scores).max())
    return centred, 0.0 if is_rounding else found


def log_losses(logits: ArrayOrTensor, labels: Labels) -> Array:
    """−log of the probability of each sample's own class."""
    return from_device(_partition(logits)[1] - logits[np.arange(len(labels)), labels])


def _partition(logits: ArrayOrTensor) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """Probabilities of the classes, and the log of the sum of exponentials, for each row."""
    xp, peak = namespace(logits), namespace(logits).amax(logits, axis=1)
    chances = logits - peak[:, None]
    xp.exp(chances, out=chances)
    total = chances.sum(axis=1)
    chances /= total[:, None]
    return chances, peak + xp.log(total)


def fit_weights(
    scores: ArrayOrTensor,
    labels: Labels,
    sample_weights: Array,
    *,
    start: Array | None = None,
    pull: float = 0.0,
) -> Array:
    """min over a ≥ 0 of Σ_n w_n ℓ_n(Σ_j a_j s_j) + ½·pull·‖a − start‖².

    ℓ is the log loss, to which `DOUBT` samples at chance level are added. Convex; solved by
    Newton steps on the weights that are free to move.

    Parameters
    ----------
    scores : ndarray of shape (n_kinds, n_samples, n_classes)
        By models that have not seen the samples.
    labels : ndarray of int of shape (n_samples,)
    sample_weights : ndarray of shape (n_samples,)
    start : ndarray of shape (n_kinds,), optional
        Where the steps begin, and what the weights are pulled to; ones over their number if not
        given.
    pull : float, default=0
        How many samples the start is worth, roughly.

    Returns
    -------
    ndarray of shape (n_kinds,)
    """
    n_kinds = len(scores)
    origin = np.full(n_kinds, 1 / n_kinds) if start is None else np.asarray(start, dtype=np.float64)
    centred = scores - scores.mean(axis=2, keepdims=True)
    total = sample_weights.sum()
    mass = beside(sample_weights * (1 + DOUBT / total), scores)
    own = centred[:, np.arange(len(labels)), labels] @ beside(sample_weights, scores)
    own = from_device(own)

    def value(a: Array) -> float:
        whole = float(mass @ _partition(mixed(a, centred))[1])
        return float(whole - a @ own + 0.5 * pull * np.sum((a - origin) ** 2))

    a, height = origin, value(origin)
    for _ in range(STEPS):
        slope, curvature = _derivatives(a, centred, mass)
        slope += pull * (a - origin) - own
        curvature += (pull + 1e-9 * total) * np.eye(n_kinds)
        step = _free_step(a, slope, curvature)
        moved, lower = _descend(a, step, height, value)
        if np.abs(moved - a).max() <= TOLERANCE * max(1.0, np.abs(a).max()):
            return moved
        a, height = moved, lower
    return a


def mixed(a: Array, scores: ArrayOrTensor) -> ArrayOrTensor:
    """Σ_j a_j s_j, with one weight of each kind of score."""
    return namespace(scores).tensordot(beside(a, scores), scores, 1)


def _derivatives(a: Array, centred: ArrayOrTensor, mass: ArrayOrTensor) -> tuple[Array, Array]:
    """First and second derivatives of the sum of log partition functions."""
    chances, _ = _partition(mixed(a, centred))
    weighted = centred * chances
    expected = weighted.sum(axis=2)
    n_kinds = len(centred)
    squares = (weighted * mass[:, None]).reshape(n_kinds, -1) @ centred.reshape(n_kinds, -1).T
    second = squares - (expected * mass) @ expected.T
    return from_device(expected @ mass), from_device(second)


def _free_step(a: Array, slope: Array, curvature: Array) -> Array:
    """Newton's step on the weights that are above zero or would rise."""
    free, step = (a > 0) | (slope < 0), np.zeros_like(a)
    if free.any():
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
    return step


def _descend(
    a: Array, step: Array, height: float, value: Callable[[Array], float]
) -> tuple[Array, float]:
    """Shorten the step until the value falls; stay where none does."""
    for _ in range(30):
        moved = np.maximum(a + step, 0)
        lower = value(moved)
        if lower < height:
            return moved, lower
        step = 0.5 * step
    return a, height


def temperature(
    scores: ArrayOrTensor, labels: Labels, sample_weights: Array, start: float | None = None
) -> tuple[float, float]:
    """The one weight of one kind of score, and its mean held-out log loss.

    `fit_weights` for one kind, without its arrays of arrays: a grid asks for many.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    labels : ndarray of int of shape (n_samples,)
    sample_weights : ndarray of shape (n_samples,)
    start : float, optional
        Where the steps begin: the weight of a score of its kind.
    """
    centred, scale = _centred(scores)
    if scale == 0:  # the classes are equal, whatever the weight
        return 1.0, float(np.log(scores.shape[1]))
    centred /= scale
    xp, total = namespace(scores), sample_weights.sum()
    mass = beside(sample_weights * (1 + DOUBT / total), scores)
    sample_weights = beside(sample_weights, scores)
    # Below the highest of a sample, so that no exponential overflows.
    peak = xp.amax(centred, axis=1)
    target = float(centred[np.arange(len(labels)), labels] @ sample_weights) - float(mass @ peak)
    below = centred - peak[:, None]
    squares, chances = below**2, xp.empty_like(below)
    low, high = 0.0, np.inf
    a = 1.0 if start is None else float(np.clip(start * scale, 1 / NEAR, NEAR))
    for _ in range(STEPS):
        whole = _exponentials(a, below, chances)
        expected = xp.einsum("nc,nc->n", chances, below) / whole
        slope = float(mass @ expected) - target
        low, high = (low, a) if slope > 0 else (a, high)
        bend = float(mass @ (xp.einsum("nc,nc->n", chances, squares) / whole - expected**2))
        step = a - slope / bend if abs(slope) < FAR * bend else np.inf
        # Where Newton leaves what is known to hold the root, or goes far off, halve or double.
        moved = step if low < step < high else (0.5 * (low + high) if high < np.inf else 2 * a)
        done, a = abs(moved - a) <= TOLERANCE * max(1.0, a), moved
        if done:
            break
    own = below[np.arange(len(labels)), labels]
    losses = xp.log(_exponentials(a, below, chances)) - a * own
    return a / scale, float(sample_weights @ losses / total)


def _exponentials(a: float, below: ArrayOrTensor, out: ArrayOrTensor) -> ArrayOrTensor:
    """exp(a·below), into `out`, and its sums over the classes."""
    xp = namespace(below)
    xp.multiply(below, a, out=out)
    xp.exp(out, out=out)
    return out.sum(axis=1)


def shares(losses: Array, rate: float) -> Array:
    """Shares ∝ exp(−rate·loss), that sum to one: what each setting has in the average.

    Parameters
    ----------
    losses : ndarray of shape (n_settings,)
        Sums over the held-out samples, not means: more samples choose more sharply.
    rate : float
    """
    return _partition(-rate * np.asarray(losses, dtype=np.float64)[None])[0][0]
