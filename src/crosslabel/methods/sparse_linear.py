"""What the K-SVD family shares: an l0 code over one dictionary, and a linear classifier on it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.ksvd import RANK_ONE, ksvd
from crosslabel.core.omp import omp
from crosslabel.core.scaling import Array, row_norms
from crosslabel.methods.base import Labels, RepresentationClassifier
from crosslabel.methods.canonical import (
    CanonicalClassifier,
    class_layout,
    class_parts,
    start_atoms,
)


class SparseLinearClassifier(CanonicalClassifier):
    """Classify by W x with x the code of orthogonal matching pursuit over a learnt dictionary.

    Subclasses set `dictionary_` and `classifier_`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RepresentationClassifier._parameter_constraints,
        "atoms_per_class": [Interval(Integral, 1, None, closed="left")],
        "sparsity": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "init_iter": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "rank_one": [StrOptions(set(RANK_ONE))],
        "random_state": ["random_state"],
    }

    atoms_per_class: int
    sparsity: int
    ridge: float
    init_iter: int
    max_iter: int
    rank_one: str
    random_state: Any
    dictionary_: Array
    classifier_: Array

    def _start(self, X: Array, labels: Labels) -> tuple[Array, AtomLayout]:
        """K-SVD of each class on its own, from its centroids: the start of Jiang et al. (2013)."""
        layout = class_layout(labels, self.atoms_per_class)
        D = start_atoms(X, labels, layout, self.random_state)
        for c, part in enumerate(class_parts(labels)):
            own = layout.own(c)
            D[own], _ = ksvd(
                X[part], D[own], self.sparsity, n_iter=self.init_iter, rank_one=self.rank_one
            )
        self._name_atoms(layout)
        self.n_iter_ = self.max_iter
        return D, layout

    def _fit(self, X: Array, labels: Labels) -> None:
        super()._fit(X, labels)
        self._gram = self.dictionary_ @ self.dictionary_.T  # once, not for every query

    def _codes(self, X: Array) -> Array:
        """Codes over the dictionary as it stands, while it is learnt."""
        return omp(self.dictionary_ @ self.dictionary_.T, X @ self.dictionary_.T, self.sparsity)

    def _scores(self, X: Array) -> Array:
        codes = omp(self._gram, X @ self.dictionary_.T, self.sparsity)
        return codes @ self.classifier_


def ridge_regression(codes: Array, targets: Array, ridge: float) -> Array:
    """min over W of ‖T − XW‖² + ρ‖W‖², the classifier of the K-SVD family."""
    gram = codes.T @ codes
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
