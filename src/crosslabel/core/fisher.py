"""The model of FDDL and LRSDL: class dictionaries, shared atoms, and a Fisher criterion on codes.

FDDL is the case without shared atoms. Imports numpy and core only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.lasso import coupled_lasso
from crosslabel.core.scaling import Array
from crosslabel.core.unit_ball import update_atoms


class FisherModel(NamedTuple):
    """The objective's constants: atoms, the slices of the classes' samples, and the weights.

    With Y_c the samples of class c, x̄ the mean code, and X⁰ the codes on shared atoms D⁰:

        Σ_c ‖Y_c − X_cD‖² + ‖Y_c − X_c^cD_c − X_c⁰D⁰‖² + Σ_{j≠c} ‖X_c^jD_j‖²
        + λ₁‖X‖₁ + λ₂[tr S_W − tr S_B + ‖X‖²] + λ₂‖X⁰ − X̄⁰‖² + ν‖D⁰‖_*

    where the Fisher criterion is on the class atoms' codes. In deviations from the class means it
    is 2Σ‖X_c − M_c‖² + N‖x̄‖²: convex.
    """

    layout: AtomLayout
    parts: Sequence[slice]
    penalty: float  # λ₁
    fisher: float  # λ₂
    nuclear: float = 0.0  # ν

    @property
    def shared(self) -> slice:
        """The shared atoms."""
        return slice(0, self.layout.shared)

    def objective(self, Y: Array, D: Array, X: Array) -> float:
        """Value of the objective."""
        fit, k = 0.0, self.layout.shared
        for c, part in enumerate(self.parts):
            y, x = Y[part], X[part]
            common = x[:, :k] @ D[:k]
            fit += ((y - x @ D) ** 2).sum()
            for j in range(self.layout.n_classes):
                own = self.layout.own(j)
                image = x[:, own] @ D[own]
                fit += ((y - image - common) ** 2).sum() if j == c else (image**2).sum()
        criterion = len(X) * (X[:, k:].mean(axis=0) ** 2).sum()
        criterion += 2 * sum(((X[p, k:] - X[p, k:].mean(axis=0)) ** 2).sum() for p in self.parts)
        criterion += ((X[:, :k] - X[:, :k].mean(axis=0)) ** 2).sum() if k else 0.0
        nuclear = np.linalg.svd(D[:k], compute_uv=False).sum() if k else 0.0
        total = fit + self.penalty * np.abs(X).sum() + self.fisher * criterion
        return float(total + self.nuclear * nuclear)

    def update_codes(self, Y: Array, D: Array, X: Array) -> Array:
        """Minimise over the codes of each class in turn, the others held."""
        X = X.copy()
        base = self._quadratic(D)
        correlations = Y @ D.T
        sums = X.sum(axis=0)
        k = self.layout.shared
        for c, part in enumerate(self.parts):
            own, n = self.layout.own(c), part.stop - part.start
            H, b = base, correlations[part].copy()
            b[:, own] *= 2
            b[:, :k] *= 2
            if k:
                H = base.copy()
                cross = D[:k] @ D[own].T
                H[:k, own] += cross
                H[own, :k] += cross.T
            others = (sums - X[part].sum(axis=0)) / len(X)
            weights = np.full(len(D), self.fisher * (1 / len(X) - 2 / n))
            weights[:k] = -self.fisher / len(X)
            b -= np.where(np.arange(len(D)) < k, -self.fisher, self.fisher) * others
            sums -= X[part].sum(axis=0)
            X[part] = coupled_lasso(H, b, self.penalty, weights, start=X[part])
            sums += X[part].sum(axis=0)
        return X

    def _quadratic(self, D: Array) -> Array:
        """What the quadratic forms of all classes have in common: G + blockdiag(G) + ridge."""
        gram = D @ D.T
        H = gram.copy()
        for block in self.layout.parts():
            H[block, block] += gram[block, block]
        ridge = np.full(len(D), 2 * self.fisher)
        ridge[self.shared] = self.fisher
        H.flat[:: len(H) + 1] += ridge
        return H

    def update_dictionary(self, Y: Array, D: Array, X: Array, sweeps: int = 1) -> Array:
        """Minimise over the atoms of each class in turn, then over the shared ones."""
        D = D.copy()
        A, B = X.T @ X, X.T @ Y
        k = self.layout.shared
        for c, part in enumerate(self.parts):
            own = self.layout.own(c)
            x = X[part, own]
            rest = A[own] @ D - A[own, own] @ D[own]
            inside = x.T @ (Y[part] - X[part, :k] @ D[:k])
            D[own] = update_atoms(D[own], 2 * A[own, own], B[own] - rest + inside, sweeps=sweeps)
        if k:
            D[:k] = self._update_shared(Y, D, X, A, B)
        return D

    def _update_shared(self, Y: Array, D: Array, X: Array, A: Array, B: Array) -> Array:
        """min 2‖L − X⁰D⁰‖² + ν‖D⁰‖_* with L the mean of what the two fits leave to share."""
        k = self.layout.shared
        target = 2 * B[:k] - A[:k, k:] @ D[k:]
        for c, part in enumerate(self.parts):
            own = self.layout.own(c)
            target -= (X[part, :k].T @ X[part, own]) @ D[own]
        return low_rank_atoms(D[:k], 2 * A[:k, :k], target, self.nuclear)


def low_rank_atoms(D: Array, A: Array, B: Array, nuclear: float, n_iter: int = 30) -> Array:
    """min tr(DᵀAD) − 2 tr(BᵀD) + ν‖D‖_* with atoms in the unit ball, by ADMM.

    Parameters
    ----------
    D, A, B : as for `update_atoms`
    nuclear : float
        ν.
    n_iter : int, default=30

    Returns
    -------
    ndarray of shape (n_atoms, n_features)
        The better one of the result and the start, so that the objective never rises.
    """
    if nuclear == 0:
        return update_atoms(D, A, B, sweeps=3)

    def value(Z: Array) -> float:
        values = np.linalg.svd(Z, compute_uv=False)
        return float((Z * (A @ Z - 2 * B)).sum() + nuclear * values.sum())

    # A step of the size of the curvature balances the two halves.
    rho = max(float(np.diag(A).mean()), np.finfo(float).tiny)
    best, low_rank, dual, atoms = D, D, np.zeros_like(D), D
    shifted = A + rho * np.eye(len(A))
    for _ in range(n_iter):
        atoms = update_atoms(atoms, shifted, B + rho * (low_rank - dual))
        left, values, right = np.linalg.svd(atoms + dual, full_matrices=False)
        low_rank = (left * np.maximum(values - nuclear / (2 * rho), 0)) @ right
        dual = dual + atoms - low_rank
    norms = np.sqrt((low_rank**2).sum(axis=1, keepdims=True))
    feasible = low_rank / np.maximum(norms, 1)
    return feasible if value(feasible) < value(best) else best
