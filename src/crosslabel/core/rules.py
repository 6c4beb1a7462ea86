"""The paper's two classifiers as scores per class: global (GCC) and local (LCC) coding.

Each rule prepares what depends on the dictionary alone; a query then costs one or two projections
and sums over the atoms of each class. Scores are negated, so that the highest one wins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import (
    cholesky,
    is_tensor,
    namespace,
    one_thread,
    solve_lower,
    solve_upper,
    threads_for,
)
from crosslabel.core.coding import ridge_coder
from crosslabel.core.scaling import Array

_BLOCK = 2**19
"""Values of codes handled at a time: few enough to stay in cache between the steps of a rule."""


class GlobalRule:
    """argmin over c of ‖y − x_S D_S‖² / ‖x_S‖₁, with x the ridge code of y over all atoms.

    The residual is ‖y‖² + x₀·q₀ + x_c·q_c with q₀ = x₀G₀₀ − 2p₀, q_c = x_cG_cc + 2x₀G₀c − 2p_c,
    p = yDᵀ and G = DDᵀ. All of x and q are linear in y: one product gives them side by side.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    ridge : float
        β.
    """

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        k, info = layout.shared, np.finfo(dictionary.dtype)
        exact = dictionary.astype(np.float64, copy=False)
        D, size = _padded(exact, layout)
        X, _ = _padded(ridge_coder(exact, ridge), layout)
        self.n_shared, self.n_classes, self.size = k, layout.n_classes, size
        Q = self._slopes(X, D)
        rows = np.concatenate([X[:k], Q[:k], X[k:], Q[k:]])
        self.projection = np.ascontiguousarray(rows.T, dictionary.dtype)
        self.ones = np.ones(max(size, k), dictionary.dtype)
        self.zero, self.tiny = np.zeros((), dictionary.dtype), np.array(info.tiny)
        self.eps = float(info.eps)

    def _slopes(self, X: Array, D: Array) -> Array:
        """Rows Q with q = yQᵀ, from those of the codes, x = yXᵀ."""
        k, shape = self.n_shared, (self.n_classes, self.size, -1)
        own, atoms = X[k:].reshape(shape), D[k:].reshape(shape)
        Q = -2 * D
        Q[:k] += D[:k] @ D[:k].T @ X[:k]
        Q[k:] += 2 * (D[k:] @ D[:k].T) @ X[:k]
        Q[k:] += (atoms @ atoms.transpose(0, 2, 1) @ own).reshape(Q[k:].shape)
        return Q

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        return _in_blocks(self._block_scores, Y, self.projection.shape[1], self.n_classes)

    def _block_scores(self, Y: Array) -> Array:
        n, k, xp = len(Y), self.n_shared, namespace(Y)
        both = Y @ self.projection
        sums = self._sums(both[:, 2 * k :].reshape(n, 2, self.n_classes, self.size))
        if k:
            sums += self._sums(both[:, : 2 * k].reshape(n, 2, 1, k))
        energy = xp.einsum("ij,ij->i", Y, Y)
        masses, residuals = sums[:, 0], energy[:, None] + sums[:, 1]
        # A class whose atoms the code does not touch must not divide by zero; nor any class, where
        # the query is orthogonal to all atoms.
        floor = xp.maximum(self.eps * masses.sum(axis=1), self.eps**2 * xp.sqrt(energy))[:, None]
        masses = xp.maximum(masses, xp.maximum(floor, self.tiny))
        return -xp.maximum(residuals, self.zero) / masses

    def _sums(self, both: Array) -> Array:
        """‖x‖₁ and x·q over the last axis of [x, q], which they overwrite."""
        x, q = both[:, 0], both[:, 1]
        q *= x
        namespace(x).abs(x, out=x)
        # A product with ones: NumPy's own sum along so short an axis takes three times as long.
        return both @ self.ones[: both.shape[-1]]


class LocalRule:
    """argmin over c of ‖y − xD̃ᶜ‖², with x the ridge code of y over D̃ᶜ = [D⁰ Dᶜ] alone.

    The residual is ‖y‖² − pQp with p = yD̃ᶜᵀ and Q = A⁻¹(G + 2βI)A⁻¹, A = G + βI, G = D̃ᶜD̃ᶜᵀ.
    With Q = FFᵀ, F triangular from the own atoms down to the shared ones, the last columns of pF
    are p₀F₀₀ and need the shared atoms alone; the others are one product with y.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    ridge : float
        β.
    """

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        k, rows_type, size = layout.shared, dictionary.dtype, max(layout.per_class)
        self.n_shared, self.n_classes, self.size = k, layout.n_classes, size
        D = dictionary.astype(np.float64, copy=False)
        self.projection = np.zeros((D.shape[1], k + layout.n_classes * size), rows_type)
        self.projection[:, :k] = D[:k].T
        factors = []
        with one_thread():
            for c, n_own in enumerate(layout.per_class):
                atoms = np.concatenate([D[layout.own(c)], D[:k]])
                factor = _explained_energy(atoms, ridge)
                start = k + c * size
                self.projection[:, start : start + n_own] = atoms.T @ factor[:, :n_own]
                factors.append(factor[n_own:, n_own:])
        self.shared_factor = np.concatenate(factors, axis=1).astype(rows_type)
        self.zero = np.zeros((), rows_type)

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        width = self.n_classes * (self.n_shared + self.size)
        return _in_blocks(self._block_scores, Y, width, self.n_classes)

    def _block_scores(self, Y: Array) -> Array:
        """‖pF‖² − ‖y‖²."""
        k, xp, shape = self.n_shared, namespace(Y), (len(Y), self.n_classes, -1)
        p = Y @ self.projection
        explained = _class_energies(p[:, k:].reshape(shape))
        if k:
            explained += _class_energies((p[:, :k] @ self.shared_factor).reshape(shape))
        energy = xp.einsum("ij,ij->i", Y, Y)
        return xp.minimum(explained - energy[:, None], self.zero)


def _class_energies(values: Array) -> Array:
    return namespace(values).einsum("ncs,ncs->nc", values, values)


RULES: dict[str, type[GlobalRule] | type[LocalRule]] = {"global": GlobalRule, "local": LocalRule}


def _explained_energy(atoms: Array, ridge: float) -> Array:
    """Lower triangular F with FFᵀ = A⁻¹(G + 2βI)A⁻¹, A = G + βI."""
    gram, identity = atoms @ atoms.T, np.eye(len(atoms))
    try:
        L = cholesky(gram + ridge * identity)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"The local code is not determined: {len(atoms)} own and shared atoms of a class are "
            f"linearly dependent and ridge is {ridge:g}. Use ridge > 0, or fewer atoms."
        ) from None
    energies, axes = np.linalg.eigh(gram + 2 * ridge * identity)
    root = (axes * np.sqrt(np.maximum(energies, 0))).T
    # Any root will do: its QR factor is triangular, and as exact as the root.
    return np.linalg.qr(solve_upper(solve_lower(root, L), L)).R.T


def _padded(rows: Array, layout: AtomLayout) -> tuple[Array, int]:
    """Atoms with zeros after those of small classes, so that all classes have one size."""
    size = max(layout.per_class)
    if min(layout.per_class) == size:
        return rows, size
    padded = np.zeros((layout.shared + layout.n_classes * size, rows.shape[1]), rows.dtype)
    padded[: layout.shared] = rows[: layout.shared]
    for c, n_atoms in enumerate(layout.per_class):
        start = layout.shared + c * size
        padded[start : start + n_atoms] = rows[layout.own(c)]
    return padded, size


def _in_blocks(score: Callable[[Array], Array], Y: Array, width: int, n_classes: int) -> Array:
    """Apply a rule to so many queries at a time that the arrays between stay in cache."""
    if is_tensor(Y):  # a device has no use for small batches; its caller knows what fits
        return score(Y)
    step = max(64, _BLOCK // width)
    with threads_for(2.0 * Y.size * width):
        if len(Y) <= step:
            return score(Y)
        scores = np.empty((len(Y), n_classes), Y.dtype)
        for start in range(0, len(Y), step):
            scores[start : start + step] = score(Y[start : start + step])
    return scores
