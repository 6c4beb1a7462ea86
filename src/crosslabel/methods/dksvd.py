"""Discriminative K-SVD (Zhang and Li 2010)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from crosslabel.core.ksvd import ksvd
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.methods.base import Labels
from crosslabel.methods.canonical import one_hot
from crosslabel.methods.sparse_linear import (
    SparseLinearClassifier,
    ridge_regression,
    split_atoms,
)


class DKSVD(SparseLinearClassifier):
    r"""Discriminative K-SVD: dictionary and classifier as one K-SVD problem.

    .. math::

        \min_{D, W, X} \|Y - DX\|_F^2 + \gamma \|H - WX\|_F^2 \;\text{s.t.}\; \|x_i\|_0 \le T

    solved by K-SVD on the stacked samples :math:`[Y; \sqrt\gamma H]`. Afterwards each atom is
    scaled to unit norm, and its column of :math:`W` with it.

    Parameters
    ----------
    atoms_per_class : int, default=15
        Atoms per class in the dictionary; a class gives at most as many as it has samples.
    label_weight : float, default=1e-2
        γ, for samples of unit norm. Zero gives K-SVD with the classifier of its codes.
    sparsity : int, default=30
        T.
    ridge : float, default=1.0
        Weight of ‖W‖² in the classifier that starts.
    init_iter : int, default=20
        Rounds of K-SVD on each class alone, which give the start.
    max_iter : int, default=50
        Rounds of K-SVD on the stacked samples.
    rank_one : {"approximate", "exact"}, default="approximate"
        How an atom and its coefficients are fitted.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        Unit-norm atoms.
    classifier_ : ndarray of shape (n_atoms, n_classes)
        W, transposed, its columns in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class each atom started from.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Q. Zhang and B. Li, "Discriminative K-SVD for Dictionary Learning in Face Recognition",
    CVPR 2010.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseLinearClassifier._parameter_constraints,
        "label_weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        atoms_per_class: int = 15,
        *,
        label_weight: float = 1e-2,
        sparsity: int = 30,
        ridge: float = 1.0,
        init_iter: int = 20,
        max_iter: int = 50,
        rank_one: str = "approximate",
        normalize: bool = True,
        random_state: Any = None,
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
        self.dictionary_, _ = self._start(X, labels)
        targets = one_hot(labels)
        W = ridge_regression(self._codes(X), targets, self.ridge)
        weight = np.sqrt(self.label_weight)
        stacked, _ = ksvd(
            np.concatenate([X, weight * targets], axis=1),
            unit_rows(np.concatenate([self.dictionary_, weight * W], axis=1)),
            self.sparsity,
            n_iter=self.max_iter,
            rank_one=self.rank_one,
        )
        self.dictionary_, W = split_atoms(stacked, X.shape[1])
        if weight == 0:  # then no classifier was learnt with the dictionary
            self.classifier_ = ridge_regression(self._codes(X), targets, self.ridge)
        else:
            self.classifier_ = W / weight
