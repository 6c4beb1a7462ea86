"""Algorithm 1 of the paper, literally: the oracle of the tests and the solver "paper".

Wang and Gu, "Cross-label Suppression: A Discriminative and Fast Dictionary Learning with Group
Regularization", IEEE TIP 2017. Columns are samples and atoms here, as in the paper: Y is M×N, D is
M×K, X is K×N. Nothing is rearranged for speed; `solver.learn` is the fast way to the same place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.moments import Labels
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import Array


def laplacian(n: int) -> Array:
    """L̃: 1 on the diagonal, −1/(n−1) off it; zero for a single sample."""
    if n == 1:
        return np.zeros((1, 1))
    return (n * np.eye(n) - np.ones((n, n))) / (n - 1)


def suppressor(layout: AtomLayout, label: int) -> Array:
    """Pᶜ: keeps the rows of a code that belong to other classes' atoms."""
    return np.diag(((layout.labels >= 0) & (layout.labels != label)).astype(float))


def start_codes(Y: Array, D: Array, ridge: float) -> Array:
    """X₀ = (DᵀD + βI)⁻¹DᵀY."""
    return np.linalg.solve(D.T @ D + ridge * np.eye(D.shape[1]), D.T @ Y)


def code_step(
    Y: Array, labels: Labels, D: Array, X: Array, layout: AtomLayout, penalties: Penalties
) -> Array:
    """Xᶜ ← (DᵀD + λPᶜ + (β+γ)I)⁻¹ (DᵀYᶜ − γXᶜ(L̃ᶜ − I)), once, class by class."""
    beta, lam, gamma = penalties
    X, G, identity = X.copy(), D.T @ D, np.eye(D.shape[1])
    for c in range(layout.n_classes):
        of_class = labels == c
        n = int(of_class.sum())
        # A single sample has no neighbours: its group term is zero and γ plays no part.
        g = gamma if n > 1 else 0.0
        right = D.T @ Y[:, of_class] - g * X[:, of_class] @ (laplacian(n) - np.eye(n))
        system = G + lam * suppressor(layout, c) + (beta + g) * identity
        X[:, of_class] = np.linalg.solve(system, right)
    return X


def atom_step(Y: Array, D: Array, X: Array, layout: AtomLayout) -> Array:
    """Part by part from the residual matrix Z; each atom d ← Z̃x̄ᵀ/‖Z̃x̄ᵀ‖, used at once."""
    D = D.copy()
    for part in layout.parts():
        others = np.setdiff1d(np.arange(layout.n_atoms), np.arange(part.start, part.stop))
        Z = Y - D[:, others] @ X[others]
        for i in range(part.start, part.stop):
            rest = [k for k in range(part.start, part.stop) if k != i]
            d = (Z - D[:, rest] @ X[rest]) @ X[i]
            norm = np.linalg.norm(d)
            if norm > 0:
                D[:, i] = d / norm
    return D


def learn(
    Y: Array,
    labels: Labels,
    D: Array,
    layout: AtomLayout,
    penalties: Penalties,
    n_iter: int,
    callback: Callable[[int, Array, Array], bool | None] | None = None,
) -> tuple[Array, Array]:
    """Algorithm 1: alternate the code step and the atom step from a start D.

    Parameters
    ----------
    Y : ndarray of shape (n_features, n_samples)
    labels : ndarray of int of shape (n_samples,)
    D : ndarray of shape (n_features, n_atoms)
    layout : AtomLayout
    penalties : Penalties
    n_iter : int
    callback : callable, optional
        Called as ``callback(iteration, D, X)``; a true value stops.

    Returns
    -------
    D : ndarray of shape (n_features, n_atoms)
    X : ndarray of shape (n_atoms, n_samples)
    """
    X = start_codes(Y, D, penalties.ridge)
    for iteration in range(n_iter):
        X = code_step(Y, labels, D, X, layout, penalties)
        D = atom_step(Y, D, X, layout)
        if callback and callback(iteration, D, X):
            break
    return D, X


def objective(
    Y: Array, labels: Labels, D: Array, X: Array, layout: AtomLayout, penalties: Penalties
) -> float:
    """Σ_c ‖Yᶜ − DXᶜ‖² + β‖Xᶜ‖² + λ‖PᶜXᶜ‖² + γ tr(XᶜL̃ᶜXᶜᵀ), from the samples."""
    beta, lam, gamma = penalties
    value = np.sum((Y - D @ X) ** 2) + beta * np.sum(X**2)
    for c in range(layout.n_classes):
        Xc = X[:, labels == c]
        value += lam * np.sum((suppressor(layout, c) @ Xc) ** 2)
        value += gamma * np.trace(Xc @ laplacian(Xc.shape[1]) @ Xc.T)
    return float(value)
