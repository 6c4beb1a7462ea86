"""What each parameter of the flagship may be, in the form in which scikit-learn checks it."""

from __future__ import annotations

from numbers import Integral, Real
from pathlib import Path

from sklearn.utils._param_validation import Interval, StrOptions

from crosslabel.core.rules import RULES
from crosslabel.flagship.predictor import JOINT
from crosslabel.flagship.problem import AUTO
from crosslabel.flagship.solvers import SOLVERS
from crosslabel.flagship.start import STARTS
from crosslabel.intake.lift import KERNELS

Constraints = dict[str, list[object]]

CLASSIFIER: Constraints = {
    "atoms_per_class": [AUTO, Interval(Integral, 1, None, closed="left"), "array-like"],
    "shared_atoms": [Interval(Integral, 0, None, closed="left")],
    "ridge": [AUTO, Interval(Real, 0, None, closed="left")],
    "suppression": [Interval(Real, 0, None, closed="both")],
    "grouping": [Interval(Real, 0, None, closed="left")],
    "rule": [StrOptions({"auto", JOINT, *RULES})],
    "scale": [StrOptions({"auto", "unit", "standard", "none"})],
    "offset": [AUTO, Interval(Real, 0, None, closed="left")],
    "kernel": [StrOptions({"auto", "linear", *KERNELS}), callable],
    "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "shrinkage": [AUTO, Interval(Real, 0, None, closed="neither")],
    "init": [StrOptions(set(STARTS)), callable, "array-like"],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "solver": [StrOptions(set(SOLVERS))],
    "warm_start": ["boolean"],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "keep_summary": ["boolean"],
    "warm_iter": [Interval(Integral, 0, None, closed="left")],
    "kept_samples": [Interval(Integral, 1, None, closed="left")],
    "memory_limit": [Interval(Integral, 1, None, closed="left")],
    "checkpoint": [str, Path, None],
    "device": [str, None],
}

CROSS_VALIDATED: Constraints = {
    "atoms_per_class": ["array-like"],
    "ridges": ["array-like"],
    "suppressions": ["array-like"],
    "groupings": ["array-like"],
    "rules": [StrOptions({"auto"}), "array-like"],
    "shrinkages": ["array-like"],
    "cv": ["cv_object"],
    "init": [StrOptions(set(STARTS)), callable],
    **{
        name: CLASSIFIER[name]
        for name in (
            *("shared_atoms", "class_weight", "scale", "max_iter", "tol"),
            *("random_state", "verbose", "device"),
        )
    },
}
