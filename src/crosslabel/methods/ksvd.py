"""K-SVD (Aharon et al. 2006) with a linear classifier: the baseline of D-KSVD and LC-KSVD."""

from __future__ import annotations

from crosslabel.core.ksvd import ksvd
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.methods.parameters import AtomCounts, RandomState
from crosslabel.methods.sparse_linear import SparseLinearClassifier, ridge_regression, sparse_codes
from crosslabel.methods.start import one_hot


class KSVD(SparseLinearClassifier):
    r"""K-SVD dictionary, then a linear classifier of the codes by ridge regression.

    .. math::

        \min_{D, X} \|Y - DX\|_F^2 \;\text{s.t.}\; \|x_i\|_0 \le T, \qquad
        W = H X^\top (X X^\top + \rho I)^{-1}

    with :math:`H` the indicators of the classes. The label is the largest entry of :math:`Wx`.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gives at
        most as many as it has samples.
    sparsity : int, default=30
        T, as published for the Extended Yale B faces.
    ridge : float, default=1.0
        ρ, as published.
    init_iter : int, default=20
        Rounds of K-SVD on each class alone, which give the start.
    max_iter : int, default=50
        Rounds of K-SVD on all samples.
    rank_one : {"approximate", "exact"}, default="approximate"
        How an atom and its coefficients are fitted: by one alternation or by their leading
        singular pair.
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
    M. Aharon, M. Elad and A. Bruckstein, "K-SVD: An Algorithm for Designing Overcomplete
    Dictionaries for Sparse Representation", IEEE Transactions on Signal Processing, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import KSVD
    >>> X, y = load_digits(return_X_y=True)
    >>> model = KSVD(atoms_per_class=10, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        sparsity: int = 30,
        ridge: float = 1.0,
        init_iter: int = 20,
        max_iter: int = 50,
        rank_one: str = "approximate",
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
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
        D, _ = ksvd(X, D, self.sparsity, n_iter=self.max_iter, rank_one=self.rank_one)
        codes = sparse_codes(X, D, self.sparsity)
        self._keep(span.lifted(D), ridge_regression(codes, one_hot(labels), self.ridge))
