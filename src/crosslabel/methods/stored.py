"""Whether what a file says a method has learnt fits together, and what a query would take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.files.budget import budget
from crosslabel.files.forms import SQUARABLE, Axes, Field, Rule, check_attributes, whole

WORK_PER_VALUE = 1e5
"""Operations that a query may take for each value of a dictionary, beside those of the budget."""

WORK_PER_CLASS = 5e4
"""Operations that a class takes of a query, however few atoms it has."""


def _numbers(*shape: str) -> Field:
    return Field(shape, "f", low=-SQUARABLE, high=SQUARABLE)


LEARNT: dict[str, Rule] = {
    "bases_": _numbers("vectors", "width"),
    "embedding_": _numbers("points", "coordinates"),
    "eigenvalues_": _numbers("coordinates"),
    "_class_order": whole("classes", high="classes"),
}
"""Attributes of the methods, by the axes they share."""

OF_ATOMS: dict[str, Rule] = {
    "dictionary_": _numbers("atoms", "width"),
    "coder_": _numbers("atoms", "width"),
    "projection_": _numbers("atoms", "width"),
    "classifier_": _numbers("atoms", "classes"),
    "transform_": _numbers("atoms", "atoms"),
    "means_": _numbers("classes", "atoms"),
    "_kept": Field(("atoms",), "b"),
    "atom_labels_": whole("atoms", low=-1, high="classes"),
}
"""The same, of methods that learn a dictionary."""


def check_learnt(state: Mapping[str, Any]) -> None:
    """Refuse attributes of a method that do not fit together, or that ask for too much.

    Parameters
    ----------
    state : mapping
        The attributes by name; those that only one method has are left to its own arithmetic.

    Raises
    ------
    ValueError
    """
    if "classes_" not in state:  # not fitted
        return
    has_atoms = "dictionary_" in state
    axes = check_attributes(state, {**LEARNT, **OF_ATOMS} if has_atoms else LEARNT)
    order = state["_class_order"]
    if len(np.unique(order)) != len(order) or len(order) < 2:
        raise ValueError("_class_order does not name every class once")
    if "_layout" in state:
        _check_layout(state["_layout"], axes)
    if "_parts" in state:
        _check_parts(state["_parts"], axes["classes"], axes.get("atoms", axes.get("points")))
    if "_starts" in state:
        _check_starts(np.asarray(state["_starts"]), axes)
    if has_atoms:
        size = axes["atoms"] + (axes["width"] if state.get("robust") is True else 0)
        check_codes(size, state["dictionary_"], axes["classes"])


def _check_layout(layout: AtomLayout, axes: Axes) -> None:
    if not isinstance(layout, AtomLayout):
        raise ValueError("_layout is no layout of atoms")
    for name in set(vars(layout)) - {"shared", "per_class"}:  # what follows from these
        del vars(layout)[name]
    sizes = (layout.shared, *layout.per_class)
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError("_layout counts atoms by other than whole numbers")
    if len(layout.per_class) != axes["classes"] or sum(sizes) != axes["atoms"]:
        raise ValueError(f"_layout is not of {axes['classes']} classes and {axes['atoms']} atoms")


def _check_parts(parts: list[slice], n_classes: int, n_samples: int | None) -> None:
    """The samples of each class must follow one another."""
    if not isinstance(parts, list) or len(parts) != n_classes:
        raise ValueError(f"_parts is not of {n_classes} classes")
    end = 0
    for part in parts:
        if not isinstance(part, slice) or part.start != end or part.step is not None:
            raise ValueError("_parts do not follow one another")
        end = part.stop
        if not isinstance(end, int) or end < part.start:
            raise ValueError("_parts do not follow one another")
    if end != n_samples:
        raise ValueError(f"_parts do not hold {n_samples} samples")


def _check_starts(starts: np.ndarray, axes: Axes) -> None:
    whole("bounds", high=axes["vectors"]).check("_starts", starts, axes)
    fits = len(starts) == axes["classes"] + 1 and starts[0] == 0 and starts[-1] == axes["vectors"]
    if not fits or (np.diff(starts) < 0).any():
        raise ValueError("_starts does not part the vectors by class")


def check_codes(size: int, atoms: np.ndarray, n_classes: int = 0) -> None:
    """Refuse codes of a query that take more than their atoms pay for.

    The products of atoms are a matrix of their number squared; codes take up to its cube.

    Parameters
    ----------
    size : int
        Atoms that a code may use.
    atoms : ndarray of shape (n_atoms, n_features)
    n_classes : int
        Classes that are looked at one by one.

    Raises
    ------
    OverBudget
    """
    what = f"A code of {size} of {len(atoms)} atoms of {atoms.shape[1]} features"
    # A file pays for its own size many times over, so that honest ones never come near.
    budget().check("bytes", 16.0 * size**2 - 512.0 * atoms.size, what)
    work = float(size) ** 3 + WORK_PER_CLASS * n_classes
    budget().check_work(work - WORK_PER_VALUE * atoms.size, what)
