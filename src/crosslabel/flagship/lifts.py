"""Lifts that are worth a try for some samples, and the one that a user names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array, row_norms
from crosslabel.flagship.wish import Wish
from crosslabel.intake.lift import KernelMap, Lift, standard

COMPARABLE = 2.0
"""Features that must rule the raw norms for these to mean something."""


def is_comparable(X: Array) -> bool:
    """Whether raw features can be compared: norms are ruled by at least two of them.

    With second moments v, (Σv)²/Σv² counts the features that make up the norm. A table of unlike
    units, where one large column is all that a norm sees, must be standardised.
    """
    # Divided by the peak first, so that no square overflows.
    peak = np.abs(X).max(initial=0.0)
    moments = np.mean((X / (peak or 1.0)) ** 2, axis=0)
    return bool(moments.sum() ** 2 >= COMPARABLE * np.sum(moments**2))


def lifts(X: Array, weights: NDArray[np.float64], wish: Wish) -> dict[str, Lift]:
    """All lifts that are worth a try for these samples, linear ones first.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    wish : Wish
        With a rule that is named, the lift is too.

    Returns
    -------
    dict of Lift
        By name.
    """
    is_open = wish.rule == "auto" and wish.scale == "auto"
    if not is_open:
        return {"named": lift_named(X, weights, wish)}
    raw, found = is_comparable(X), dict[str, Lift]()
    offset = None if wish.offset == "auto" else float(wish.offset)
    if raw and not offset:
        found["unit"] = Lift()
    if raw and offset != 0:
        norm = float(np.sqrt(np.mean(row_norms(X) ** 2))) or 1.0
        found["unit, offset"] = Lift(offset=offset or norm)
    center, spread = standard(X, weights)
    varying = int(np.count_nonzero(X.max(axis=0) > X.min(axis=0))) or 1
    usual = float(np.sqrt(varying)) if offset is None else offset
    found["standard, offset"] = Lift(center, spread, usual)
    straight = dict(found)
    if wish.kernel == "linear":
        return found
    if wish.kernel != "auto":
        return {name: with_kernel(lift, X, wish) for name, lift in straight.items()}
    if raw:
        found["rbf, unit"] = with_kernel(Lift(), X, wish)
    found["rbf, standard"] = with_kernel(Lift(center, spread, unit=False), X, wish)
    return found


def lift_named(X: Array, weights: NDArray[np.float64], wish: Wish) -> Lift:
    """The lift that a user names; unit norm where they say nothing."""
    offset = 0.0 if wish.offset == "auto" else float(wish.offset)
    lift = Lift(offset=offset, unit=wish.scale != "none")
    if wish.scale == "standard":
        center, spread = standard(X, weights)
        lift = Lift(center, spread, offset)
        if wish.offset == "auto":
            lift = replace(lift, offset=float(np.sqrt(X.shape[1])))
    if wish.kernel in ("auto", "linear"):
        return lift
    return with_kernel(lift, X, wish)


def with_kernel(lift: Lift, X: Array, wish: Wish) -> Lift:
    """The lift, and then the coordinates of a kernel at these samples or at some of them."""
    kernel = "rbf" if wish.kernel == "auto" else wish.kernel
    if kernel == "precomputed":
        lift = Lift(unit=False)
    rows = lift(X)
    landmarks = rows if wish.n_landmarks is None else rows[: wish.n_landmarks]
    variance = float(rows.var(axis=0).sum())
    gamma = 1 / variance if variance > 0 else 1.0
    return replace(lift, kernel=KernelMap.fit(kernel, landmarks, gamma))


def default_lift(X: Array, wish: Wish) -> Lift:
    """The lift of a stream, fixed with its first samples."""
    ones = np.ones(len(X))
    if wish.scale == "auto" and wish.rule == "auto" and len(X) > 1 and not is_comparable(X):
        center, spread = standard(X, ones)
        offset = float(np.sqrt(X.shape[1])) if wish.offset == "auto" else float(wish.offset)
        lift = Lift(center, spread, offset)
        return lift if wish.kernel in ("auto", "linear") else with_kernel(lift, X, wish)
    if len(X) == 0 and (wish.scale == "standard" or wish.kernel not in ("auto", "linear")):
        raise ValueError(
            "The first batch has no samples from which scale='standard' or a kernel could be "
            "fixed. Begin with a batch of samples."
        )
    return lift_named(X, ones, wish)
