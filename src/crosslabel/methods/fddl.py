"""Fisher discrimination dictionary learning (Yang et al. 2011, 2014)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.backend import energies
from crosslabel.core.fisher import FisherModel
from crosslabel.core.lasso import lasso
from crosslabel.core.moments import Labels
from crosslabel.core.residuals import class_residuals
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import CONSTRAINTS, alternate
from crosslabel.methods.parameters import POSITIVE_OR_ZERO, AtomCounts, Constraints, RandomState
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class FDDL(ComparisonMethod):
    r"""Fisher discrimination dictionary learning: the Fisher criterion on residuals and on codes.

    .. math::

        \min_{D, X} \sum_i \|A_i - D X_i\|_F^2 + \|A_i - D_i X_i^i\|_F^2
        + \sum_{j \ne i} \|D_j X_i^j\|_F^2 + \lambda_1 \|X\|_1
        + \lambda_2 \big( \operatorname{tr} S_W(X) - \operatorname{tr} S_B(X) + \|X\|_F^2 \big)

    with :math:`S_W` and :math:`S_B` the scatter of codes within and between classes, and atoms in
    the unit ball. The factor of :math:`\|X\|^2` is 1 as in the paper, which makes the problem in
    :math:`X` convex.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gets at
        most as many as it has samples.
    penalty : float, default=5e-3
        λ₁, as published for faces; also γ and γ₁, the l1 weight in prediction.
    fisher : float, default=5e-2
        λ₂, as published for faces; also γ₂ of the local classifier.
    coding : {"global", "local"}, default="global"
        "global": one code over all atoms, and
        :math:`\|y - D_i \hat\alpha_i\|^2 + w \|\hat\alpha - m_i\|^2` decides; "local": a code over
        each class's atoms, and its objective
        :math:`\|y - D_i\alpha\|^2 + \gamma_1\|\alpha\|_1 + \gamma_2\|\alpha - m_i^i\|^2` decides.
    weight : float, default=0.5
        w, as published.
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
        Atoms, class by class.
    means_ : ndarray of shape (n_classes, n_atoms)
        Mean code of each class, in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    M. Yang, L. Zhang, X. Feng and D. Zhang, "Sparse Representation Based Fisher Discrimination
    Dictionary Learning for Image Classification", International Journal of Computer Vision, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import FDDL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FDDL(atoms_per_class=5, max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **CONSTRAINTS,
        "fisher": POSITIVE_OR_ZERO,
        "coding": [StrOptions({"global", "local"})],
        "weight": POSITIVE_OR_ZERO,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        penalty: float = 5e-3,
        fisher: float = 5e-2,
        coding: str = "global",
        weight: float = 0.5,
        max_iter: int = 15,
        tol: float = 1e-3,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.penalty = penalty
        self.fisher = fisher
        self.coding = coding
        self.weight = weight
        self.max_iter = max_iter
        self.tol = tol
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        self._layout = layout = class_layout(labels, self._atom_counts(self.atoms_per_class))
        self._name_atoms(layout)
        D = start_atoms(X, labels, layout, self.random_state)
        parts = class_parts(labels)
        model = FisherModel(layout, parts, self.penalty, self.fisher)

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

    def _scores(self, X: Array) -> Array:
        return -{"global": self._global, "local": self._local}[self.coding](X)

    def _global(self, X: Array) -> Array:
        """‖y − D_cα_c‖² + w‖α − m_c‖² with α the code over all atoms, less w‖α‖²."""
        correlations = X @ self.dictionary_.T
        codes = lasso(self._gram, correlations, self.penalty)
        own = [self._layout.own(c) for c in range(self._layout.n_classes)]
        residuals = class_residuals(energies(X), correlations, self._gram, codes, own)
        # ‖α − m‖² less ‖α‖², which all classes share
        spread = energies(self.means_) - 2 * codes @ self.means_.T
        return residuals + self.weight * spread

    def _local(self, X: Array) -> Array:
        """Least ‖y − D_cα‖² + γ₁‖α‖₁ + γ₂‖α − m_c‖² over the codes of each class."""
        costs = np.empty((len(X), self._layout.n_classes))
        for c in range(self._layout.n_classes):
            own = self._layout.own(c)
            atoms, mean = self.dictionary_[own], self.means_[c, own]
            H = atoms @ atoms.T + self.fisher * np.eye(len(atoms))
            b = X @ atoms.T + self.fisher * mean
            codes = lasso(H, b, self.penalty)
            quadratic = np.einsum("ij,ij->i", codes, codes @ H - 2 * b)
            l1 = self.penalty * np.abs(codes).sum(axis=1)
            costs[:, c] = energies(X) + quadratic + l1 + self.fisher * (mean @ mean)
        return costs
