"""Scores of one fold's test samples by every setting of a grid.

At infinite suppression, without grouping and shared atoms, one eigendecomposition of each class's
statistics serves all numbers of atoms and ridges: no dictionary is formed. All other settings are
learnt, each dictionary once for all rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv as posv

from crosslabel.core.backend import energies as squared_norms
from crosslabel.core.discriminant import WithinClass
from crosslabel.core.moments import Labels, Moments
from crosslabel.core.rules import RULES
from crosslabel.core.rules.global_rule import above_zero
from crosslabel.core.scaling import Array
from crosslabel.core.spectral import energies
from crosslabel.core.spectrum import spectra
from crosslabel.flagship.grid import LOCAL, Setting
from crosslabel.flagship.lifts import lift_named
from crosslabel.flagship.problem import Problem, Settings, Wish, wanted_atoms
from crosslabel.flagship.splits import distinct_numbers
from crosslabel.flagship.train import learn
from crosslabel.intake.checking import Training
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary

GLOBAL_RULES = ("global-length", "global-residual")
"""Rules by one code over all atoms that do not see a rotation of the atoms."""
LEAST_RIDGE = 1e-8
"""Below, codes are rounding: the dictionary is learnt, and its rule says if they are determined."""


class FoldScores(NamedTuple):
    """Scores (n_test, n_classes): of dictionaries by a rule, and of discriminants by α."""

    by_rule: dict[Setting, Array]
    linear: dict[float, Array]


@dataclass(frozen=True)
class Fold:
    """Samples that train, in the lift that they give, and queries in the same lift.

    Attributes
    ----------
    training : Training
        All classes are there.
    queries : ndarray of shape (n_test, n_features)
    lift : Lift
    n_distinct : ndarray of int of shape (n_classes,)
        Distinct samples that train: a class gets no more atoms.
    """

    training: Training
    queries: Array
    lift: Lift
    n_distinct: Labels

    @classmethod
    def of(cls, training: Training, queries: Array, scale: str, hashes: NDArray[np.uint64]) -> Fold:
        """A fold whose lift sees the samples that train alone."""
        lift = lift_named(training.X, training.weights, Wish(Settings(), scale=scale)).lift
        order = np.lexsort((hashes, training.labels))
        labels = training.labels[order]
        _, first = np.unique(distinct_numbers(hashes[order], labels), return_index=True)
        n_distinct = np.bincount(labels[first], minlength=len(training.classes))
        return cls(training, lift(queries), lift, n_distinct)

    @cached_property
    def moments(self) -> Moments:
        """Statistics of the classes, in double precision."""
        rows = self.lift(self.training.X).astype(np.float64, copy=False)
        labels, weights = self.training.labels, self.training.weights
        return Moments.from_samples(rows, labels, len(self.training.classes), weights)

    def summary(self, seed: int) -> Summary:
        """What training sees of the samples."""
        return Summary.of(self.training, self.lift, seed)


def fold_scores(
    fold: Fold, grid: Sequence[Setting], shrinkages: Sequence[float], base: Settings
) -> FoldScores:
    """Scores of the queries by all settings.

    Parameters
    ----------
    fold : Fold
    grid : sequence of Setting
        Distinct, each of a rule in `RULES`.
    shrinkages : sequence of float
        Of the discriminants.
    base : Settings
        What all settings have in common.
    """
    quick = [one for one in grid if is_closed_form(one, base)]
    found = closed_form_scores(fold, quick) if quick else {}
    found |= learnt_scores(fold, [one for one in grid if one not in found], base)
    linear = dict[float, Array]()
    if shrinkages:
        within = WithinClass.of(fold.moments)
        linear = {a: within.discriminant(a).scores(fold.queries) for a in shrinkages}
    return FoldScores(found, linear)


def is_closed_form(setting: Setting, base: Settings) -> bool:
    """Whether the scores of a setting follow from the axes of the classes."""
    full = settings_of(setting, base)
    plain = full.is_closed_form and setting.grouping == 0 and not full.shared_atoms
    return plain and setting.ridge >= LEAST_RIDGE and setting.rule in (LOCAL, *GLOBAL_RULES)


def settings_of(setting: Setting, base: Settings) -> Settings:
    """All that a dictionary is learnt with."""
    return replace(
        base,
        atoms_per_class=setting.atoms_per_class,
        suppression=setting.suppression,
        grouping=setting.grouping,
        ridge=setting.ridge,
    )


def learnt_scores(fold: Fold, grid: Sequence[Setting], base: Settings) -> dict[Setting, Array]:
    """Scores by dictionaries that are learnt; settings that differ in the rule share one."""
    found = dict[Setting, Array]()
    if not grid:
        return found
    summary, classes = fold.summary(base.seed), fold.training.classes
    alike: dict[Setting, list[Setting]] = {}
    for setting in grid:
        alike.setdefault(setting._replace(rule=""), []).append(setting)
    for first, sharing in alike.items():
        problem = Problem(summary, settings_of(first, base), classes)
        dictionary, layout = learn(problem).dictionary, problem.layout
        for setting in sharing:
            rule = RULES[setting.rule](dictionary, layout, setting.ridge)
            found[setting] = rule.scores(fold.queries.astype(dictionary.dtype, copy=False))
    return found


@dataclass(frozen=True)
class FoldAxes:
    """FoldAxes of all classes, padded with zeros to one number m, and queries along them.

    Attributes
    ----------
    values : ndarray of shape (n_classes, m)
        Singular values.
    rows : ndarray of shape (n_classes · m, n_features)
    queries : ndarray of shape (n_test, n_features)
    """

    values: Array
    rows: Array
    queries: Array

    @classmethod
    def of(cls, fold: Fold, most: int) -> FoldAxes:
        """No more than a class can get atoms."""
        found = spectra(fold.moments, most)
        m, n_features = max(len(one.values) for one in found), fold.moments.n_features
        values, rows = np.zeros((len(found), m)), np.zeros((len(found), m, n_features))
        for c, one in enumerate(found):
            values[c, : len(one.values)], rows[c, : len(one.values)] = one.values, one.axes
        queries = fold.queries.astype(np.float64, copy=False)
        return cls(values, rows.reshape(-1, n_features), queries)

    @cached_property
    def along(self) -> Array:
        """u_iᵀy of each query, (n_test, n_classes · m)."""
        return self.queries @ self.rows.T

    @cached_property
    def gram(self) -> Array:
        """u_iᵀu_j."""
        return self.rows @ self.rows.T

    @cached_property
    def energy(self) -> Array:
        """‖y‖² of each query."""
        return squared_norms(self.queries)


def closed_form_scores(fold: Fold, grid: Sequence[Setting]) -> dict[Setting, Array]:
    """Scores as the rules would give them with the dictionary in closed form."""
    n_classes = len(fold.training.classes)
    points = list(dict.fromkeys((one.atoms_per_class, one.ridge) for one in grid))
    sizes = np.array([wanted_atoms(atoms, n_classes) for atoms, _ in points])
    sizes = np.minimum(sizes, fold.n_distinct)
    ridges = np.array([ridge for _, ridge in points])
    axes = FoldAxes.of(fold, int(sizes.max()))
    filled = energies(axes.values, sizes, ridges[:, None])
    asked = {one.rule for one in grid}
    by_point = dict[tuple[str, object], Array]()
    if LOCAL in asked:
        scores = local_scores(axes, filled, ridges)
        by_point = {(LOCAL, point): one for point, one in zip(points, scores)}
    if asked - {LOCAL}:
        for point, spent in zip(points, filled):
            for name, one in global_scores(axes, spent, point[1]).items():
                by_point[name, point] = one
    return {one: by_point[one.rule, (one.atoms_per_class, one.ridge)] for one in grid}


def local_scores(axes: FoldAxes, filled: Array, ridges: Array) -> Array:
    """Scores of the local rule, −(‖y‖² − Σ_i (1 − (β/(q_i + β))²) (u_iᵀy)²), at every point.

    Parameters
    ----------
    axes : FoldAxes
    filled : ndarray of shape (n_points, n_classes, m)
        q.
    ridges : ndarray of shape (n_points,)
        β > 0.

    Returns
    -------
    ndarray of shape (n_points, n_test, n_classes)
    """
    beta = ridges[:, None, None]
    share = 1 - (beta / (filled + beta)) ** 2
    squares = (axes.along**2).reshape(len(axes.queries), *axes.values.shape)
    # One product for each class: (m, n_points) by (m, n_test).
    explained = share.transpose(1, 0, 2) @ squares.transpose(1, 2, 0)
    return np.minimum(explained.transpose(1, 2, 0) - axes.energy[:, None], 0)


def global_scores(axes: FoldAxes, filled: Array, ridge: float) -> dict[str, Array]:
    """Scores of the global rules with one dictionary, for one factorisation.

    Atoms √q_i u_i of a class are orthogonal: a class with codes x leaves
    ‖y − xD‖² = ‖y‖² + Σ_i x_i(q_i x_i − 2√q_i u_iᵀy).

    Parameters
    ----------
    axes : FoldAxes
    filled : ndarray of shape (n_classes, m)
        q, not zero for at least one axis of each class.
    ridge : float
        β > 0.

    Returns
    -------
    dict of ndarray of shape (n_test, n_classes)
        By the name of the rule.
    """
    used = np.flatnonzero(filled)
    q = filled.ravel()[used]
    projected = axes.along[:, used] * np.sqrt(q)
    codes = _codes(axes, used, q, projected, ridge)
    parts = np.cumsum([0, *np.count_nonzero(filled, axis=1)])[:-1]
    terms = q * codes
    terms -= 2 * projected
    terms *= codes
    terms = np.add.reduceat(terms, parts, axis=1)
    residuals = np.maximum(axes.energy[:, None] + terms, 0)
    lengths = np.sqrt(np.add.reduceat(codes**2, parts, axis=1))
    by_length = -residuals / above_zero(lengths, axes.energy)
    return {"global-length": by_length, "global-residual": -residuals}


def _codes(axes: FoldAxes, used: Labels, q: Array, projected: Array, ridge: float) -> Array:
    """Ridge codes over the atoms √q u: of the two systems the smaller one is solved."""
    roots, n_features = np.sqrt(q), axes.queries.shape[1]
    if len(used) <= n_features:
        matrix = axes.gram[np.ix_(used, used)] * roots[:, None] * roots
        right = projected
    else:
        atoms = axes.rows[used] * roots[:, None]
        matrix, right = atoms.T @ atoms, axes.queries
    matrix[np.diag_indices_from(matrix)] += ridge
    # LAPACK itself: its wrappers take as long as so small a system.
    _, solved, failed = posv(matrix.T, right.T, lower=True, overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError(f"The codes of a fold are not determined at ridge {ridge:g}.")
    return solved.T if len(used) <= n_features else solved.T @ atoms.T
