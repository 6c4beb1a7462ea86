"""Sparse and locality-constrained coding on the Grassmann manifold (Harandi et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.lasso import lasso
from crosslabel.core.locality import locality_codes
from crosslabel.core.manifolds import squared_products
from crosslabel.core.memory import check_room
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.unit_ball import update_atoms
from crosslabel.files.forms import Rule, check_attributes, numbers
from crosslabel.intake.lift import KernelMap
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import (
    COUNT,
    COUNTS,
    POSITIVE,
    SEED,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.sparse_linear import ridge_regression
from crosslabel.methods.start import class_layout, one_hot, start_atoms
from crosslabel.methods.stored import check_codes

LOCALITY_RIDGE = 1e-4
"""Weight of ‖x‖² in a local code, in units of the local covariance's trace, as of LLC."""

ROUNDING = 1000 * np.finfo(float).eps
"""Of a squared distance, beside the subspaces' own size: it is a difference of products."""

ORTHONORMAL = 1e-3
"""How far a product of two columns of a basis may be off."""

LEARNT: dict[str, Rule] = {
    "_bases": numbers("samples", "rows", "columns"),
    "_basis": numbers("samples", "coordinates"),
    "_gamma": numbers(low=0),
    "atoms_": numbers("atoms", "coordinates"),
    "classifier_": numbers("atoms", "classes"),
}
"""Attributes by the axes they share."""


class GrassmannCoding(ComparisonMethod):
    r"""Codes of subspaces over a dictionary learnt in the space of a kernel: kgSC-dic and kgLC-dic.

    .. math::

        \min_{D, x} \sum_i \|\phi(U_i) - \sum_k x_{ik} d_k\|^2 + \lambda \|x_i\|_1,
        \qquad k(U, V) = e^{-\gamma\,\|UU^\top - VV^\top\|_F^2 / 2p}

    with :math:`\langle \phi(U), \phi(V) \rangle = k(U, V)` and atoms :math:`d_k` in the span of the
    training samples' images. Local codes (kgLC) have no l1 term: they sum to one and live on the
    nearest atoms. The labels are regressed on the codes; the largest regressed one wins.

    Parameters
    ----------
    atoms_per_class : int, or array-like of shape (n_classes,), default=10
        Atoms that start from each class; a class gives at most as many as it has samples.
    coding : {"sparse", "local"}, default="sparse"
        kgSC or kgLC.
    dimension : int, default=1
        p: a sample is the row of an orthonormal basis of so many columns, as `ClipSubspace` gives
        it. With one column every sample is a line through the origin.
    penalty : float, default=0.05
        λ of sparse codes.
    n_neighbors : int, default=5
        Atoms of a local code.
    width : float, default=1.0
        1/γ in units of the mean of ‖UUᵀ − VVᵀ‖²/2p over the training samples.
    ridge : float, default=1e-2
        Weight of ‖W‖² in the regression of the labels.
    max_iter : int, default=10
        Rounds of codes and atoms.
    normalize : bool, default=True
        Scale samples to unit norm, and so columns of bases to one length.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.

    Attributes
    ----------
    atoms_ : ndarray of shape (n_atoms, n_coordinates)
        Atoms in coordinates whose products are kernel values.
    classifier_ : ndarray of shape (n_atoms, n_classes)
        W, transposed, its columns in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class each atom started from.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; of sparse codes it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    M. Harandi, R. Hartley, C. Shen, B. Lovell and C. Sanderson, "Extrinsic Methods for Coding and
    Dictionary Learning on Grassmann Manifolds", International Journal of Computer Vision, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import GrassmannCoding
    >>> X, y = load_digits(return_X_y=True)
    >>> model = GrassmannCoding(max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "atoms_per_class": COUNTS,
        "coding": [StrOptions({"sparse", "local"})],
        "dimension": COUNT,
        "penalty": POSITIVE,
        "n_neighbors": COUNT,
        "width": POSITIVE,
        "ridge": POSITIVE,
        "max_iter": COUNT,
        "random_state": SEED,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 10,
        *,
        coding: str = "sparse",
        dimension: int = 1,
        penalty: float = 0.05,
        n_neighbors: int = 5,
        width: float = 1.0,
        ridge: float = 1e-2,
        max_iter: int = 10,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.coding = coding
        self.dimension = dimension
        self.penalty = penalty
        self.n_neighbors = n_neighbors
        self.width = width
        self.ridge = ridge
        self.max_iter = max_iter
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        check_room(3, len(X), "samples", "GrassmannCoding", "Use fewer samples.")
        self._bases = self._as_bases(X)
        Z = self._embed_samples()
        layout = class_layout(labels, self._atom_counts(self.atoms_per_class))
        self._name_atoms(layout)
        D = start_atoms(Z, labels, layout, self.random_state)
        code, improve = CODINGS[self.coding]
        codes, trace = code(self, Z, D, None), []
        for _ in range(self.max_iter):
            D = improve(D, codes, Z)
            codes = code(self, Z, D, codes)
            lasso_term = self.penalty * np.abs(codes).sum() if self.coding == "sparse" else 0.0
            trace.append(float(((Z - codes @ D) ** 2).sum() + lasso_term))
        self.atoms_, self.objective_trace_ = D, np.array(trace)
        self.classifier_ = ridge_regression(codes, one_hot(labels), self.ridge)
        self.n_iter_ = self.max_iter

    def _as_bases(self, X: Array) -> Array:
        """Rows as matrices of p columns of unit norm, which must be orthogonal."""
        p = self.dimension
        if X.shape[1] % p or X.shape[1] < p * p:
            raise ValueError(
                f"The rows have {X.shape[1]} values, which are no basis of dimension={p}: they "
                f"must be a multiple of it, and at least {p * p}. Give the dimension of the "
                "subspaces."
            )
        bases = X.reshape(len(X), -1, p) * (np.sqrt(p) if self.normalize else 1.0)
        if p > 1:
            grams = bases.transpose(0, 2, 1) @ bases
            off = np.abs(grams - grams[:, :1, :1] * np.eye(p)).max(axis=(1, 2))
            bad = np.flatnonzero(off > ORTHONORMAL * np.maximum(grams[:, 0, 0], 1.0))
            if len(bad):
                raise ValueError(
                    f"A sample is no orthonormal basis of {p} columns: products of its columns are "
                    f"off by {off[bad[0]]:.3g}. Give bases as `ClipSubspace` does."
                )
        return bases

    def _embed_samples(self) -> Array:
        """Coordinates of the training samples, and what gives those of queries."""
        own, apart = self._distances(self._bases)
        mean, size = float(apart.mean()), float(own.max()) or 1.0
        # Of equal subspaces the distances are rounding: their own size is then the unit.
        self._gamma = 1 / (self.width * (mean if mean > ROUNDING * size else size))
        K = np.exp(-self._gamma * apart)
        self._basis = KernelMap.fit("precomputed", K, 1.0).basis
        return K @ self._basis

    def _distances(self, bases: Array) -> tuple[Array, Array]:
        """‖U‖⁴/p of each sample, and ‖UUᵀ − VVᵀ‖²/2p of it and all training samples."""
        p = self.dimension
        sizes = [((U.transpose(0, 2, 1) @ U) ** 2).sum(axis=(1, 2)) for U in (bases, self._bases)]
        products = squared_products(bases, self._bases)
        apart = (sizes[0][:, None] + sizes[1] - 2 * products) / (2 * p)
        return sizes[0] / p, np.maximum(apart, 0)

    def check_stored(self) -> None:
        """Refuse atoms and bases that do not fit together, or whose codes take too long."""
        super().check_stored()
        if not self.__sklearn_is_fitted__():
            return
        check_attributes(vars(self), LEARNT)
        used = len(self.atoms_) if self.coding == "sparse" else self.n_neighbors
        check_codes(min(used, len(self.atoms_)), self.atoms_)

    def _scores(self, X: Array) -> Array:
        _, apart = self._distances(self._as_bases(X))
        Z = np.exp(-self._gamma * apart) @ self._basis
        return CODINGS[self.coding][0](self, Z, self.atoms_, None) @ self.classifier_


def _sparse_codes(model: GrassmannCoding, Z: Array, D: Array, start: Array | None) -> Array:
    return lasso(D @ D.T, Z @ D.T, model.penalty, start=start)


def _local_codes(model: GrassmannCoding, Z: Array, D: Array, start: Array | None) -> Array:
    return locality_codes(Z, D, model.n_neighbors, LOCALITY_RIDGE)


def _sparse_atoms(D: Array, codes: Array, Z: Array) -> Array:
    return update_atoms(D, codes.T @ codes, codes.T @ Z)


def _local_atoms(D: Array, codes: Array, Z: Array) -> Array:
    """min over D of ‖Z − XD‖², nearest to the present atoms where the codes leave them free."""
    return D + np.linalg.lstsq(codes, Z - codes @ D, rcond=1e-10)[0]


CODINGS: dict[str, tuple[Callable[..., Array], Callable[[Array, Array, Array], Array]]] = {
    "sparse": (_sparse_codes, _sparse_atoms),
    "local": (_local_codes, _local_atoms),
}
"""How codes are found, and how atoms are improved for them."""
