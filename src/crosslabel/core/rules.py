"""The paper's two classifiers as scores per class: global (GCC) and local (LCC) coding.

Each rule prepares what depends on the dictionary alone; a query then costs one or two projections
and C small quadratic forms. Scores are negated, so that the highest one wins.
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

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    ridge : float
        β.
    """

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        k, rows_type = layout.shared, dictionary.dtype
        padded, size = _padded(dictionary, layout)
        coder, _ = _padded(ridge_coder(dictionary, ridge), layout)
        self.n_shared, self.n_classes, self.size = k, layout.n_classes, size
        # One product gives yDᵀ and the codes side by side.
        self.projection = np.concatenate([padded, coder]).T.copy()
        gram = padded[:k] @ padded.T
        self.gram_shared, self.gram_cross = gram[:, :k], gram[:, k:]
        own = padded[k:].reshape(layout.n_classes, size, -1)
        self.gram_own = own @ own.transpose(0, 2, 1)
        self.ones, self.zero = np.ones(size, rows_type), np.zeros((), rows_type)
        self.tiny = np.array(np.finfo(rows_type).tiny)

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        return _in_blocks(self._block_scores, Y, self.projection.shape[1], self.n_classes)

    def _block_scores(self, Y: Array) -> Array:
        """Residuals from projections: ‖r₀‖² − 2x_c·(p_c − x₀G₀c) + x_cG_cc x_cᵀ."""
        k, xp = self.n_shared, namespace(Y)
        both = Y @ self.projection
        half = both.shape[1] // 2
        p, x = both[:, :half], both[:, half:]
        x_shared, shape = x[:, :k], (len(Y), self.n_classes, self.size)
        residual = energy = xp.einsum("ij,ij->i", Y, Y)
        p_own, own = p[:, k:], x[:, k:].reshape(shape)
        # A product with ones: NumPy's own sum along so short an axis takes three times as long.
        masses = xp.abs(own) @ self.ones
        if k:
            correlation = x_shared @ self.gram_shared - 2 * p[:, :k]
            residual = residual + xp.einsum("ij,ij->i", x_shared, correlation)
            p_own = p_own - x_shared @ self.gram_cross
            masses += xp.abs(x_shared).sum(axis=1)[:, None]
        quadratic = xp.swapaxes(xp.swapaxes(own, 0, 1) @ self.gram_own, 0, 1)
        quadratic -= 2 * p_own.reshape(shape)
        residuals = residual[:, None] + xp.einsum("ncs,ncs->nc", own, quadratic)
        # A class whose atoms the code does not touch must not divide by zero; nor any class, where
        # the query is orthogonal to all atoms.
        eps = xp.finfo(Y.dtype).eps
        floor = xp.maximum(eps * masses.sum(axis=1), eps**2 * xp.sqrt(energy))[:, None]
        masses = xp.maximum(masses, xp.maximum(floor, self.tiny))
        return -xp.maximum(residuals, self.zero) / masses


class LocalRule:
    """argmin over c of ‖y − xD̃ᶜ‖², with x the ridge code of y over D̃ᶜ = [D⁰ Dᶜ] alone.

    The residual is ‖y‖² − pQp with p = yD̃ᶜᵀ and Q = A⁻¹(G + 2βI)A⁻¹, A = G + βI, G = D̃ᶜD̃ᶜᵀ;
    through a factor Q = FFᵀ it is ‖y‖² − ‖pF‖².

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    layout : AtomLayout
    ridge : float
        β.
    """

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        k = layout.shared
        padded, size = _padded(dictionary, layout)
        self.n_shared, self.n_classes, self.size = k, layout.n_classes, size
        self.projection = padded.T.copy()
        factors = np.zeros((layout.n_classes, k + size, k + size), dictionary.dtype)
        with one_thread():
            for c in range(layout.n_classes):
                n_free = k + layout.per_class[c]
                atoms = dictionary[layout.free(c)].astype(np.float64)
                factors[c, :n_free, :n_free] = _explained_energy(atoms, ridge)
        # Shared atoms: one product for all classes; own atoms: one small product per class.
        self.shared_factor = np.concatenate(list(factors[:, :k]), axis=1) if k else factors[0, :0]
        self.own_factors = np.ascontiguousarray(factors[:, k:])
        self.zero = np.zeros((), dictionary.dtype)

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        width = self.n_classes * (self.n_shared + self.size)
        return _in_blocks(self._block_scores, Y, width, self.n_classes)

    def _block_scores(self, Y: Array) -> Array:
        """‖p_S F‖² − ‖y‖², p_S F = p₀F₀ + p_c F_c."""
        k, n_free, xp = self.n_shared, self.n_shared + self.size, namespace(Y)
        p = Y @ self.projection
        own = p[:, k:].reshape(len(Y), self.n_classes, self.size)
        explained = xp.swapaxes(xp.swapaxes(own, 0, 1) @ self.own_factors, 0, 1)
        if k:
            explained += (p[:, :k] @ self.shared_factor).reshape(len(Y), self.n_classes, n_free)
        energy = xp.einsum("ij,ij->i", Y, Y)
        squares = xp.einsum("ncs,ncs->nc", explained, explained)
        return xp.minimum(squares - energy[:, None], self.zero)


RULES: dict[str, type[GlobalRule] | type[LocalRule]] = {"global": GlobalRule, "local": LocalRule}


def _explained_energy(atoms: Array, ridge: float) -> Array:
    """F with FFᵀ = A⁻¹(G + 2βI)A⁻¹, A = G + βI."""
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
    return solve_upper(solve_lower(root, L), L).T


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
