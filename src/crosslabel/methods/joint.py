"""Joint learning of dictionary and linear classifier (Pham and Venkatesh 2008)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.core.unit_ball import update_atoms
from crosslabel.methods.parameters import POSITIVE_OR_ZERO, AtomCounts, Constraints, RandomState
from crosslabel.methods.sparse_linear import (
    SparseLinearClassifier,
    joint_codes,
    ridge_regression,
    sparse_codes,
)
from crosslabel.methods.start import one_hot


class JointDictionary(SparseLinearClassifier):
    r"""Joint learning and dictionary construction: codes that serve both fit and classification.

    .. math::

        \min_{D, W, X} \|Y - DX\|_F^2 + \gamma \|H - WX\|_F^2 + \rho \|W\|_F^2
        \;\text{s.t.}\; \|x_i\|_0 \le T

    Unlike D-KSVD, which updates each atom together with its column of :math:`W`, codes, dictionary
    and classifier take turns: sparse codes of :math:`[Y; \sqrt\gamma H]`, atoms of unit norm for
    fixed codes, and ridge regression for :math:`W`. All training samples are labelled here; the
    paper also admits unlabelled ones.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gives at
        most as many as it has samples.
    label_weight : float, default=1e-3
        γ.
    sparsity : int, default=30
        T.
    ridge : float, default=1e-3
        ρ.
    init_iter : int, default=20
        Rounds of K-SVD on each class alone, which give the start.
    max_iter : int, default=20
        Rounds of codes, dictionary and classifier.
    rank_one : {"approximate", "exact"}, default="approximate"
        How the K-SVD that starts fits an atom.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        Atoms in the unit ball.
    classifier_ : ndarray of shape (n_atoms, n_classes)
        W, transposed, its columns in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class each atom started from.
    classes_ : ndarray of shape (n_classes,)
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round.
    n_iter_ : int

    References
    ----------
    D.-S. Pham and S. Venkatesh, "Joint Learning and Dictionary Construction for Pattern
    Recognition", CVPR 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import JointDictionary
    >>> X, y = load_digits(return_X_y=True)
    >>> model = JointDictionary(atoms_per_class=10, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SparseLinearClassifier._parameter_constraints,
        "label_weight": POSITIVE_OR_ZERO,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        label_weight: float = 1e-3,
        sparsity: int = 30,
        ridge: float = 1e-3,
        init_iter: int = 20,
        max_iter: int = 20,
        rank_one: str = "approximate",
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.label_weight = label_weight
        self.sparsity = sparsity
        self.ridge = ridge
        self.init_iter = init_iter
        self.max_iter = max_iter
        self.rank_one = rank_one
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        span = spanned(X)
        X = span.rows
        D, _ = self._start(X, labels)
        H, weight = one_hot(labels), np.sqrt(self.label_weight)
        # ‖W‖² is weighted against γ‖H − WX‖²; without γ only their quotient would be left.
        ridge = self.ridge / self.label_weight if self.label_weight > 0 else self.ridge
        W = ridge_regression(sparse_codes(X, D, self.sparsity), H, ridge)
        trace = []
        for _ in range(self.max_iter):
            codes = csr_array(joint_codes(X, weight * H, D, weight * W, self.sparsity))
            D = update_atoms(D, (codes.T @ codes).toarray(), codes.T @ X, sweeps=2)
            W = ridge_regression(codes, H, ridge)
            trace.append(
                ((X - codes @ D) ** 2).sum()
                + self.label_weight * ((H - codes @ W) ** 2).sum()
                + self.ridge * (W**2).sum()
            )
        self._keep(span.lifted(D), W)
        self.objective_trace_ = np.array(trace)
