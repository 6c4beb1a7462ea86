"""Structured analysis dictionary learning (Tang et al. 2018)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from crosslabel.core.lasso import soft_threshold
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import alternate
from crosslabel.methods.parameters import (
    COUNT,
    COUNTS,
    POSITIVE,
    POSITIVE_OR_ZERO,
    SEED,
    AtomCounts,
    Constraints,
    RandomState,
)
from crosslabel.methods.sparse_linear import ridge_regression
from crosslabel.methods.start import class_layout, one_hot, start_atoms

STEPS = 40
"""Proximal steps of the codes in a round, which begins where the last one ended."""

HALVINGS = 60
"""Of the interval of a multiplier: more than the digits of a float."""


class SADL(ComparisonMethod):
    r"""Structured analysis dictionary learning: sparse responses that tell the class.

    .. math::

        \min_{\Omega, U, Q, W} \|U - \Omega X\|_F^2 + \lambda \|U\|_1 + \rho \|H - Q U\|_F^2
        + \delta \|T - W U\|_F^2 + \varepsilon (\rho \|Q\|_F^2 + \delta \|W\|_F^2)
        \;\text{s.t.}\; \|\omega_k\|_2 \le 1

    with :math:`H_{ki} = 1` where atom k and sample i are of one class, and :math:`T` the
    indicators of the classes. A query's code is its response, soft-thresholded:
    :math:`u = S_{\lambda/2}(\Omega y)`, one product and no sparse code to solve for. The largest
    entry of :math:`W u` wins.

    Parameters
    ----------
    atoms_per_class : int, or array-like of shape (n_classes,), default=15
        Rows of Ω that start from each class; a class gives at most as many as it has samples.
    penalty : float, default=1e-3
        λ.
    structure : float, default=1e-2
        ρ.
    label_weight : float, default=1.0
        δ.
    ridge : float, default=1e-2
        ε.
    max_iter : int, default=10
        Most rounds of updates.
    tol : float, default=1e-3
        Stop when a round lowers the objective by no more than this part of it.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.

    Attributes
    ----------
    analysis_ : ndarray of shape (n_atoms, n_features)
        Ω.
    classifier_ : ndarray of shape (n_atoms, n_classes)
        W, transposed, its columns in canonical class order.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    W. Tang, A. Panahi, H. Krim and L. Dai, "Structured Analysis Dictionary Learning for Image
    Classification", ICASSP 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import SADL
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SADL(5, max_iter=3, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "atoms_per_class": COUNTS,
        "penalty": POSITIVE,
        "structure": POSITIVE_OR_ZERO,
        "label_weight": POSITIVE,
        "ridge": POSITIVE,
        "max_iter": COUNT,
        "tol": POSITIVE_OR_ZERO,
        "random_state": SEED,
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        penalty: float = 1e-3,
        structure: float = 1e-2,
        label_weight: float = 1.0,
        ridge: float = 1e-2,
        max_iter: int = 10,
        tol: float = 1e-3,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.penalty = penalty
        self.structure = structure
        self.label_weight = label_weight
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        layout = class_layout(labels, self._atom_counts(self.atoms_per_class))
        self._name_atoms(layout)
        T = one_hot(labels)
        # A column of H is a column of T, so that column of Q is one of W: the term of a class with
        # k atoms is that of its labels, ρk times.
        weights = self.label_weight + self.structure * np.array(layout.per_class, float)
        energies, axes = _spectrum(X)
        Z = X @ axes  # coordinates of the samples, in which their scatter is diagonal

        def sweep(Omega: Array, U: Array) -> tuple[Array, Array, float]:
            W = ridge_regression(U, T, self.ridge)
            U = labelled_codes(Z @ Omega.T, T, W, weights, self.penalty, U)
            Omega = responses_in_ball(U.T @ Z, energies)
            penalties = self.ridge * weights @ (W**2).sum(axis=0)
            return Omega, U, code_cost(U, Z @ Omega.T, T, W, weights, self.penalty) + penalties

        Omega: Array = start_atoms(X, labels, layout, self.random_state) @ axes
        U = soft_threshold(Z @ Omega.T, self.penalty / 2)
        Omega, _, self.objective_trace_ = alternate(sweep, Omega, U, self.max_iter, self.tol)
        self.analysis_ = Omega @ axes.T
        # Queries have codes without labels: so has what the classifier is learnt from in the end.
        responses = soft_threshold(X @ self.analysis_.T, self.penalty / 2)
        self.classifier_ = ridge_regression(responses, T, self.ridge)
        self.n_iter_ = len(self.objective_trace_)

    def _scores(self, X: Array) -> Array:
        return soft_threshold(X @ self.analysis_.T, self.penalty / 2) @ self.classifier_


def code_cost(U: Array, P: Array, T: Array, W: Array, weights: Array, penalty: float) -> float:
    """‖U − P‖² + λ‖U‖₁ + Σ_c ω_c‖t_c − Uw_c‖²."""
    labels = weights @ ((T - U @ W) ** 2).sum(axis=0)
    return float(((U - P) ** 2).sum() + penalty * np.abs(U).sum() + labels)


def labelled_codes(
    P: Array, T: Array, W: Array, weights: Array, penalty: float, start: Array
) -> Array:
    """min over U of `code_cost`, by proximal steps with momentum; never worse than the start.

    The quadratic form I + W diag(ω) Wᵀ is the identity but for one direction of each class: its
    least eigenvalue is one, its largest L, and Nesterov's constant momentum suits such a form.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_atoms)
        Responses ΩX.
    T : ndarray of shape (n_samples, n_classes)
    W : ndarray of shape (n_atoms, n_classes)
    weights : ndarray of shape (n_classes,)
        ω.
    penalty : float
        λ.
    start : ndarray of shape (n_samples, n_atoms)

    Returns
    -------
    ndarray of shape (n_samples, n_atoms)
    """
    weighted = W * weights
    L = 1 + float(np.linalg.eigvalsh((W * np.sqrt(weights)).T @ (W * np.sqrt(weights)))[-1])
    momentum = (np.sqrt(L) - 1) / (np.sqrt(L) + 1)
    # A step to U − slope/L is one to (1 − 1/L)U + (P + T(Wω)ᵀ)/L − UW(Wω)ᵀ/L. In place: the passes
    # over all codes take as long as the products.
    targets, back, threshold = (P + T @ weighted.T) / L, -weighted.T / L, penalty / (2 * L)
    U, ahead = start, start.copy()
    for _ in range(STEPS):
        fresh = (ahead @ W) @ back
        fresh += targets
        ahead *= 1 - 1 / L
        fresh += ahead
        fresh -= np.clip(fresh, -threshold, threshold, out=ahead)
        np.multiply(U, -momentum, out=ahead)
        ahead += (1 + momentum) * fresh
        U = fresh
    costs = [code_cost(codes, P, T, W, weights, penalty) for codes in (U, start)]
    return U if costs[0] < costs[1] else start


def _spectrum(X: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors (columns) of XᵀX, without those of rounding."""
    _, values, axes = np.linalg.svd(X, full_matrices=False)
    kept = values > max(X.shape) * np.finfo(float).eps * values[0]
    return values[kept] ** 2, axes[kept].T


def responses_in_ball(B: Array, energies: Array) -> Array:
    """min over ω of ωᵀSω − 2bᵀω with ‖ω‖ ≤ 1 for each row b of B, S = diag(energies).

    ω = (S + μI)⁻¹b with the least μ ≥ 0 for which ‖ω‖ ≤ 1, found by halving.

    Parameters
    ----------
    B : ndarray of shape (n_rows, n_coordinates)
    energies : ndarray of shape (n_coordinates,)
        Positive.

    Returns
    -------
    ndarray of shape (n_rows, n_coordinates)
    """
    low = np.zeros((len(B), 1))
    high = np.sqrt((B**2).sum(axis=1, keepdims=True))  # ‖b‖/(s + ‖b‖) < 1 whatever s
    free = ((B / energies) ** 2).sum(axis=1, keepdims=True) <= 1
    high[free] = 0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        outside = ((B / (energies + middle)) ** 2).sum(axis=1, keepdims=True) > 1
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    return B / (energies + high)
