"""Supervised graph regularised dictionary learning (Yankelevsky and Elad 2016)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.graph import (
    adapted_laplacian,
    blockwise,
    heat_laplacian,
    smooth_sparse_codes,
)
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.core.unit_ball import update_atoms
from crosslabel.methods.parameters import (
    COUNT,
    POSITIVE,
    POSITIVE_OR_ZERO,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.sparse_linear import SparseLinearClassifier, ridge_regression, sparse_codes
from crosslabel.methods.start import class_parts, one_hot

GRAPH_STEPS = 20
"""Of a learnt graph in each round; the next round goes on from there."""


class SupGraphDL(SparseLinearClassifier):
    r"""Supervised graph regularised dictionary learning (SupGraphDL, and SupGraphDL-L).

    .. math::

        \min_{D, X, W} \|Y - DX\|_F^2 + \alpha \operatorname{tr}(D^\top L D)
        + \beta \operatorname{tr}(X L_c X^\top) + \gamma \|H - WX\|_F^2 + \rho \|W\|_F^2
        \;\text{s.t.}\; \|x_i\|_0 \le T

    :math:`L_c` is the Laplacian of a graph that joins near samples of the same class, and
    :math:`L` that of a graph on the features. The -L form (`adaptive`) learns both along with the
    dictionary: it adds :math:`\mu(\|L\|_F^2 + \|L_c\|_F^2)` to the objective, which then falls
    over Laplacians too, each of trace n; samples of two classes are never joined. Codes are found
    by ADMM, atoms one by one.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gives at
        most as many as it has samples.
    feature_smoothness : float, default=1e-3
        α.
    sample_smoothness : float, default=1e-2
        β.
    label_weight : float, default=1e-2
        γ.
    n_neighbors : int, default=5
        Neighbours that a sample, or a feature, is joined to.
    adaptive : bool, default=False
        Learn the graphs of features and of samples (SupGraphDL-L).
    spread : float, default=1.0
        μ, how evenly the learnt graphs' weights are spread.
    sparsity : int, default=30
        T.
    ridge : float, default=1e-2
        ρ.
    init_iter : int, default=20
        Rounds of K-SVD on each class alone, which give the start.
    coding_iter : int, default=10
        Rounds of ADMM for the codes.
    max_iter : int, default=15
        Rounds of codes, dictionary, classifier and graph.
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
    feature_laplacian_ : ndarray of shape (n_features, n_features)
        L.
    sample_laplacians_ : list of ndarray of shape (n, n)
        Blocks of L_c, those of each class's samples, in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class each atom started from.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Y. Yankelevsky and M. Elad, "Structure-Aware Classification using Supervised Dictionary
    Learning", arXiv:1609.09199, 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import SupGraphDL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SupGraphDL(atoms_per_class=10, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SparseLinearClassifier._parameter_constraints,
        "feature_smoothness": POSITIVE_OR_ZERO,
        "sample_smoothness": POSITIVE_OR_ZERO,
        "label_weight": POSITIVE,
        "n_neighbors": COUNT,
        "adaptive": ["boolean"],
        "spread": POSITIVE,
        "coding_iter": COUNT,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        feature_smoothness: float = 1e-3,
        sample_smoothness: float = 1e-2,
        label_weight: float = 1e-2,
        n_neighbors: int = 5,
        adaptive: bool = False,
        spread: float = 1.0,
        sparsity: int = 30,
        ridge: float = 1e-2,
        init_iter: int = 20,
        coding_iter: int = 10,
        max_iter: int = 15,
        rank_one: str = "approximate",
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.feature_smoothness = feature_smoothness
        self.sample_smoothness = sample_smoothness
        self.label_weight = label_weight
        self.n_neighbors = n_neighbors
        self.adaptive = adaptive
        self.spread = spread
        self.sparsity = sparsity
        self.ridge = ridge
        self.init_iter = init_iter
        self.coding_iter = coding_iter
        self.max_iter = max_iter
        self.rank_one = rank_one
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        D, _ = self._start(X, labels)
        H = one_hot(labels)
        parts = class_parts(labels)
        graphs = [heat_laplacian(X[part], self.n_neighbors) for part in parts]
        L = heat_laplacian(X.T, self.n_neighbors)
        gamma = self.label_weight
        codes = sparse_codes(X, D, self.sparsity)
        W = ridge_regression(codes, H, self.ridge / gamma)
        trace = []
        for _ in range(self.max_iter):
            codes = smooth_sparse_codes(
                D @ D.T + gamma * W @ W.T,
                X @ D.T + gamma * H @ W.T,
                [self.sample_smoothness * graph for graph in graphs],
                self.sparsity,
                start=codes,
                n_iter=self.coding_iter,
            )
            form = self.feature_smoothness * L
            D = update_atoms(D, codes.T @ codes, codes.T @ X, form=form, sweeps=2)
            W = ridge_regression(codes, H, self.ridge / gamma)
            if self.adaptive:
                L = self._adapted(self.feature_smoothness, D.T, L)
                graphs = [
                    self._adapted(self.sample_smoothness, codes[part], graph)
                    for part, graph in zip(parts, graphs)
                ]
            trace.append(self._objective(X, H, D, W, codes, L, graphs))
        # Queries are coded by a pursuit that compares atoms: their norms move into W.
        norms = np.sqrt((D**2).sum(axis=1, keepdims=True))
        self._keep(unit_rows(D), W / np.where(norms > 0, norms, 1))
        self.feature_laplacian_, self.sample_laplacians_ = L, graphs
        self.objective_trace_ = np.array(trace)

    def _adapted(self, weight: float, points: Array, L: Array) -> Array:
        """Steps from L towards min w tr(PᵀLP) + μ‖L‖²_F: a graph on which points are smoother."""
        return adapted_laplacian(np.sqrt(weight) * points, self.spread, GRAPH_STEPS, L)

    def _objective(
        self, X: Array, H: Array, D: Array, W: Array, codes: Array, L: Array, graphs: list[Array]
    ) -> float:
        spread = self.spread * sum((graph**2).sum() for graph in (L, *graphs))
        return float(
            ((X - codes @ D) ** 2).sum()
            + self.feature_smoothness * np.vdot(D, D @ L)
            + self.sample_smoothness * np.vdot(codes, blockwise(graphs, codes))
            + self.label_weight * ((H - codes @ W) ** 2).sum()
            + self.ridge * (W**2).sum()
            + (spread if self.adaptive else 0.0)
        )
