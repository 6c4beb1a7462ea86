"""Lifts that are worth a try for some samples, the one that a user names, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeGuard

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, from_device, namespace, norms
from crosslabel.core.manifolds import MANIFOLDS
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.flagship.problem import Wish
from crosslabel.intake.lift import KernelMap, Lift, kernel_values, standard

RAW = frozenset({"precomputed", *MANIFOLDS})
"""Kernels of rows as they are: values that are reckoned already, points of a manifold."""

COMPARABLE = 2.0
"""Features that must rule the raw norms for these to mean something."""

Inner = Callable[[Labels, Labels], ArrayOrTensor]
"""From two lists of samples to their inner products, which are the caller's to overwrite."""

NARROW = 100
"""Features up to which standardised ones are tried as they are, each a quantity of its own."""


def is_comparable(X: ArrayOrTensor) -> bool:
    """Whether raw features can be compared: norms are ruled by at least two of them.

    With second moments v, (Σv)²/Σv² counts the features that make up the norm. A table of unlike
    units, where one large column is all that a norm sees, must be standardised.
    """
    # Divided by the peak first, so that no square overflows.
    xp = namespace(X)
    peak = float(xp.abs(X).max()) if len(X) else 0.0
    moments = xp.mean((X / (peak or 1.0)) ** 2, axis=0)
    return bool(moments.sum() ** 2 >= COMPARABLE * (moments**2).sum())


class LiftPlan(NamedTuple):
    """A lift that is tried: its kernel is evaluated, but not yet decomposed.

    Attributes
    ----------
    lift : Lift
        Without the kernel.
    kernel : str, callable or None
    gamma : float
    """

    lift: Lift
    kernel: str | Callable[[Array, Array], Array] | None = None
    gamma: float = 1.0

    def values(self, some: ArrayOrTensor, others: ArrayOrTensor) -> ArrayOrTensor:
        """Kernel values of lifted rows."""
        assert self.kernel is not None
        return kernel_values(self.kernel, self.gamma, some, others)

    def settled(self, X: ArrayOrTensor, n_landmarks: int | None) -> Lift:
        """The lift itself, with a kernel's coordinates at these samples or at some of them."""
        if self.kernel is None:
            return self.lift
        rows = self.lift(X)
        if n_landmarks is not None and n_landmarks < len(rows):
            # Apart from one another: of rows that come class by class, some of every class.
            rows = rows[np.arange(n_landmarks) * len(rows) // n_landmarks]
        return replace(self.lift, kernel=KernelMap.fit(self.kernel, rows, self.gamma))


def lifts(X: ArrayOrTensor, weights: ArrayOrTensor, wish: Wish) -> dict[str, LiftPlan]:
    """All lifts that are worth a try for these samples, linear ones first.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    wish : Wish
        With a rule that is named, the lift is too.

    Returns
    -------
    dict of LiftPlan
        By name.
    """
    # A dictionary that is given has the features of the samples.
    given = not isinstance(wish.settings.init, str)
    named = wish.rule != "auto" or wish.scale != "auto" or _is_raw(wish.kernel)
    if named or given:
        return {"named": lift_named(X, weights, wish)}
    straight = _linear_lifts(X, weights, wish)
    plans = {name: LiftPlan(lift) for name, lift in straight.items()}
    if wish.kernel == "linear":
        return plans
    if wish.kernel != "auto":
        return {name: _with_kernel(lift, X, wish.kernel) for name, lift in straight.items()}
    if "unit" in straight:
        plans["rbf, unit"] = _with_kernel(straight["unit"], X, "rbf")
    bare = replace(straight["standard, offset"], offset=0.0, unit=False)
    plans["rbf, standard"] = _with_kernel(bare, X, "rbf")
    return plans


def _linear_lifts(X: ArrayOrTensor, weights: ArrayOrTensor, wish: Wish) -> dict[str, Lift]:
    """Unit norm, with an offset, and standardised; raw norms only where they mean something.

    Of a table's few features each is a quantity of its own: they are tried without unit norm too.
    """
    found, raw = dict[str, Lift](), is_comparable(X)
    offset = None if isinstance(wish.offset, str) else float(wish.offset)
    if raw and not offset:
        found["unit"] = Lift()
    if raw and offset != 0:
        lengths = from_device(norms(X))
        # Divided first: the square of a norm may leave the range where the norm does not.
        largest = float(lengths.max(initial=0.0)) or 1.0
        norm = largest * float(np.sqrt(np.mean((lengths / largest) ** 2))) or 1.0
        found["unit, offset"] = Lift(offset=offset or norm)
    center, spread = standard(X, weights)
    xp = namespace(X)
    varying = int((xp.amax(X, axis=0) > xp.amin(X, axis=0)).sum()) or 1
    usual = float(np.sqrt(varying)) if offset is None else offset
    found["standard, offset"] = Lift(center, spread, usual)
    if X.shape[1] <= NARROW:
        found["standard"] = Lift(center, spread, usual, unit=False)
    return found


def lift_named(X: ArrayOrTensor, weights: ArrayOrTensor, wish: Wish) -> LiftPlan:
    """The lift that a user names; unit norm where they say nothing."""
    offset = 0.0 if isinstance(wish.offset, str) else float(wish.offset)
    lift = Lift(offset=offset, unit=wish.scale != "none")
    if wish.scale == "standard":
        center, spread = standard(X, weights)
        usual = float(np.sqrt(X.shape[1])) if wish.offset == "auto" else offset
        lift = Lift(center, spread, usual)
    if wish.kernel in ("auto", "linear"):
        return LiftPlan(lift)
    return _with_kernel(lift, X, wish.kernel)


def _with_kernel(
    lift: Lift, X: ArrayOrTensor, kernel: str | Callable[[Array, Array], Array]
) -> LiftPlan:
    """A kernel of lifted rows, with the γ that scikit-learn's SVC calls "scale"."""
    if _is_raw(kernel):
        gamma = MANIFOLDS[kernel].gamma(X) if kernel in MANIFOLDS else 1.0
        return LiftPlan(Lift(unit=False), kernel, gamma)
    rows = lift(X)
    variance = float(((rows - rows.mean(axis=0)) ** 2).mean(axis=0).sum())
    # Of a variance below the range of numbers the inverse would be infinite.
    return LiftPlan(lift, kernel, 1 / variance if variance > 1e-300 else 1.0)


def _is_raw(kernel: str | Callable[[Array, Array], Array]) -> TypeGuard[str]:
    return isinstance(kernel, str) and kernel in RAW


def default_lift(X: Array, wish: Wish) -> Lift:
    """The lift of a stream, fixed with its first samples."""
    if len(X) == 0 and (wish.scale == "standard" or wish.kernel not in ("auto", "linear")):
        raise ValueError(
            "The first batch has no samples from which scale='standard' or a kernel could be "
            "fixed. Begin with a batch of samples."
        )
    is_open = wish.scale == "auto" and wish.rule == "auto" and isinstance(wish.settings.init, str)
    if is_open and len(X) > 1 and not is_comparable(X):
        wish = replace(wish, scale="standard")
    return lift_named(X, np.ones(len(X)), wish).settled(X, wish.n_landmarks)


def carried(plan: LiftPlan, rows: ArrayOrTensor, source: LiftPlan, inner: Inner) -> Inner | None:
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
        return gaussian(inner, norms(rows), plan.gamma)  # of a row of zeros it is zero
    if plan.kernel == "rbf" and not lift.unit and not lift.offset:
        squares = norms(rows) ** 2 + other.offset**2
        return gaussian(inner, namespace(rows).sqrt(squares), plan.gamma)
    return None


def with_offset(plain: Inner, rows: ArrayOrTensor) -> Inner:
    """Products of unit rows with an offset, from those of unit rows without one.

    Parameters
    ----------
    plain : callable
    rows : ndarray of shape (n_samples, n_features + 1)
        With the offset; their last coordinates are what it has become.
    """
    lengths, offsets = norms(rows[:, :-1]), rows[:, -1]

    def inner(some: Labels, others: Labels) -> ArrayOrTensor:
        found = plain(some, others)
        found *= lengths[some][:, None]
        found *= lengths[others]
        found += offsets[some][:, None] * offsets[others]
        return found

    return inner


def gaussian(unit: Inner, lengths: ArrayOrTensor, gamma: float) -> Inner:
    """exp(−γ‖z − z'‖²) of rows z of these norms, from the products of the same at unit norm.

    A coordinate that all rows share does not count: the norms may be with an offset, the rows
    without.
    """
    xp, squares = namespace(lengths), lengths**2

    def inner(some: Labels, others: Labels) -> ArrayOrTensor:
        found = unit(some, others)
        found *= (-2 * lengths[some])[:, None]
        found *= lengths[others]
        found += squares[some][:, None]
        found += squares[others]
        xp.clip(found, 0, None, out=found)
        found *= -gamma
        return xp.exp(found, out=found)

    return inner
