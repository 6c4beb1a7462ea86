"""Separating commonality and particularity (Kong and Wang 2012; Wang and Kong 2014)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.backend import energies
from crosslabel.core.group_guess import Group, group_guess
from crosslabel.core.lasso import lasso
from crosslabel.core.moments import Labels
from crosslabel.core.repulsion import Blocks, blocks
from crosslabel.core.residuals import class_residuals
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import CONSTRAINTS, alternate, coherence, local_energies
from crosslabel.methods.parameters import (
    COUNT_OR_ZERO,
    POSITIVE_OR_ZERO,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class COPAR(ComparisonMethod):
    r"""Class dictionaries for what is particular, a shared one for what is common (DL-COPAR).

    .. math::

        \min_{D, A} \sum_c \|X_c - D A_c\|_F^2 + \|X_c - D_c A_c^c - D_0 A_c^0\|_F^2
        + \mu \sum_{j \ne c} \|A_c^j\|_F^2 + \lambda \|A_c\|_1
        + \eta \sum_{i \ne j} \|D_i^\top D_j\|_F^2 \;\text{s.t.}\; \|d\|_2 \le 1

    with :math:`D = [D_0, D_1, \dots, D_C]` and the last sum over all pairs, the shared dictionary
    :math:`D_0` included. The published objective has :math:`\mu = 1`.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gets at
        most as many as it has samples.
    shared_atoms : int, default=5
        Atoms common to all classes.
    penalty : float, default=1e-2
        λ.
    incoherence : float, default=1e-2
        η.
    suppression : float, default=1.0
        μ.
    coding : {"global", "local"}, default="global"
        "global" codes a query over all atoms and compares the residuals of each class's atoms
        with the shared ones; "local" codes it over these alone, for each class.
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
        Shared atoms, then those of each class.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom; −1 for a shared atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    S. Kong and D. Wang, "A Dictionary Learning Approach for Classification: Separating the
    Particularity and the Commonality", ECCV 2012. D. Wang and S. Kong, "A Classification-oriented
    Dictionary Learning Model", Pattern Recognition, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import COPAR
    >>> X, y = load_digits(return_X_y=True)
    >>> model = COPAR(atoms_per_class=5, max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **CONSTRAINTS,
        "shared_atoms": COUNT_OR_ZERO,
        "incoherence": POSITIVE_OR_ZERO,
        "suppression": POSITIVE_OR_ZERO,
        "coding": [StrOptions({"global", "local"})],
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        shared_atoms: int = 5,
        penalty: float = 1e-2,
        incoherence: float = 1e-2,
        suppression: float = 1.0,
        coding: str = "global",
        max_iter: int = 15,
        tol: float = 1e-3,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.shared_atoms = shared_atoms
        self.penalty = penalty
        self.incoherence = incoherence
        self.suppression = suppression
        self.coding = coding
        self.max_iter = max_iter
        self.tol = tol
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        self._layout = layout = class_layout(
            labels, self._atom_counts(self.atoms_per_class), self.shared_atoms
        )
        self._name_atoms(layout)
        span = spanned(X)
        X = span.rows
        D = start_atoms(X, labels, layout, self.random_state)
        parts = class_parts(labels)

        def sweep(D: Array, codes: Array) -> tuple[Array, Array, float]:
            moving = blocks(D, self.incoherence)
            codes = self._update_codes(X, parts, moving, codes)
            self._update_dictionary(X, parts, moving, codes)
            return moving.D, codes, self._objective(X, parts, moving, codes)

        start: Array = np.zeros((len(X), len(D)))
        D, _, self.objective_trace_ = alternate(sweep, D, start, self.max_iter, self.tol)
        self.dictionary_ = span.lifted(D)
        self.n_iter_ = len(self.objective_trace_)

    def _update_codes(self, X: Array, parts: list[slice], moving: Blocks, codes: Array) -> Array:
        """H of a class is that of all, but for its free atoms: twice there, and without μ."""
        D = moving.D
        base, b = moving.gram.copy(), X @ D.T
        groups = []
        for c, part in enumerate(parts):
            free = self._layout.free(c)
            block = base[np.ix_(free, free)] - self.suppression * np.eye(len(free))
            groups.append(Group(part, free, block))
            b[part] *= 1 + np.isin(np.arange(len(D)), free)
        base.flat[:: len(base) + 1] += self.suppression
        codes = group_guess(base, groups, b, self.penalty, codes)
        for group in groups:
            part, places = group.rows, np.ix_(group.atoms, group.atoms)
            kept = base[places]
            base[places] += group.block
            codes[part] = lasso(base, b[part], self.penalty, start=codes[part], tol=1e-2)
            base[places] = kept
        return codes

    def _update_dictionary(
        self, X: Array, parts: list[slice], moving: Blocks, codes: Array
    ) -> None:
        D = moving.D
        A, B = codes.T @ codes, codes.T @ X
        shared = slice(0, self._layout.shared)
        for c, part in enumerate(parts):
            own = self._layout.own(c)
            x = codes[part, own]
            A_own = A[own, own] + x.T @ x
            B_own = B[own] - A[own] @ D + A[own, own] @ D[own]
            B_own += x.T @ (X[part] - codes[part, shared] @ D[shared])
            moving.update(own, A_own, B_own)
        if self._layout.shared:
            # Both fits see the shared atoms, for the samples of every class.
            A_shared = 2 * A[shared, shared]
            B_shared = 2 * B[shared] - A[shared] @ D + A[shared, shared] @ D[shared]
            for c, part in enumerate(parts):
                own = self._layout.own(c)
                B_shared -= (codes[part, shared].T @ codes[part, own]) @ D[own]
            moving.update(shared, A_shared, B_shared)

    def _objective(self, X: Array, parts: list[slice], moving: Blocks, codes: Array) -> float:
        D = moving.D
        value = ((X - codes @ D) ** 2).sum() + self.penalty * np.abs(codes).sum()
        for c, part in enumerate(parts):
            free = self._layout.free(c)
            own = codes[part][:, free]
            value += ((X[part] - own @ D[free]) ** 2).sum()
            value += self.suppression * ((codes[part] ** 2).sum() - (own**2).sum())
        return float(value + self.incoherence * coherence(moving.gram, self._layout))

    def _scores(self, X: Array) -> Array:
        return -{"global": self._global, "local": self._local}[self.coding](X)

    def _global(self, X: Array) -> Array:
        """‖y − D_0x⁰ − D_cxᶜ‖² with x the code over all atoms."""
        D, gram, layout = self.dictionary_, self._gram, self._layout
        correlations = X @ D.T
        codes = lasso(gram, correlations, self.penalty, tol=1e-8)
        common = codes[:, : layout.shared]
        rest = energies(X - common @ D[: layout.shared])
        correlations -= common @ gram[: layout.shared]
        parts = [layout.own(c) for c in range(layout.n_classes)]
        return class_residuals(rest, correlations, gram, codes, parts)

    def _local(self, X: Array) -> Array:
        """Least ‖y − [D_0 D_c]x‖² + λ‖x‖₁ over the codes of each class."""
        residuals = np.empty((len(X), self._layout.n_classes))
        for c in range(self._layout.n_classes):
            atoms = self.dictionary_[self._layout.free(c)]
            residual, codes = local_energies(X, atoms, self.penalty)
            residuals[:, c] = residual + self.penalty * np.abs(codes).sum(axis=1)
        return residuals
