"""Discriminative K-SVD (Zhang and Li 2010)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.methods.parameters import POSITIVE_OR_ZERO, AtomCounts, Constraints, RandomState
from crosslabel.methods.sparse_linear import SparseLinearClassifier, sparse_codes
from crosslabel.methods.start import one_hot


class DKSVD(SparseLinearClassifier):
    r"""Discriminative K-SVD: dictionary and classifier as one K-SVD problem.

    .. math::

        \min_{D, W, X} \|Y - DX\|_F^2 + \gamma \|H - WX\|_F^2 \;\text{s.t.}\; \|x_i\|_0 \le T

    solved by K-SVD on the stacked samples :math:`[Y; \sqrt\gamma H]`. Afterwards each atom is
    scaled to unit norm, and its column of :math:`W` with it.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gives at
        most as many as it has samples.
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

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import DKSVD
    >>> X, y = load_digits(return_X_y=True)
    >>> model = DKSVD(atoms_per_class=10, random_state=0).fit(X[:300], y[:300])
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
        label_weight: float = 1e-2,
        sparsity: int = 30,
        ridge: float = 1.0,
        init_iter: int = 20,
        max_iter: int = 50,
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
        targets = one_hot(labels)
        weights = np.full(targets.shape[1], self.label_weight)
        codes = sparse_codes(X, D, self.sparsity)
        D, W = self._stacked_ksvd(X, D, codes, targets, weights)
        self._keep(span.lifted(D), W)
