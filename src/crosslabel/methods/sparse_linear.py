"""What the K-SVD family shares: an l0 code over one dictionary, and a linear classifier on it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.ksvd import RANK_ONE, ksvd
from crosslabel.core.moments import Labels
from crosslabel.core.omp import omp
from crosslabel.core.scaling import Array, row_norms, unit_rows
from crosslabel.core.span import spanned
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import (
    COUNT,
    COUNT_OR_ZERO,
    COUNTS,
    POSITIVE,
    SEED,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class SparseLinearClassifier(ComparisonMethod):
    """Classify by W x with x the code of orthogonal matching pursuit over a learnt dictionary.

    A method of the family writes `_learn`, which ends with `_keep`.
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "atoms_per_class": COUNTS,
        "sparsity": COUNT,
        "ridge": POSITIVE,
        "init_iter": COUNT_OR_ZERO,
        "max_iter": COUNT,
        "rank_one": [StrOptions(set(RANK_ONE))],
        "random_state": SEED,
    }

    atoms_per_class: AtomCounts
    sparsity: int
    ridge: float
    init_iter: int
    max_iter: int
    rank_one: str
    random_state: RandomState

    def _start(self, X: Array, labels: Labels) -> tuple[Array, AtomLayout]:
        """K-SVD of each class on its own, from its centroids: the start of Jiang et al. (2013)."""
        layout = class_layout(labels, self._atom_counts(self.atoms_per_class))
        self._name_atoms(layout)
        D = start_atoms(X, labels, layout, self.random_state)
        for c, part in enumerate(class_parts(labels)):
            own = layout.own(c)
            span = spanned(np.concatenate([X[part], D[own]]))
            samples, atoms = np.split(span.rows, [part.stop - part.start])
            atoms, _ = ksvd(
                samples, atoms, self.sparsity, n_iter=self.init_iter, rank_one=self.rank_one
            )
            D[own] = span.lifted(atoms)
        return D, layout

    def _stacked_ksvd(
        self, X: Array, D: Array, codes: Array, targets: Array, weights: Array
    ) -> tuple[Array, Array]:
        """min ‖Y − XD‖² + Σ_k w_k‖t_k − Xa_k‖² over atoms D, columns a_k and l0 codes X.

        K-SVD of the stacked samples [Y √w T], from a ridge regression of the targets t_k on given
        codes. A column of no weight was not learnt with the dictionary: it is regressed afterwards.
        """
        roots = np.sqrt(weights)
        start = ridge_regression(codes, targets, self.ridge)
        stacked, _ = ksvd(
            np.concatenate([X, roots * targets], axis=1),
            unit_rows(np.concatenate([D, roots * start], axis=1)),
            self.sparsity,
            n_iter=self.max_iter,
            rank_one=self.rank_one,
        )
        D, learnt = split_atoms(stacked, X.shape[1])
        learnt /= np.where(weights > 0, roots, 1)
        if not weights.all():
            codes = sparse_codes(X, D, self.sparsity)
            learnt = np.where(weights > 0, learnt, ridge_regression(codes, targets, self.ridge))
        return D, learnt

    def _keep(self, D: Array, W: Array) -> None:
        """Set what queries are scored by."""
        self.dictionary_, self.classifier_ = D, W
        self.n_iter_ = self.max_iter

    def _scores(self, X: Array) -> Array:
        return omp(self._gram, X @ self.dictionary_.T, self.sparsity) @ self.classifier_


def sparse_codes(X: Array, D: Array, sparsity: int) -> Array:
    """min ‖y − xD‖² with at most T non-zero entries in x, greedily, for each row y of X."""
    return omp(D @ D.T, X @ D.T, sparsity)


def joint_codes(
    X: Array, H: Array, D: Array, W: Array, sparsity: int, groups: Labels | None = None
) -> Array:
    """Sparse codes of [X H] over the atoms [D W]; the pursuit compares atoms of one norm.

    With groups, of [X H … H], a copy of H for each group of atoms: the rows of W that belong to a
    group stand below its copy alone, and the other groups do not see it.
    """
    norms = np.hypot(row_norms(D), row_norms(W))
    norms[norms == 0] = 1
    products = W @ W.T
    if groups is not None:
        products[groups[:, None] != groups] = 0
    gram = (D @ D.T + products) / np.outer(norms, norms)
    return omp(gram, (X @ D.T + H @ W.T) / norms, sparsity) / norms


def ridge_regression(codes: Array | csr_array, targets: Array, ridge: float) -> Array:
    """min over W of ‖T − XW‖² + ρ‖W‖², the classifier of the K-SVD family."""
    codes = csr_array(codes)  # few of them are not zero
    gram = (codes.T @ codes).toarray()
    gram.flat[:: len(gram) + 1] += ridge
    try:
        return np.linalg.solve(gram, codes.T @ targets)
    except np.linalg.LinAlgError:  # beside such codes ρ is lost to rounding: the least W instead
        return np.linalg.lstsq(gram, codes.T @ targets, rcond=None)[0]


def split_atoms(stacked: Array, n_features: int) -> tuple[Array, Array]:
    """Unit-norm atoms and what is stacked below them, both divided by the atoms' norms."""
    norms = row_norms(stacked[:, :n_features])[:, None]
    info = np.finfo(norms.dtype)
    norms[norms < info.tiny / info.eps] = 1  # no direction to speak of, and no finite quotient
    return stacked[:, :n_features] / norms, stacked[:, n_features:] / norms
