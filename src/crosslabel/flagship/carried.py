"""Inner products of samples in one lift from those in another: found once for lifts of a kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, row_norms
from crosslabel.flagship.lifts import LiftPlan

Inner = Callable[[Labels, Labels], Array]
"""From two lists of samples to their inner products, which are the caller's to overwrite."""


def carried(plan: LiftPlan, rows: Array, source: LiftPlan, inner: Inner) -> Inner | None:
    """Inner products in a lift from those in another; None where they do not follow.

    Parameters
    ----------
    plan : LiftPlan
    rows : ndarray of shape (n_samples, n_features)
        Samples in this lift, before its kernel.
    source : LiftPlan
    inner : callable
        Products in the other.
    """
    lift, other = plan.lift, source.lift
    if source.kernel is not None or not other.unit or other.center is not lift.center:
        return None
    if plan.kernel is None and lift.unit and lift.offset and not other.offset:
        return with_offset(inner, rows)
    if plan.kernel == "rbf" and lift is other:
        return gaussian(inner, row_norms(rows), plan.gamma)  # of a row of zeros it is zero
    if plan.kernel == "rbf" and not lift.unit and not lift.offset:
        return gaussian(inner, np.hypot(row_norms(rows), other.offset), plan.gamma)
    return None


def with_offset(plain: Inner, rows: Array) -> Inner:
    """Products of unit rows with an offset, from those of unit rows without one.

    Parameters
    ----------
    plain : callable
    rows : ndarray of shape (n_samples, n_features + 1)
        With the offset; their last coordinates are what it has become.
    """
    lengths, offsets = row_norms(rows[:, :-1]), rows[:, -1]

    def inner(some: Labels, others: Labels) -> Array:
        found = plain(some, others)
        found *= lengths[some][:, None]
        found *= lengths[others]
        found += offsets[some][:, None] * offsets[others]
        return found

    return inner


def gaussian(unit: Inner, norms: Array, gamma: float) -> Inner:
    """exp(−γ‖z − z'‖²) of rows z of these norms, from the products of the same at unit norm.

    A coordinate that all rows share does not count: the norms may be with an offset, the rows
    without.
    """
    squares = norms**2

    def inner(some: Labels, others: Labels) -> Array:
        found = unit(some, others)
        found *= (-2 * norms[some])[:, None]
        found *= norms[others]
        found += squares[some][:, None]
        found += squares[others]
        np.maximum(found, 0, out=found)
        found *= -gamma
        return np.exp(found, out=found)

    return inner
