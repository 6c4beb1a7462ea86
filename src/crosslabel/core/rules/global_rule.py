"""Global coding (GCC): one code over all atoms, and what each class's part of it leaves."""

from __future__ import annotations

import numpy as np

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import energies, in_float64, namespace, zeros
from crosslabel.core.coding import RidgeCoder, ridge_codes
from crosslabel.core.rules.explanation import Share, share
from crosslabel.core.rules.graph_builder import GraphBuilder
from crosslabel.core.rules.rule import Rule, class_blocks, in_blocks
from crosslabel.core.scaling import Array


class GlobalRule(Rule):
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

    cost = "residual² / Σ|coefficients|"
    takes_tensors = True
    halves = True

    def __init__(self, dictionary: Array, layout: AtomLayout, ridge: float) -> None:
        super().__init__(dictionary, layout, ridge)
        k, n, size = layout.shared, layout.n_classes, max(layout.per_class)
        self.n_shared, self.n_classes, self.size = k, n, size
        info, n_features = namespace(dictionary).finfo(dictionary.dtype), dictionary.shape[1]
        rows = zeros((2 * (k + n * size), n_features), dictionary)
        own = rows[2 * k :].reshape(2, n, size, n_features)
        coder = RidgeCoder(dictionary, ridge)
        D0, X0 = in_float64(dictionary[:k]), coder(slice(0, k))
        rows[:k], rows[k : 2 * k] = X0, D0 @ D0.T @ X0 - 2 * D0
        for block in class_blocks(layout, n_features):
            D = block.padded(in_float64(dictionary[block.atoms]), size)
            X = block.padded(coder(block.atoms), size)
            own[0, block.classes], own[1, block.classes] = X, _slopes(X, D, X0, D0)
        # A view: the product takes either order, and a transposed copy takes a third as long.
        self.projection = rows.T
        self.ones, self.zero = zeros((max(size, k),), dictionary) + 1, zeros((), dictionary)
        self.tiny = np.array(info.tiny)
        self.eps = float(info.eps)

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        return in_blocks(self._block_scores, Y, self.projection.shape[1], self.n_classes)

    def _block_scores(self, Y: Array) -> Array:
        n, k, xp = len(Y), self.n_shared, namespace(Y)
        both = Y @ self.projection
        sums = self._sums(both[:, 2 * k :].reshape(n, 2, self.n_classes, self.size))
        if k:
            sums += self._sums(both[:, : 2 * k].reshape(n, 2, 1, k))
        energy = energies(Y)
        residuals = xp.maximum(energy[:, None] + sums[:, 1], self.zero)
        return -residuals / above_zero(self._masses(sums[:, 0]), energy)

    @classmethod
    def scores_once(cls, Y: Array, dictionary: Array, layout: AtomLayout, ridge: float) -> Array:
        """The scores from the definition: one code each, and what every class leaves by it."""
        codes = ridge_codes(Y, dictionary, ridge)
        residuals = np.empty((len(Y), layout.n_classes), dictionary.dtype)
        masses = np.empty_like(residuals)
        for c in range(layout.n_classes):
            atoms = layout.free(c)
            terms = codes[:, atoms]
            residuals[:, c] = energies(Y - terms @ dictionary[atoms])
            cls._replace_by_terms(terms)
            masses[:, c] = cls._masses(terms.sum(axis=1))
        return -residuals / above_zero(masses, energies(Y))

    def _sums(self, both: Array) -> Array:
        """Mass of x and x·q over the last axis of [x, q], which they overwrite."""
        x, q = both[:, 0], both[:, 1]
        q *= x
        self._replace_by_terms(x)
        # A product with ones: NumPy's own sum along so short an axis takes three times as long.
        return both @ self.ones[: both.shape[-1]]

    @staticmethod
    def _replace_by_terms(x: Array) -> None:
        """What each coefficient adds to the mass, in its place."""
        namespace(x).abs(x, out=x)

    @staticmethod
    def _masses(sums: Array) -> Array:
        """The mass of each class, from the sum of its terms."""
        return sums

    def _onnx_term(self, graph: GraphBuilder, x: str) -> str:
        """Nodes that do what `_replace_by_terms` does."""
        return graph.node("Abs", x)

    def _onnx_masses(self, graph: GraphBuilder, sums: str) -> str:
        """Nodes that do what `_masses` does."""
        return sums

    def explanation(self, query: Array) -> list[Share]:
        """How each class accounts for one query: with its part of the code over all atoms."""
        D, layout, ridge = self.atoms
        code = ridge_codes(query[None], D, ridge)[0]
        total = max(float(np.abs(code).sum()), float(self.tiny))
        shares = []
        for c, score in enumerate(self.scores(query[None])[0]):
            own = float(np.abs(code[layout.own(c)]).sum()) / total
            atoms, also = layout.free(c), f" and carry {own:.0%} of the coefficients"
            shares.append(share(query, D, atoms, code[atoms], score=score, also=also))
        return shares

    def onnx_scores(self, graph: GraphBuilder, rows: str) -> str:
        """−max(‖y‖² + x_S·q_S, 0) over the mass of x_S, with the guards of `scores`."""
        k, own = self.n_shared, (self.n_classes, self.size)
        shapes = [(1, k), own] if k else [own]
        widths = [n * size for n, size in shapes for _ in "xq"]
        parts = graph.split(graph.product(rows, self.projection), widths)
        pairs = list(zip(parts[::2], parts[1::2], shapes))
        sums = graph.added(
            graph.class_sums(self._onnx_term(graph, x), shape) for x, _, shape in pairs
        )
        masses = self._onnx_masses(graph, sums)
        slopes = graph.added(
            graph.class_sums(graph.node("Mul", x, q), shape) for x, q, shape in pairs
        )
        energy = graph.row_energies(rows)
        residuals = graph.node("Max", graph.node("Add", energy, slopes), graph.number(0.0))
        eps, tiny = (graph.number(value) for value in (self.eps, self.tiny))
        touched = graph.node("Mul", graph.row_sums(masses, keepdims=True), eps)
        norm = graph.node("Sqrt", energy)
        orthogonal = graph.node("Mul", norm, graph.number(self.eps**2))
        masses = graph.node("Max", masses, touched, orthogonal, tiny)
        return graph.node("Neg", graph.node("Div", residuals, masses))


def _slopes(X: Array, D: Array, X0: Array, D0: Array) -> Array:
    """Rows Q with q_c = yQᵀ of some classes, from those of their codes, x_c = yXᵀ."""
    Q = D @ D.swapaxes(1, 2) @ X
    Q -= 2 * D
    if len(D0):
        Q += 2 * (D @ D0.T) @ X0
    return Q


def above_zero(masses: Array, energy: Array) -> Array:
    """Masses of the classes, (n_queries, n_classes), to divide the residuals of queries by.

    A class whose atoms the code does not touch must not divide by zero; nor any class, where the
    query, whose ‖y‖² is in `energy`, is orthogonal to all atoms.
    """
    xp = namespace(masses)
    info = xp.finfo(masses.dtype)
    floor = info.eps * xp.maximum(masses.sum(axis=1), info.eps * xp.sqrt(energy))
    return xp.clip(xp.maximum(masses, floor[:, None]), info.tiny, None)
