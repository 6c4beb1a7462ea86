"""Label consistent K-SVD (Jiang et al. 2013)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.ksvd import ksvd
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.methods.parameters import (
    COUNT_OR_ZERO,
    POSITIVE_OR_ZERO,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.sparse_linear import SparseLinearClassifier, ridge_regression, sparse_codes
from crosslabel.methods.start import one_hot


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
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gives at
        most as many as it has samples.
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
        Rounds of K-SVD on each class alone, which give the atoms to start from.
    start_iter : int, default=20
        Rounds of K-SVD on all samples from these atoms, whose codes give A and W to start from.
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

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import LCKSVD
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LCKSVD(atoms_per_class=10, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SparseLinearClassifier._parameter_constraints,
        "consistency": POSITIVE_OR_ZERO,
        "label_weight": POSITIVE_OR_ZERO,
        "start_iter": COUNT_OR_ZERO,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        consistency: float = 1e-2,
        label_weight: float = 1e-2,
        sparsity: int = 30,
        ridge: float = 1.0,
        init_iter: int = 20,
        start_iter: int = 20,
        max_iter: int = 50,
        rank_one: str = "approximate",
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.consistency = consistency
        self.label_weight = label_weight
        self.sparsity = sparsity
        self.ridge = ridge
        self.init_iter = init_iter
        self.start_iter = start_iter
        self.max_iter = max_iter
        self.rank_one = rank_one
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        span = spanned(X)
        X = span.rows
        D, layout = self._start(X, labels)
        classes, own = one_hot(labels), layout.labels
        # The columns of Q are those of H again, one for each atom, and those of √α A and √β W start
        # as the same regression: a rotation leaves of [√α Q √β H] one column √(α n_c + β) h_c of a
        # class with n_c atoms and zeros, and K-SVD sees no rotation. A and W stay copies of it.
        weights = self.consistency * np.array(layout.per_class) + self.label_weight
        _, codes = ksvd(X, D, self.sparsity, n_iter=self.start_iter, rank_one=self.rank_one)
        D, W = self._stacked_ksvd(X, D, codes, classes, weights)
        A = W.take(own, axis=1)
        if (self.consistency > 0) != (self.label_weight > 0):
            regressed = ridge_regression(sparse_codes(X, D, self.sparsity), classes, self.ridge)
            A, W = (A, regressed) if self.consistency > 0 else (regressed.take(own, axis=1), W)
        self.transform_ = A
        self._keep(span.lifted(D), W)
