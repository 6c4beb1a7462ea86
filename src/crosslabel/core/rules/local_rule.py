"""Local coding (LCC): a code over each class's own and the shared atoms, and what it leaves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import (
    ArrayOrTensor,
    beside,
    energies,
    in_float64,
    in_type,
    is_tensor,
    namespace,
    on_gpu,
    one_thread,
    zeros,
)
from crosslabel.core.coding import ridge_codes
from crosslabel.core.rules.explanation import Share, share
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.rules.rule import Rule, in_blocks
from crosslabel.core.scaling import Array

_TOGETHER = 2**18
"""Values of atoms that are decomposed together: few enough to stay in cache."""


class LocalRule(Rule):
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

    cost = "residual²"
    takes_tensors = True
    halves = True

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        super().__init__(dictionary, layout, ridge)
        k, size, D, xp = layout.shared, max(layout.per_class), dictionary, namespace(dictionary)
        self.n_shared, self.n_classes, self.size = k, layout.n_classes, size
        self.projection = zeros((D.shape[1], k + layout.n_classes * size), D)
        self.projection[:, :k] = D[:k].T
        own = self.projection[:, k:].reshape(D.shape[1], layout.n_classes, size)
        shared = zeros((k, layout.n_classes, k), D)
        with one_thread():
            # On a device calls cost more than what does not fit into a cache.
            together = _TOGETHER << 6 if is_tensor(D) else _TOGETHER
            for classes, n_own in _of_one_size(layout, together // D.shape[1]):
                places = layout.starts[classes, None] + np.arange(n_own)
                ends = np.broadcast_to(np.arange(k), (len(classes), k))
                used, these = (beside(v, D) for v in (np.hstack([places, ends]), classes))
                atoms = in_float64(D[used])
                factors = _explained_energy(atoms, ridge, n_own)
                rows = factors[..., :n_own].swapaxes(1, 2) @ atoms
                own[:, these, :n_own] = in_type(xp.moveaxis(rows, 2, 0), D.dtype)
                shared[:, these] = in_type(factors[:, n_own:, n_own:].swapaxes(0, 1), D.dtype)
        self.shared_factor = shared.reshape(k, layout.n_classes * k)
        self.zero = zeros((), D)

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        width = self.n_classes * (self.n_shared + self.size)
        return in_blocks(self._block_scores, Y, width, self.n_classes)

    def _block_scores(self, Y: Array) -> Array:
        """‖pF‖² − ‖y‖²."""
        k, xp, shape = self.n_shared, namespace(Y), (len(Y), self.n_classes, -1)
        p = Y @ self.projection
        explained = _class_energies(p[:, k:].reshape(shape))
        if k:
            explained += _class_energies((p[:, :k] @ self.shared_factor).reshape(shape))
        return xp.minimum(explained - energies(Y)[:, None], self.zero)

    def explanation(self, query: Array) -> list[Share]:
        """How each class accounts for one query: with a code over its own and the shared atoms."""
        D, layout, ridge = self.atoms
        shares = []
        for c, score in enumerate(self.scores(query[None])[0]):
            atoms = layout.free(c)
            code = ridge_codes(query[None], D[atoms], ridge)[0]
            shares.append(share(query, D, atoms, code, score=score))
        return shares

    def onnx_scores(self, graph: GraphBuilder, rows: str) -> str:
        """min(‖pF‖² − ‖y‖², 0)."""
        k, n_classes, size = self.n_shared, self.n_classes, self.size
        own, terms = graph.product(rows, self.projection), []
        if k:
            shared, own = graph.split(own, [k, n_classes * size])
            terms.append((graph.product(shared, self.shared_factor), (n_classes, k)))
        terms.append((own, (n_classes, size)))
        explained = graph.added(
            graph.class_sums(graph.node("Mul", pF, pF), shape) for pF, shape in terms
        )
        scores = graph.node("Sub", explained, graph.row_energies(rows))
        return graph.node("Min", scores, graph.number(0.0))


def _class_energies(values: ArrayOrTensor) -> ArrayOrTensor:
    if is_tensor(values):  # as an einsum each class of each query would be a product of its own
        return values.square().sum(2)
    return np.einsum("ncs,ncs->nc", values, values)


def _of_one_size(layout: AtomLayout, n_atoms: int) -> Iterator[tuple[NDArray[np.intp], int]]:
    """Classes with as many atoms as one another, some at a time, and that number."""
    sizes = np.array(layout.per_class)
    for n_own in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == n_own)
        step = max(1, n_atoms // max(1, n_own + layout.shared))
        yield from ((alike[s : s + step], n_own) for s in range(0, len(alike), step))


def _explained_energy(atoms: Array, ridge: float, n_own: int) -> Array:
    """F with FFᵀ = A⁻¹(G + 2βI)A⁻¹, A = G + βI, of each class; lower triangular with shared atoms.

    With G = V diag(g) Vᵀ the root is V diag(√(g + 2β) / (g + β)).
    """
    xp, size = namespace(atoms), atoms.shape[1]
    gram = atoms @ atoms.swapaxes(1, 2)
    values, axes = (on_gpu("eigh", gram) or xp.linalg.eigh)(gram)
    shifted = values + ridge
    # An eigenvalue at the rounding level of the largest carries no digit of the true one.
    if size and (shifted[:, 0] <= size * np.finfo(np.float64).eps * shifted[:, -1]).any():
        raise np.linalg.LinAlgError(
            f"The local code is not determined: {size} own and shared atoms of a class are "
            f"linearly dependent and ridge is {ridge:g}. Use ridge > 0, or fewer atoms."
        )
    roots = axes * (xp.sqrt(xp.clip(values + 2 * ridge, 0, None)) / shifted)[:, None, :]
    if n_own == size:
        return roots
    # The QR factor of any root is triangular, and as exact as the root.
    return xp.linalg.qr(roots.swapaxes(1, 2)).R.swapaxes(1, 2)
