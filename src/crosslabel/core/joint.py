"""Scores of several kinds become one: weights that held-out samples choose by their log loss.

The logits of a class are Σ_j a_j s_j, with s_j a score of the dictionary or of the discriminant
and a_j ≥ 0. The weights hold the temperature too: the softmax of the logits is the probability.
Scores may be tensors: what is found of them, a weight or a loss of each sample, comes home.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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


def spread(scores: ArrayOrTensor) -> Array:
    """Root mean square of scores about their mean over the classes of a query; 1 for none.

    Parameters
    ----------
    scores : ndarray of shape (..., n_queries, n_classes)

    Returns
    -------
    ndarray of shape (...)
    """
    found = _centred(scores)[1]
    return np.where(found == 0, 1.0, found)


def _centred(scores: ArrayOrTensor) -> tuple[ArrayOrTensor, Array]:
    """Scores about their mean over the classes, and their root mean square: 0 for rounding."""
    xp, centred = namespace(scores), scores - scores.mean(axis=-1, keepdims=True)
    n_values = scores.shape[-2] * scores.shape[-1]
    if n_values == 0:
        return centred, np.zeros(scores.shape[:-2])
    found = xp.sqrt(xp.einsum("...nc,...nc->...", centred, centred) / n_values)
    is_rounding = found <= ROUNDING * xp.amax(xp.abs(scores), (-2, -1))
    return centred, from_device(xp.where(is_rounding, 0.0, found))


def log_losses(logits: ArrayOrTensor, labels: Labels) -> Array:
    """−log of the probability of each sample's own class; logits (..., n_samples, n_classes)."""
    own = logits[..., beside(np.arange(len(labels)), logits), beside(labels, logits)]
    return from_device(_partition(logits)[1] - own)


def _partition(logits: ArrayOrTensor) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """Probabilities of the classes, and the log of the sum of exponentials, for each row."""
    xp, peak = namespace(logits), namespace(logits).amax(logits, axis=-1)
    chances = logits - peak[..., None]
    xp.exp(chances, out=chances)
    total = chances.sum(axis=-1)
    chances /= total[..., None]
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
    scores : ndarray of shape (..., n_kinds, n_samples, n_classes)
        By models that have not seen the samples; of several problems, each is solved for itself.
    labels : ndarray of int of shape (n_samples,)
    sample_weights : ndarray of shape (n_samples,)
    start : ndarray of shape (..., n_kinds), optional
        Where the steps begin, and what the weights are pulled to; ones over their number if not
        given.
    pull : float, default=0
        How many samples the start is worth, roughly.

    Returns
    -------
    ndarray of shape (..., n_kinds)
    """
    shape = scores.shape[:-2]
    if start is None:
        start = np.full(shape, 1 / shape[-1])
    origin: Array = np.asarray(start, dtype=np.float64).reshape(-1, shape[-1])
    at = _loss(scores.reshape(-1, *scores.shape[-3:]), labels, sample_weights, origin, pull)
    a, (height, slope, curvature) = origin, at(origin)
    done = np.zeros(len(a), dtype=bool)
    for _ in range(STEPS):
        step = np.stack([_free_step(*each) for each in zip(a, slope, curvature)])
        step[done] = 0
        near = TOLERANCE * np.maximum(1.0, np.abs(a).max(axis=1))
        is_last = np.abs(step).max(axis=1) <= near
        if is_last.all():
            a = np.maximum(a + step, 0)
            break
        moved, (height, slope, curvature) = _descend(a, step, height, at, is_last)
        done, a = np.abs(moved - a).max(axis=1) <= near, moved
    return a.reshape(shape)


At = tuple[Array, Array, Array]
"""Values of several losses at a point of each, their slopes and their curvatures."""


def _loss(
    scores: ArrayOrTensor, labels: Labels, sample_weights: Array, origin: Array, pull: float
) -> Callable[[Array], At]:
    """What `fit_weights` makes least, of every problem; one transfer brings all that is asked."""
    xp, (n_problems, n_kinds) = namespace(scores), origin.shape
    centred = scores - scores.mean(axis=-1, keepdims=True)
    total, weights = sample_weights.sum(), beside(sample_weights, scores)
    mass = weights * (1 + DOUBT / total)
    places = beside(np.arange(len(labels)), scores), beside(labels, scores)
    own = from_device(centred[:, :, places[0], places[1]] @ weights)
    rows = centred.reshape(n_problems, n_kinds, -1)
    damping = (pull + 1e-9 * total) * np.eye(n_kinds)

    def at(a: Array) -> At:
        chances, logs = _partition(mixed(a, centred))
        weighted = centred * chances[:, None]
        expected = weighted.sum(axis=-1)
        heavy = expected * mass
        squares = (weighted * mass[:, None]).reshape(rows.shape) @ rows.swapaxes(1, 2)
        second = squares - heavy @ expected.swapaxes(1, 2)
        parts = (logs @ mass)[:, None], heavy.sum(axis=-1), second.reshape(n_problems, -1)
        found = from_device(xp.concatenate(parts, axis=1))
        away = a - origin
        height = found[:, 0] - (a * own).sum(axis=1) + 0.5 * pull * (away**2).sum(axis=1)
        slope = found[:, 1 : 1 + n_kinds] + pull * away - own
        return height, slope, found[:, 1 + n_kinds :].reshape(second.shape) + damping

    return at


def mixed(a: Array, scores: ArrayOrTensor) -> ArrayOrTensor:
    """Σ_j a_j s_j, with one weight of each kind of score, of every problem."""
    stack = scores.reshape(*scores.shape[:-2], -1)
    weights = beside(a, scores)[..., None, :]
    return (weights @ stack).reshape(*scores.shape[:-3], *scores.shape[-2:])


def _free_step(a: Array, slope: Array, curvature: Array) -> Array:
    """Newton's step on the weights that are above zero or would rise."""
    free, step = (a > 0) | (slope < 0), np.zeros_like(a)
    if free.any():
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
    return step


def _descend(
    a: Array, step: Array, height: Array, at: Callable[[Array], At], is_last: NDArray[np.bool_]
) -> tuple[Array, At]:
    """Shorten steps until values fall; stay where none does. A last step is taken as it is."""
    share = np.ones((len(a), 1))
    for _ in range(30):
        moved = np.maximum(a + share * step, 0)
        found = at(moved)
        falls = (found[0] < height) | is_last
        if falls.all():
            return moved, found
        share[~falls] *= 0.5
    moved = np.where(falls[:, None], moved, a)
    return moved, at(moved)


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
    centred, spreads = _centred(scores)
    scale = float(spreads)
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
