"""Whether a model that comes from a file can have been learnt, and what using it would take.

A rule is prepared when it is first asked. What that takes follows from the layout of the atoms, and
is counted here beforehand: classes are padded to the size of the largest, so that a small file can
ask for a lot.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import RULES
from crosslabel.files.budget import budget
from crosslabel.files.forms import SQUARABLE, Axes, Field, Labels
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.intake.lift import KERNELS, Lift
from crosslabel.intake.plausible import check_scatters
from crosslabel.intake.summary import Summary

UNIT = 1 + 1e-3
"""Norm that an atom may have: one, and the rounding of its type."""

BYTES_PER_VALUE, WORK_PER_VALUE = 128.0, 1e5
"""What preparing may take for each value of a dictionary, beside the budget."""


def check_fitted(fitted: Fitted, n_features: int) -> None:
    """Refuse a model whose parts do not fit together, or whose use would take too much.

    Parameters
    ----------
    fitted : Fitted
    n_features : int
        Of the queries.

    Raises
    ------
    ValueError
    """
    axes: Axes = {"given": n_features}
    Labels("classes").check("classes", fitted.classes, axes)
    if not isinstance(fitted, Fitted) or not fitted.views:
        raise ValueError("it has no views")
    for view in fitted.views:
        _check_view(view, {"classes": axes["classes"], "given": n_features})
    # Views may share one array of the file: it pays for one of them.
    sizes = {id(view.dictionary): view.dictionary.size for view in fitted.views}
    values = float(sum(sizes.values()))
    what = f"Preparing {len(fitted.views)} views of {axes['classes']} classes"
    needed = sum(_preparing_bytes(view) for view in fitted.views)
    budget().check("bytes", needed - BYTES_PER_VALUE * values, what)
    work = sum(_preparing_work(view) for view in fitted.views)
    budget().check_work(work - WORK_PER_VALUE * values, what)


def _check_view(view: View, axes: Axes) -> None:
    D = view.dictionary
    Field(("atoms", "lifted"), "f", low=-UNIT, high=UNIT).check("dictionary", D, axes)
    if np.einsum("ij,ij->i", D, D, dtype=np.float64).max(initial=0.0) > UNIT**2:
        raise ValueError("its atoms have no unit norm")
    layout_sizes = (view.layout.shared, *view.layout.per_class)
    if sum(layout_sizes) != len(D) or view.rule not in RULES:
        raise ValueError("its layout or its rule does not fit its dictionary")
    for name in ("ridge", "share", "discriminant_share"):
        value = getattr(view, name)
        if not math.isfinite(value) or (name == "ridge" and value < 0):
            raise ValueError(f"its {name} is {value}")
    _check_lift(view.lift, axes)
    if view.discriminant is not None:
        bounded = {"low": -SQUARABLE, "high": SQUARABLE}
        weights = Field(("classes", "lifted"), "f", **bounded)  # type: ignore[arg-type]
        weights.check("discriminant", view.discriminant.weights, axes)
        Field(("classes",), "f", **bounded).check("offsets", view.discriminant.offsets, axes)  # type: ignore[arg-type]


def _check_lift(lift: Lift, axes: Axes) -> None:
    """From features as given, by way of an offset and a kernel, to those of the dictionary."""
    if (lift.center is None) != (lift.spread is None):
        raise ValueError("its lift has a centre or a spread alone")
    if lift.center is not None:
        Field(("given",), "f", low=-SQUARABLE, high=SQUARABLE).check("center", lift.center, axes)
        Field(("given",), "f", low=1e-300, high=SQUARABLE).check("spread", lift.spread, axes)
    if not math.isfinite(lift.offset):
        raise ValueError(f"its offset is {lift.offset}")
    width = axes["given"] + (1 if lift.offset else 0)
    kernel = lift.kernel
    if kernel is None:
        if width != axes["lifted"]:
            raise ValueError(f"its dictionary has {axes['lifted']} features instead of {width}")
        return
    if kernel.kernel not in KERNELS or not (math.isfinite(kernel.gamma) and kernel.gamma >= 0):
        raise ValueError(f"there is no kernel {kernel.kernel!r:.40}")
    landmarks = Field(("landmarks", "kernel width"), "f", low=-SQUARABLE, high=SQUARABLE)
    landmarks.check("landmarks", kernel.landmarks, axes)
    Field(("landmarks", "lifted"), "f", low=-SQUARABLE, high=SQUARABLE).check(
        "basis", kernel.basis, axes
    )
    if kernel.kernel != "precomputed" and axes["kernel width"] != width:
        raise ValueError(f"its landmarks have {axes['kernel width']} features instead of {width}")


def _sides(view: View) -> tuple[float, float, float, float, float]:
    """Shared atoms, classes, atoms of the largest, features, and the side of the Gram matrix."""
    layout: AtomLayout = view.layout
    n_atoms, n_features = view.dictionary.shape
    side = min(n_atoms, n_features) if view.ridge > 0 else n_atoms
    largest = max(layout.per_class, default=0)
    n_shared, n_classes = float(layout.shared), float(layout.n_classes)
    return n_shared, n_classes, float(largest), float(n_features), float(side)


def _preparing_bytes(view: View) -> float:
    """Of the rules, which hold several copies of the padded atoms and products of atoms."""
    shared, classes, largest, features, side = _sides(view)
    rows = shared + classes * largest
    products = 3 * rows * shared + 2 * classes * largest**2 + classes * shared**2 + 3 * side**2
    return 8 * (8 * rows * features + products)


def _preparing_work(view: View) -> float:
    shared, classes, largest, features, side = _sides(view)
    rows = shared + classes * largest
    return classes * (shared + largest) ** 3 + side**3 + 2 * rows * features * (shared + largest)


def check_summary(summary: Summary) -> None:
    """Refuse a summary that no samples have; its statistics were read with their own checks.

    Parameters
    ----------
    summary : Summary

    Raises
    ------
    ValueError
    """
    statistics, sample = summary.statistics, summary.sample
    axes: Axes = {"classes": len(statistics.classes), "features": statistics.n_features}
    check_scatters(statistics.moments, statistics.normalized)
    rules: dict[str, tuple[Field, NDArray[np.generic]]] = {
        "X": (Field(("kept", "features"), "f", low=-SQUARABLE, high=SQUARABLE), sample.X),
        "labels": (Field(("kept",), "iu", low=0, high="classes"), sample.labels),
        "weights": (Field(("kept",), "f", low=0, high=SQUARABLE), sample.weights),
        "hashes": (Field(("kept",), "u", low=0, high=2.0**64), sample.hashes),
        "limits": (Field(("classes",), "u", low=0, high=2.0**64), sample.limits),
        "keys": (Field(("classes",), "u", low=0, high=2.0**64), summary.keys),
    }
    for name, (rule, value) in rules.items():
        rule.check(name, value, axes)
    Labels("declared").check("declared", summary.declared, axes)
