"""Low-rank shared dictionary learning (Vu and Monga 2017)."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from crosslabel.core.backend import energies
from crosslabel.core.fisher import FisherModel
from crosslabel.core.lasso import lasso
from crosslabel.core.moments import Labels
from crosslabel.core.residuals import class_residuals
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import CONSTRAINTS, alternate
from crosslabel.methods.parameters import (
    COUNT_OR_ZERO,
    POSITIVE_OR_ZERO,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class LRSDL(ComparisonMethod):
    r"""Low-rank shared dictionary learning: FDDL with shared atoms of low rank.

    .. math::

        \min \tfrac12 \sum_c \big( \|Y_c - D X_c - D_0 X_c^0\|_F^2
        + \|Y_c - D_c X_c^c - D_0 X_c^0\|_F^2 + \sum_{j \ne c} \|D_j X_c^j\|_F^2 \big)
        + \lambda_1 \|X\|_1 + \tfrac{\lambda_2}{2} g(X) + \eta \|D_0\|_*

    with :math:`g(X) = \sum_c \|X_c - M_c\|^2 - \|M_c - M\|^2 + \|X\|^2 + \|X^0 - M^0\|^2`, where
    :math:`M` holds mean codes, of a class or of all, and atoms are in the unit ball.
    A query, coded over all atoms with :math:`x^0` drawn to its mean, goes to
    :math:`\arg\min_c w\|y - D_0x^0 - D_cx^c\|^2 + (1-w)\|x - m_c\|^2`.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gets at
        most as many as it has samples.
    shared_atoms : int, default=10
        Atoms common to all classes.
    penalty : float, default=5e-3
        λ₁. The paper's experiments use 0.001 to 0.01.
    fisher : float, default=1e-2
        λ₂. The paper's experiments use 0.01 to 0.1.
    nuclear : float, default=1e-2
        η. The paper's experiments use 0.01 to 0.1.
    weight : float, default=0.5
        w.
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
    means_ : ndarray of shape (n_classes, n_atoms)
        Mean code of each class, in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom; −1 for a shared atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Twice the objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    T. H. Vu and V. Monga, "Fast Low-rank Shared Dictionary Learning for Image Classification", IEEE
    Transactions on Image Processing, 2017, arXiv:1610.08606.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import LRSDL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LRSDL(atoms_per_class=5, max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **CONSTRAINTS,
        "shared_atoms": COUNT_OR_ZERO,
        "fisher": POSITIVE_OR_ZERO,
        "nuclear": POSITIVE_OR_ZERO,
        "weight": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        shared_atoms: int = 10,
        penalty: float = 5e-3,
        fisher: float = 1e-2,
        nuclear: float = 1e-2,
        weight: float = 0.5,
        max_iter: int = 15,
        tol: float = 1e-3,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.shared_atoms = shared_atoms
        self.penalty = penalty
        self.fisher = fisher
        self.nuclear = nuclear
        self.weight = weight
        self.max_iter = max_iter
        self.tol = tol
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        self._layout = layout = class_layout(
            labels, self._atom_counts(self.atoms_per_class), self.shared_atoms
        )
        self._name_atoms(layout)
        D = start_atoms(X, labels, layout, self.random_state)
        parts = class_parts(labels)
        # The core's objective is twice the paper's.
        model = FisherModel(layout, parts, 2 * self.penalty, self.fisher, 2 * self.nuclear)

        def sweep(D: Array, codes: Array) -> tuple[Array, Array, float]:
            codes = model.update_codes(X, D, codes)
            D = model.update_dictionary(X, D, codes)
            return D, codes, model.objective(X, D, codes)

        start: Array = np.zeros((len(X), len(D)))
        self.dictionary_, codes, self.objective_trace_ = alternate(
            sweep, D, start, self.max_iter, self.tol
        )
        self.n_iter_ = len(self.objective_trace_)
        self.means_ = np.stack([codes[part].mean(axis=0) for part in parts])
        self._shared_mean = codes[:, : layout.shared].mean(axis=0)

    @cached_property
    def _gram(self) -> Array:
        """DDᵀ, and λ₂ on the diagonal of the shared atoms, of λ₂‖x⁰ − m⁰‖²."""
        gram, shared = self.dictionary_ @ self.dictionary_.T, np.arange(self._layout.shared)
        gram[shared, shared] += self.fisher
        return gram

    def _scores(self, X: Array) -> Array:
        D, layout, k = self.dictionary_, self._layout, self._layout.shared
        correlations = X @ D.T
        correlations[:, :k] += self.fisher * self._shared_mean
        codes = lasso(self._gram, correlations, 2 * self.penalty, tol=1e-8)
        rest = X - codes[:, :k] @ D[:k]
        own = [layout.own(c) for c in range(layout.n_classes)]
        residuals = class_residuals(energies(rest), rest @ D.T, self._gram, codes, own)
        x, means = codes[:, k:], self.means_[:, k:]
        spread = energies(x)[:, None] + energies(means) - 2 * x @ means.T
        return -self.weight * residuals - (1 - self.weight) * spread
