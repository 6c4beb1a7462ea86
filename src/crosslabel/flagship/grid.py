"""The settings among which cross-validation chooses: every combination of what a user lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from crosslabel.core.rules import RULES
from crosslabel.flagship.predictor import JOINT

LOCAL = "local"
"""The rule whose evidence the joint rule adds to the discriminant."""
USUAL_RULES = (LOCAL, "global-length", JOINT)
"""What `rules="auto"` tries."""
Atoms = int | tuple[int, ...]


class Setting(NamedTuple):
    """One point of the grid; names as of `CrossLabelClassifier`."""

    atoms_per_class: Atoms
    suppression: float
    grouping: float
    ridge: float
    rule: str
    shrinkage: float | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The setting for `CrossLabelClassifier`; only the joint rule has a shrinkage."""
        given = self._asdict()
        return given if self.shrinkage is not None else {**given, "shrinkage": "auto"}

    @property
    def by_dictionary(self) -> Setting:
        """The same dictionary with the rule that is scored by it alone."""
        return self._replace(rule=LOCAL if self.rule == JOINT else self.rule, shrinkage=None)


def settings(
    n_classes: int,
    *,
    atoms_per_class: Sequence[int | Sequence[int]],
    suppressions: ArrayLike,
    groupings: ArrayLike,
    ridges: ArrayLike,
    rules: Literal["auto"] | Sequence[str],
    shrinkages: ArrayLike,
) -> list[Setting]:
    """The grid, in the order in which ties are broken: the first of equals wins.

    Raises
    ------
    ValueError
        If there is nothing to try, or a value that cannot be tried.
    """
    atoms = [_atom_counts(entry, n_classes) for entry in atoms_per_class]
    if not atoms:
        raise ValueError("atoms_per_class is empty; give at least one number of atoms.")
    names = _rules(rules)
    lambdas = _numbers("suppressions", suppressions, finite=False)
    gammas, betas = _numbers("groupings", groupings), _numbers("ridges", ridges)
    shrunk = _numbers("shrinkages", shrinkages, above_zero=True) if JOINT in names else []
    none: list[float | None] = [None]
    by_rule = [(name, a) for name in names for a in (shrunk if name == JOINT else none)]
    points = product(atoms, lambdas, gammas, betas, by_rule)
    return [Setting(k, lam, gamma, beta, rule, a) for k, lam, gamma, beta, (rule, a) in points]


def _rules(rules: Literal["auto"] | Sequence[str]) -> list[str]:
    names = list(USUAL_RULES) if isinstance(rules, str) and rules == "auto" else rules
    known = [*RULES, JOINT]
    if isinstance(names, str) or not len(names) or any(name not in known for name in names):
        raise ValueError(f"rules must be 'auto' or a sequence of names of {known}; got {rules!r}.")
    return list(names)


def _numbers(
    name: str, values: ArrayLike, *, finite: bool = True, above_zero: bool = False
) -> list[float]:
    try:
        grid = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        grid = np.zeros(0)
    good = grid.ndim == 1 and grid.size > 0 and not np.isnan(grid).any()
    if not good or grid.min() < 0 or (finite and np.isinf(grid).any()):
        raise ValueError(f"{name} must be a sequence of numbers of zero or more; got {values!r}.")
    if above_zero and grid.min() == 0:
        raise ValueError(f"{name} must be a sequence of numbers above zero; got {values!r}.")
    # JSON reads every infinity as one object: with one here, a model loaded and stored again is
    # the same file.
    return [math.inf if math.isinf(value) else value for value in grid.tolist()]


def _atom_counts(entry: int | Sequence[int], n_classes: int) -> Atoms:
    """A number of atoms, or a tuple of one number per class."""
    counts = np.asarray(entry)
    whole = counts.dtype.kind in "iu" and counts.shape in {(), (n_classes,)}
    if not whole or counts.min() < 1:
        raise ValueError(
            "Each entry of atoms_per_class must be an integer of one or more, or one such integer "
            f"for each of the {n_classes} classes; got {entry!r}."
        )
    return tuple(counts.tolist()) if counts.ndim else int(counts)
