"""Projective dictionary pair learning (Gu et al. 2014)."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from crosslabel.core.backend import energies, namespace
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.core.unit_ball import update_atoms
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import (
    COUNT,
    COUNTS,
    DEVICE,
    POSITIVE,
    SEED,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class DPL(ComparisonMethod):
    r"""Projective dictionary pair learning: a synthesis and an analysis dictionary for each class.

    .. math::

        \min_{P, A, D} \sum_c \|X_c - D_c A_c\|_F^2 + \tau \|P_c X_c - A_c\|_F^2
        + \lambda \|P_c \bar X_c\|_F^2 \;\text{s.t.}\; \|d_i\|_2 \le 1

    with :math:`\bar X_c` the samples of all other classes. A query goes to
    :math:`\arg\min_c \|y - D_c P_c y\|_2`; no sparse code is ever solved for.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=30
        Atoms of each class, or one number per class in the order of `classes_`; a class gets at
        most as many as it has samples.
    fidelity : float, default=0.05
        τ, as published.
    suppression : float, default=0.003
        λ, as published.
    ridge : float, default=1e-4
        γ, added to the matrix inverted for P, as published.
    max_iter : int, default=20
        Rounds of updates.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`); None uses NumPy, or the device of
        a tensor that is given as X.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        D, class by class.
    projection_ : ndarray of shape (n_atoms, n_features)
        P, class by class.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round, with P at its best; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    S. Gu, L. Zhang, W. Zuo and X. Feng, "Projective Dictionary Pair Learning for Pattern
    Classification", NIPS 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import DPL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = DPL(random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "atoms_per_class": COUNTS,
        "fidelity": POSITIVE,
        "suppression": POSITIVE,
        "ridge": POSITIVE,
        "max_iter": COUNT,
        "random_state": SEED,
        "device": DEVICE,
    }
    _following: ClassVar[tuple[str, ...]] = ("_grams",)

    def __init__(
        self,
        atoms_per_class: AtomCounts = 30,
        *,
        fidelity: float = 0.05,
        suppression: float = 0.003,
        ridge: float = 1e-4,
        max_iter: int = 20,
        normalize: bool = True,
        random_state: RandomState = None,
        device: str | None = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.fidelity = fidelity
        self.suppression = suppression
        self.ridge = ridge
        self.max_iter = max_iter
        self.normalize = normalize
        self.random_state = random_state
        self.device = device

    def _learn(self, X: Array, labels: Labels) -> None:
        self._layout = layout = class_layout(labels, self._atom_counts(self.atoms_per_class))
        self._name_atoms(layout)
        D = start_atoms(X, labels, layout, self.random_state)
        P = np.empty_like(D)
        trace = np.zeros(self.max_iter)
        # T_c = τX_cX_cᵀ + λX̄_cX̄_cᵀ + γI = S + (τ−λ)X_cX_cᵀ: one factor of S serves all classes.
        S = self.suppression * (X.T @ X)
        S.flat[:: len(S) + 1] += self.ridge
        whitened = cho_solve(cho_factor(S), X.T).T  # rows x S⁻¹
        for c, part in enumerate(class_parts(labels)):
            own = layout.own(c)
            D[own], P[own], steps = self._learn_class(X[part], whitened[part], D[own])
            trace += steps
        self.dictionary_, self.projection_, self.objective_trace_ = D, P, trace
        self.n_iter_ = self.max_iter

    @cached_property
    def _grams(self) -> list[Array]:
        """The products of each class's atoms."""
        own = [self.dictionary_[self._layout.own(c)] for c in range(self._layout.n_classes)]
        return [atoms @ atoms.T for atoms in own]

    def _learn_class(self, X: Array, whitened: Array, D: Array) -> tuple[Array, Array, Array]:
        """The loop of one class. P = A R with R = τ(I + (τ−λ)X S⁻¹Xᵀ)⁻¹ X S⁻¹ is never formed."""
        tau = self.fidelity
        system = (tau - self.suppression) * (X @ whitened.T)
        system.flat[:: len(system) + 1] += 1
        R = tau * np.linalg.solve(system, whitened)
        Phi = X @ R.T  # PXᵀ of the samples, given their codes: rows of codes times Phi
        identity = np.eye(len(D))
        A = np.linalg.solve(D @ D.T + tau * identity, D @ X.T).T  # codes, rows are samples
        trace = np.empty(self.max_iter)
        for step in range(self.max_iter):
            projected = Phi @ A
            D = update_atoms(D, A.T @ A, A.T @ X, sweeps=2)
            A = np.linalg.solve(D @ D.T + tau * identity, D @ X.T + tau * projected.T).T
            trace[step] = self._objective(X, D, A, Phi)
        return D, A.T @ R, trace

    def _objective(self, X: Array, D: Array, A: Array, Phi: Array) -> float:
        """Objective of a class at the best P, ridge included: the P-terms are τ tr(Aᵀ(I − Φ)A)."""
        return float(((X - A @ D) ** 2).sum() + self.fidelity * (A * (A - Phi @ A)).sum())

    def _scores(self, X: Array) -> Array:
        codes, correlations = X @ self.projection_.T, X @ self.dictionary_.T
        xp, scores = namespace(X), []
        for c, gram in enumerate(self._grams):
            own = self._layout.own(c)
            slope = 2 * correlations[:, own] - codes[:, own] @ gram
            scores.append(xp.einsum("ij,ij->i", codes[:, own], slope))
        return xp.stack(scores, 1) - energies(X)[:, None]
