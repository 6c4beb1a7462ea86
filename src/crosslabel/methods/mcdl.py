"""Dictionary learning with an ensemble of classifiers (Quan et al. 2016)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.core.unit_ball import update_atoms
from crosslabel.methods.parameters import COUNT, POSITIVE, AtomCounts, Constraints, RandomState
from crosslabel.methods.sparse_linear import (
    SparseLinearClassifier,
    joint_codes,
    ridge_regression,
    sparse_codes,
)
from crosslabel.methods.start import one_hot


class MCDL(SparseLinearClassifier):
    r"""Multiple classifier integration: a dictionary whose groups of atoms each tell the class.

    .. math::

        \min_{D, W, X} \|Y - DX\|_F^2 + \gamma \sum_g \big( \|H - W_g X_g\|_F^2
        + \rho \|W_g\|_F^2 \big) \;\text{s.t.}\; \|x_i\|_0 \le T,\; \|d_k\|_2 \le 1

    with :math:`X_g` the coefficients of the atoms of group g. Every group has its own linear
    predictor, which must tell the class by itself; they decide together, by the sum
    :math:`\sum_g W_g x_g`. One group is joint learning with one classifier.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gives at
        most as many as it has samples.
    n_classifiers : int, default=3
        Groups. The atoms of every class are dealt out to them in turn, so that each can tell all
        classes.
    label_weight : float, default=1e-3
        γ.
    sparsity : int, default=30
        T.
    ridge : float, default=1.0
        ρ.
    init_iter : int, default=20
        Rounds of K-SVD on each class alone, which give the start.
    max_iter : int, default=20
        Rounds of codes, dictionary and classifiers.
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
        The rows of all :math:`W_g`, transposed; columns in canonical class order.
    groups_ : ndarray of int of shape (n_atoms,)
        The group of each atom.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class each atom started from.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Y. Quan, Y. Xu, Y. Sun and Y. Huang, "Supervised Dictionary Learning with Multiple Classifier
    Integration", Pattern Recognition, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import MCDL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = MCDL(5, sparsity=5, max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SparseLinearClassifier._parameter_constraints,
        "n_classifiers": COUNT,
        "label_weight": POSITIVE,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        n_classifiers: int = 3,
        label_weight: float = 1e-3,
        sparsity: int = 30,
        ridge: float = 1.0,
        init_iter: int = 20,
        max_iter: int = 20,
        rank_one: str = "approximate",
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.n_classifiers = n_classifiers
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
        D, layout = self._start(X, labels)
        self.groups_ = dealt_groups(layout, self.n_classifiers)
        H, weight = one_hot(labels), np.sqrt(self.label_weight)
        W = self._predictors(sparse_codes(X, D, self.sparsity), H)
        trace = []
        for _ in range(self.max_iter):
            found = joint_codes(X, weight * H, D, weight * W, self.sparsity, self.groups_)
            codes = csr_array(found)
            D = update_atoms(D, (codes.T @ codes).toarray(), codes.T @ X, sweeps=2)
            W = self._predictors(codes, H)
            trace.append(((X - codes @ D) ** 2).sum() + self._label_cost(codes, H, W))
        self._keep(span.lifted(D), W)
        self.objective_trace_ = np.array(trace)

    def _members(self) -> list[Labels]:
        """Atoms of each group."""
        return [np.flatnonzero(self.groups_ == g) for g in range(self.groups_.max() + 1)]

    def _predictors(self, codes: Array | csr_array, H: Array) -> Array:
        """The ridge regression of each group on its own coefficients, all in one array."""
        W = np.empty((codes.shape[1], H.shape[1]))
        for atoms in self._members():
            W[atoms] = ridge_regression(codes[:, atoms], H, self.ridge)
        return W

    def _label_cost(self, codes: Array | csr_array, H: Array, W: Array) -> float:
        """γ Σ_g ‖H − X_gW_g‖² + ρ‖W_g‖²."""
        errors = sum(((H - codes[:, own] @ W[own]) ** 2).sum() for own in self._members())
        return self.label_weight * float(errors + self.ridge * (W**2).sum())


def dealt_groups(layout: AtomLayout, n_groups: int) -> Labels:
    """Group of each atom: those of every class in turn; no more groups than a class has atoms."""
    n_groups = min(n_groups, max(layout.per_class))
    return np.concatenate([np.arange(size) % n_groups for size in layout.per_class])
