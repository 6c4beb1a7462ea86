"""Joint dictionary learning for visually correlated classes (Zhou et al. 2012)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.lasso import coupled_lasso
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.unit_ball import update_atoms
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import CONSTRAINTS, alternate, local_energies
from crosslabel.methods.parameters import (
    COUNT,
    COUNT_OR_ZERO,
    POSITIVE_OR_ZERO,
    Constraints,
    RandomState,
)
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class JDL(ComparisonMethod):
    r"""Joint dictionary learning: one common and many class dictionaries, with a Fisher criterion.

    .. math::

        \min_{D, A} \sum_i \|X_i - [D_0, D_i] A_i\|_F^2 + \lambda \|A_i\|_1
        + \eta \big( \operatorname{tr} S_W(A) - \operatorname{tr} S_B(A) + \|A\|_F^2 \big)

    with atoms in the unit ball. A code has the same length in every class, so that scatter within
    (:math:`S_W`) and between classes (:math:`S_B`) compares the k-th atoms of all classes; every
    class therefore gets the same number of atoms. The last term makes the problem in :math:`A`
    convex, as in FDDL. A query goes to the class whose atoms, with the common ones, leave the least
    residual of its l1 code (the local scheme).

    Parameters
    ----------
    atoms_per_class : int, default=15
        Atoms of each class; no more than the smallest class has samples.
    shared_atoms : int, default=10
        Atoms of the common dictionary.
    penalty : float, default=1e-2
        λ. The paper uses 0.15 for dense SIFT descriptors.
    fisher : float, default=1e-2
        η. The paper uses 0.1.
    max_iter : int, default=15
        Most rounds of codes and atoms.
    tol : float, default=1e-3
        Stop when a round lowers the objective by less than this part of it.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        Common atoms, then those of each class.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom; −1 for a common atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Zhou, Y. Shen, J. Peng and J. Fan, "Learning Inter-related Visual Dictionary for Object
    Recognition", CVPR 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import JDL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = JDL(atoms_per_class=5, max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **CONSTRAINTS,
        "atoms_per_class": COUNT,
        "shared_atoms": COUNT_OR_ZERO,
        "fisher": POSITIVE_OR_ZERO,
    }

    def __init__(
        self,
        atoms_per_class: int = 15,
        *,
        shared_atoms: int = 10,
        penalty: float = 1e-2,
        fisher: float = 1e-2,
        max_iter: int = 15,
        tol: float = 1e-3,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.shared_atoms = shared_atoms
        self.penalty = penalty
        self.fisher = fisher
        self.max_iter = max_iter
        self.tol = tol
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        size = min(self.atoms_per_class, int(np.bincount(labels).min()))
        self._layout = layout = class_layout(labels, size, self.shared_atoms)
        self._name_atoms(layout)
        D = start_atoms(X, labels, layout, self.random_state)
        parts = class_parts(labels)

        def sweep(D: Array, codes: Array) -> tuple[Array, Array, float]:
            codes = self._update_codes(X, parts, D, codes)
            D = self._update_dictionary(X, parts, D, codes)
            return D, codes, self._objective(X, parts, D, codes)

        start: Array = np.zeros((len(X), self.shared_atoms + size))
        self.dictionary_, _, self.objective_trace_ = alternate(
            sweep, D, start, self.max_iter, self.tol
        )
        self.n_iter_ = len(self.objective_trace_)

    def _update_codes(self, X: Array, parts: list[slice], D: Array, codes: Array) -> Array:
        """Each class in turn; the Fisher criterion is 2Σ‖A_i − M_i‖² + N‖mean of all‖²."""
        codes = codes.copy()
        n_all = len(X)
        for c, part in enumerate(parts):
            atoms, n = D[self._layout.free(c)], part.stop - part.start
            H = atoms @ atoms.T + 2 * self.fisher * np.eye(len(atoms))
            others = codes.sum(axis=0) - codes[part].sum(axis=0)
            b = X[part] @ atoms.T - self.fisher * others / n_all
            weights = np.full(len(atoms), self.fisher * (1 / n_all - 2 / n))
            codes[part] = coupled_lasso(H, b, self.penalty, weights, start=codes[part])
        return codes

    def _update_dictionary(self, X: Array, parts: list[slice], D: Array, codes: Array) -> Array:
        D, k = D.copy(), self.shared_atoms
        rest = np.empty_like(X)
        for c, part in enumerate(parts):
            own, x = self._layout.own(c), codes[part, k:]
            target = X[part] - codes[part, :k] @ D[:k]
            D[own] = update_atoms(D[own], x.T @ x, x.T @ target, sweeps=2)
            rest[part] = X[part] - x @ D[own]
        x = codes[:, :k]
        D[:k] = update_atoms(D[:k], x.T @ x, x.T @ rest, sweeps=2)
        return D

    def _objective(self, X: Array, parts: list[slice], D: Array, codes: Array) -> float:
        value = self.penalty * np.abs(codes).sum()
        value += self.fisher * len(X) * (codes.mean(axis=0) ** 2).sum()
        for c, part in enumerate(parts):
            x = codes[part]
            value += ((X[part] - x @ D[self._layout.free(c)]) ** 2).sum()
            value += 2 * self.fisher * ((x - x.mean(axis=0)) ** 2).sum()
        return float(value)

    def _scores(self, X: Array) -> Array:
        scores = np.empty((len(X), self._layout.n_classes))
        for c in range(self._layout.n_classes):
            atoms = self.dictionary_[self._layout.free(c)]
            scores[:, c] = -local_energies(X, atoms, self.penalty)[0]
        return scores
