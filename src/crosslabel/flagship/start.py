"""The dictionary that iterations start from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.initialise import INITIALISERS, Initialiser
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, row_norms, unit_rows
from crosslabel.core.spectral import closed_form
from crosslabel.flagship.problem import SPECTRAL, Problem
from crosslabel.intake.devices import device_initialiser
from crosslabel.intake.summary import Summary

STARTS = (SPECTRAL, *INITIALISERS)
"""Names of starts."""


class Sample(NamedTuple):
    """Samples of each class with weights; classes are numbered in canonical order.

    Random draws then do not depend on the names of the classes.
    """

    X: Array
    labels: Labels
    weights: Array


def start(problem: Problem) -> Array:
    """Atoms to start from, with the classes in the order of `problem.seen`."""
    settings, init = problem.settings, problem.settings.init
    if settings.starts_closed:
        return closed_form(problem.moments, problem.layout, settings.penalties).dictionary
    rng = np.random.default_rng(settings.seed)
    sample = sample_of(problem, int(np.max(settings.atoms_per_class)) + settings.shared_atoms)
    if not isinstance(init, str):
        return _given(problem, init, sample, rng)
    layout, atoms = problem.layout.reordered(problem.canonical)
    make = device_initialiser(init, settings.device)
    D = make(sample.X, sample.labels, layout, settings.ridge, rng, sample.weights)
    return D[np.argsort(atoms)]


def sample_of(problem: Problem, n_directions: int) -> Sample:
    """The kept samples; a class of which none is kept is represented by its main directions."""
    summary, order = problem.summary, problem.canonical
    kept, numbers = summary.sample, np.argsort(order)
    X, found, weights = [kept.X], [numbers[kept.labels]], [kept.weights]
    for c in np.flatnonzero(np.bincount(kept.labels, minlength=len(order)) == 0):
        rows, n = _main_directions(summary, int(c), n_directions)
        X.append(rows.astype(summary.dtype))
        found.append(np.full(len(rows), numbers[c]))
        weights.append(np.full(len(rows), n / len(rows)))
    labels = np.concatenate(found)
    by_class = np.argsort(labels, kind="stable")
    return Sample(np.concatenate(X)[by_class], labels[by_class], np.concatenate(weights)[by_class])


def _main_directions(summary: Summary, label: int, n_directions: int) -> tuple[Array, float]:
    """Leading unit-norm directions of a class's second moment, and its count."""
    n, mean, scatter = summary.statistics.moments.by_class()[label]
    rows = np.vstack([np.sqrt(n) * mean, scatter.factor()])
    _, energies, axes = np.linalg.svd(rows, full_matrices=False)
    rank = int((energies > energies.max(initial=0.0) * 1e-10).sum())
    return axes[: max(1, min(n_directions, rank))], n


def _given(
    problem: Problem, init: Initialiser | ArrayLike, sample: Sample, rng: np.random.Generator
) -> Array:
    """A dictionary that the user gives, or a function of theirs; classes as in `classes`."""
    layout, order = problem.layout, problem.canonical
    if callable(init):
        labels = order[sample.labels]
        init = init(sample.X, labels, layout, problem.settings.ridge, rng, sample.weights)
    given = rows_of_seen(problem, init)
    atoms = check_array(given, dtype=sample.X.dtype, input_name="init", copy=True)
    expected = (layout.n_atoms, sample.X.shape[1])
    if atoms.shape != expected:
        raise ValueError(
            f"The dictionary given as init has shape {atoms.shape}, but {layout.shared} shared "
            f"atoms and {layout.n_atoms - layout.shared} atoms of {layout.n_classes} classes "
            f"over {expected[1]} features need {expected}."
        )
    zeros = np.flatnonzero(row_norms(atoms) == 0)
    if zeros.size:
        raise ValueError(
            f"Atom {zeros[0]} of the dictionary given as init is zero and has no direction. "
            "Replace it, for example by a training sample."
        )
    return unit_rows(atoms)


def rows_of_seen(problem: Problem, given: ArrayLike) -> ArrayLike:
    """Of a dictionary for all declared classes, the atoms of those that have samples."""
    sizes = np.broadcast_to(np.asarray(problem.settings.atoms_per_class), len(problem.classes))
    shared = int(problem.settings.shared_atoms)
    if len(problem.seen) == len(problem.classes) or np.shape(given)[0] != shared + sizes.sum():
        return given
    whole = AtomLayout(shared, tuple(int(size) for size in sizes))
    atoms = np.concatenate([whole.free(c) for c in problem.seen])
    return np.asarray(given)[np.unique(atoms)]
