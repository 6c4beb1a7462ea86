"""Label consistent K-SVD (Jiang et al. 2013)."""

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


class LCKSVD(SparseLinearClassifier):
    r"""Label consistent K-SVD: codes that use the atoms of their own class.

    .. math::

        \min_{D, A, W, X} \|Y - DX\|_F^2 + \alpha \|Q - AX\|_F^2 + \beta \|H - WX\|_F^2
        \;\text{s.t.}\; \|x_i\|_0 \le T

    with :math:`Q` one where atom and sample are of one class. K-SVD solves it on the stacked
    samples :math:`[Y; \sqrt\alpha Q; \sqrt\beta H]`. Variant LC-KSVD1 has :math:`\beta = 0` and
    learns :math:`W` afterwards by ridge regression; LC-KSVD2 has :math:`\beta > 0`.

    Parameters
    ----------
    atoms_per_class : int, default=15
        Atoms per class in the dictionary; a class gives at most as many as it has samples.
    consistency : float, default=1e-2
        α. The authors' 16 is for features of another scale: on samples of unit norm the labels
        then outweigh the samples, and codes of queries, which have no label, come out unlike those
        learnt from.
    label_weight : float, default=1e-2
        β, published as 4; zero gives LC-KSVD1.
    sparsity : int, default=30
        T.
    ridge : float, default=1.0
        Weight of ‖A‖² and ‖W‖² in the regressions that start.
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
    transform_ : ndarray of shape (n_atoms, n_atoms)
        A, transposed: codes times it are nearly the indicators of their class's atoms.
    classifier_ : ndarray of shape (n_atoms, n_classes)
        W, transposed, its columns in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Z. Jiang, Z. Lin and L. S. Davis, "Label Consistent K-SVD: Learning a Discriminative Dictionary
    for Recognition", IEEE Transactions on Pattern Analysis and Machine Intelligence, 2013.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseLinearClassifier._parameter_constraints,
        "consistency": [Interval(Real, 0, None, closed="left")],
        "label_weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        atoms_per_class: int = 15,
        *,
        consistency: float = 1e-2,
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
        self.consistency = consistency
        self.label_weight = label_weight
        self.sparsity = sparsity
        self.ridge = ridge
        self.init_iter = init_iter
        self.max_iter = max_iter
        self.rank_one = rank_one
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        self.dictionary_, layout = self._start(X, labels)
        classes = one_hot(labels)
        targets = np.concatenate([classes[:, layout.labels], classes], axis=1)  # [Q H]
        weights = np.sqrt(
            np.repeat([self.consistency, self.label_weight], [layout.n_atoms, layout.n_classes])
        )
        start = ridge_regression(self._codes(X), targets, self.ridge)  # [A W]
        stacked, _ = ksvd(
            np.concatenate([X, weights * targets], axis=1),
            unit_rows(np.concatenate([self.dictionary_, weights * start], axis=1)),
            self.sparsity,
            n_iter=self.max_iter,
            rank_one=self.rank_one,
        )
        self.dictionary_, learnt = split_atoms(stacked, X.shape[1])
        # What carried no weight was not learnt with the dictionary: it is regressed afterwards.
        learnt /= np.where(weights > 0, weights, 1)
        if not weights.all():
            regressed = ridge_regression(self._codes(X), targets, self.ridge)
            learnt = np.where(weights > 0, learnt, regressed)
        self.transform_, self.classifier_ = np.split(learnt, [layout.n_atoms], axis=1)
