"""Where the search for l1 codes begins: some steps of ADMM for all signals at once.

Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crosslabel.core.active_set import violation
from crosslabel.core.face_steps import face_steps, many_used
from crosslabel.core.scaling import Array

# Below this share of the largest correlation a penalty leaves many entries non-zero; and so many
# that an inverse pays even for few signals.
DENSE = 0.02
VERY_DENSE = 0.0075
# So few atoms that a step for all signals costs less than one Newton step of each.
FEW_ATOMS = 64
# Atoms for each signal above which the signals are few.
ATOMS_PER_SIGNAL = 12
# Steps of ADMM at most, and between two looks at how many signs still change.
STEPS = 80
LOOK_EVERY = 10
# Share of the entries that change in so many steps below which active sets find the rest faster.
SETTLED = 0.005
# The same where every signal left to active sets costs a factor of most atoms.
WELL_SETTLED = 0.0007
RELAXATION = 1.6


def first_guess(
    gram: Array, b: Array, penalty: float | Array, start: Array | None, allowed: float = 0.0
) -> Array:
    """The start, or some steps of ADMM from it where they pay and it is far off.

    These steps are products with one inverse for all signals: cheaper than finding a hundred atoms
    of each signal a few at a time, and, where all atoms are a handful, than one Newton step.
    Parameters as in `core.lasso.lasso`, and the violation that it allows; the start itself is never
    changed.
    """
    lowest = float(np.min(penalty))
    Z = np.zeros_like(b) if start is None else start.copy()
    if lowest <= 0 or not (len(gram) <= FEW_ATOMS or _pays(gram, b, lowest)):
        return Z
    slope = Z @ gram - b
    # Active sets lead a few signals home that are far off.
    if np.median(violation(Z, slope, penalty).max(axis=1)) <= lowest / 2:
        return Z
    rho = admm_step(gram, lowest)
    inverse = np.linalg.inv(gram + rho * np.eye(len(gram)))
    in_single = inverse.astype(np.float32)

    def solve(R: Array) -> Array:
        return R @ in_single

    Z = admm(solve, b @ inverse, penalty, rho, Z, slope)
    face_steps(gram, b, penalty, Z, lambda R: solve(R.astype(np.float32)), allowed)
    return Z


def _pays(gram: Array, b: Array, lowest: float) -> bool:
    """Whether many of many atoms will be used, by enough signals to share an inverse of these."""
    # Over the curvature, so that atoms which enter twice, as COPAR's, count once.
    curvature = max(float(np.diag(gram).max(initial=0.0)), float(np.finfo(b.dtype).tiny))
    share = DENSE if len(gram) <= ATOMS_PER_SIGNAL * len(b) else VERY_DENSE
    return lowest < share * float(np.abs(b).max(initial=0.0)) / curvature


def admm_step(gram: Array, penalty: float) -> float:
    """ρ of ADMM: √K penalties, or a third of the usual eigenvalue of H where that is more.

    Of K atoms each takes some 1/√K of a signal, and the threshold λ/2ρ should be of that size:
    best were 3 to 10 penalties for 20 faces as atoms and 30 for 1200, whose H is nearly singular.
    With COPAR's ridge in H, whose eigenvalues gather at one, a third of them was best of 0.03, 0.1,
    0.3 and 1.
    """
    sign, logarithm = np.linalg.slogdet(gram)
    usual = float(np.exp(logarithm / len(gram))) if sign > 0 else 0.0
    return max(np.sqrt(len(gram)) * penalty, 0.3 * usual)


def admm(
    solve: Callable[[Array], Array],
    solved: Array,
    penalty: Array | float,
    rho: float,
    Z: Array,
    slope: Array,
) -> Array:
    """Relaxed ADMM from Z, where half the gradient is `slope`, until hardly a sign changes.

    `solve` multiplies rows with (H + ρI)⁻¹, and `solved` is that of the correlations. In single
    precision, which is twice as fast: it is the signs that count, and what is built on them is
    computed anew.
    """
    threshold = np.asarray(np.asarray(penalty) / (2 * rho), np.float32)
    relaxation, kept, scale = (np.float32(x) for x in (RELAXATION, RELAXATION - 1, rho))
    fixed = relaxation * solved.astype(np.float32)
    Z = Z.astype(np.float32)
    U = np.clip(np.asarray(-slope / rho, np.float32), -threshold, threshold)  # as at the optimum
    used = Z != 0
    for step in range(1, STEPS + 1):
        relaxed = solve((relaxation * scale) * (Z - U))
        relaxed += fixed
        relaxed -= kept * Z
        relaxed += U
        np.clip(relaxed, -threshold, threshold, out=U)
        np.subtract(relaxed, U, out=Z)
        if step % LOOK_EVERY == 0:
            before, used = used, Z != 0
            if np.mean(used != before) < (WELL_SETTLED if many_used(used) else SETTLED):
                break
    return Z.astype(np.float64)
