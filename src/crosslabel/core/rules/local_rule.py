"""Local coding (LCC): a code over each class's own and the shared atoms, and what it leaves."""

from __future__ import annotations

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import cholesky, namespace, one_thread, solve_lower, solve_upper
from crosslabel.core.coding import ridge_codes
from crosslabel.core.residuals import energies
from crosslabel.core.rules.blocks import in_blocks
from crosslabel.core.rules.explanation import Share, share
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.rules.rule import Rule
from crosslabel.core.scaling import Array


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

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        super().__init__(dictionary, layout, ridge)
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


def _class_energies(values: Array) -> Array:
    return namespace(values).einsum("ncs,ncs->nc", values, values)


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
