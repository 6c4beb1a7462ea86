"""`core.joint.temperature` for many scores of the same samples: each step is one for all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from crosslabel.core.backend import beside, on_gpu
from crosslabel.core.joint import DOUBT, FAR, NEAR, ROUNDING, STEPS, TOLERANCE
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array

LIMITS = STEPS, FAR, TOLERANCE
"""Of Newton's steps: how many, how far, and when they end."""

TOGETHER = 2**27
"""Values of scores that are judged together."""


def temperatures(
    scores: Sequence[Tensor], labels: Labels, weights: Array, starts: Sequence[float | None]
) -> Iterator[tuple[float, float]]:
    """The weight of each score, alone, that gives the least log loss, and that loss.

    Parameters
    ----------
    scores : sequence of Tensor of shape (n_samples, n_classes)
    labels : ndarray of int of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
    starts : sequence of float or None
        Where the steps begin, for each score: the weight of one of its kind.
    """
    step = max(1, TOGETHER // max(1, scores[0].numel()))
    for first in range(0, len(scores), step):
        these = slice(first, first + step)
        yield from _judged(torch.stack(tuple(scores[these])), labels, weights, starts[these])


def _judged(
    scores: Tensor, labels: Labels, weights: Array, starts: Sequence[float | None]
) -> Iterator[tuple[float, float]]:
    w, mass, classes, begin = (
        beside(v, scores)
        for v in (
            weights,
            weights * (1 + DOUBT / weights.sum()),
            labels,
            np.array([math.nan if one is None else one for one in starts]),
        )
    )
    centred = scores - scores.mean(dim=2, keepdim=True)
    scales = centred.square().mean(dim=(1, 2)).sqrt()
    says = scales > ROUNDING * scores.abs().amax(dim=(1, 2))
    scales = torch.where(says, scales, 1)
    centred /= scales[:, None, None]
    peak = centred.amax(dim=2)
    own = centred[:, torch.arange(len(classes), device=classes.device), classes]
    # Below the highest of a sample, so that no exponential overflows.
    below, target = centred - peak[..., None], own @ w - peak @ mass
    start = (begin * scales).clip(1 / NEAR, NEAR).nan_to_num(1.0)
    a = (on_gpu("descended", below) or descended)(below, mass, target, start, LIMITS)
    losses = ((a[:, None, None] * below).exp().sum(dim=2).log() - a[:, None] * (own - peak)) @ w
    equal = 1.0, math.log(scores.shape[2])  # the classes are equal, whatever the weight
    found = zip((a / scales).tolist(), (losses / w.sum()).tolist(), says.tolist())
    yield from ((a, loss) if tells else equal for a, loss, tells in found)


def descended(
    below: Tensor, mass: Tensor, target: Tensor, a: Tensor, limits: tuple[int, float, float]
) -> Tensor:
    """The weights at which expected scores come to their target, by Newton's steps.

    Where a step leaves what is known to hold the root, it is halved or doubled instead.

    Parameters
    ----------
    below : Tensor of shape (n, n_samples, n_classes)
        Scores, below the highest of a sample.
    mass : Tensor of shape (n_samples,)
    target, a : Tensor of shape (n,)
        What Σ mass · E[score] must be, and where the steps begin.
    limits : tuple
        As `LIMITS`.
    """
    most, far, tolerance = limits
    squares, low, high = below.square(), torch.zeros_like(a), torch.full_like(a, math.inf)
    done = torch.zeros_like(a, dtype=torch.bool)
    for _ in range(most):
        chances = (a[:, None, None] * below).exp_()
        whole = chances.sum(dim=2)
        expected = (chances * below).sum(dim=2) / whole
        slope = expected @ mass - target
        bend = ((chances * squares).sum(dim=2) / whole - expected.square()) @ mass
        low, high = torch.where(slope > 0, low, a), torch.where(slope > 0, a, high)
        step = a - slope / bend
        other = torch.where(high < math.inf, 0.5 * (low + high), 2 * a)
        near = (slope.abs() < far * bend) & (low < step) & (step < high)
        moved = torch.where(done, a, torch.where(near, step, other))
        done, a = (moved - a).abs() <= tolerance * a.clip(1), moved
        if bool(done.all()):
            break
    return a
