"""Ways to write a descriptor in the words of a codebook, for many descriptors at once.

Each function takes descriptors (n, d), a codebook and a number of words to use, and returns word
indices (n, k) and their coefficients (n, k): a sparse code without its zeros.
A new way is one function and one entry in `ASSIGNMENTS`. Imports NumPy and core only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.active_set import active_set_lasso
from crosslabel.core.scaling import Array

Codes = tuple[NDArray[np.intp], Array]
LLC_REGULARISATION = 1e-4  # of the local Gram matrix's trace, the value of the LLC paper
L1_PENALTY = 0.3  # λ of ScSPM for descriptors of about unit norm: some ten words each
BLOCK = 256  # descriptors at a time: their products with a thousand words then stay in the cache


class Codebook(NamedTuple):
    """Words and what all assignments need of them, computed once."""

    words: Array  # (n_words, d)
    gram: Array  # (n_words, n_words)

    @classmethod
    def of(cls, words: Array) -> Self:
        """The codebook of these words."""
        return cls(words, words @ words.T)


def hard(descriptors: Array, codebook: Codebook, words: int = 1) -> Codes:
    """The nearest word, with coefficient one."""
    nearest = nearest_words(descriptors, codebook, 1)[0]
    return nearest, np.ones(nearest.shape, descriptors.dtype)


def llc(descriptors: Array, codebook: Codebook, words: int = 5) -> Codes:
    """min ‖x − cᵀB‖² over codes c on the k nearest words B with Σc = 1 (Wang et al., CVPR 2010).

    With Z = B − x the solution is proportional to (ZZᵀ + εI)⁻¹ 1. ZZᵀ follows from the codebook's
    Gram matrix and the products x·b that the search has computed, without touching B again.
    """
    nearest, products = nearest_words(descriptors, codebook, words)
    squares = np.einsum("ij,ij->i", descriptors, descriptors)
    local = codebook.gram[nearest[:, :, None], nearest[:, None, :]].astype(np.float64)
    local += squares[:, None, None] - products[:, :, None] - products[:, None, :]
    diagonal = np.arange(nearest.shape[1])
    trace = local[:, diagonal, diagonal].sum(axis=1, keepdims=True)
    # A descriptor that equals all its words has no trace; it may use them alike.
    local[:, diagonal, diagonal] += np.where(trace > 0, LLC_REGULARISATION * trace, 1)
    codes = np.linalg.solve(local, np.ones((*nearest.shape, 1)))[..., 0]
    codes /= codes.sum(axis=1, keepdims=True)
    return nearest, codes.astype(descriptors.dtype)


def sparse(descriptors: Array, codebook: Codebook, words: int = 5) -> Codes:
    """Orthogonal matching pursuit: min ‖x − cᵀB‖² greedily, with k words; the loop is over k.

    Words are compared at unit length, as the pursuit is defined for them.
    """
    norms = np.sqrt(np.diag(codebook.gram))
    norms = np.where(norms > 0, norms, 1)
    gram = codebook.gram / norms / norms[:, None]
    start = descriptors @ (codebook.words / norms[:, None]).T
    correlation = start.copy()
    samples = np.arange(len(descriptors))
    chosen = np.empty((len(descriptors), 0), dtype=np.intp)
    codes = np.empty((len(descriptors), 0), descriptors.dtype)
    for _ in range(min(words, len(codebook.words))):
        free = np.abs(correlation)
        free[samples[:, None], chosen] = -1
        chosen = np.column_stack([chosen, free.argmax(axis=1)])
        local = gram[chosen[:, :, None], chosen[:, None, :]].astype(np.float64)
        # Two equal words would make the system singular; this is far below a coefficient's digits.
        local += 1e-9 * np.eye(chosen.shape[1])
        codes = np.linalg.solve(local, start[samples[:, None], chosen][..., None])[..., 0]
        correlation = start - np.einsum("nk,nkw->nw", codes.astype(start.dtype), gram[chosen])
    return chosen, (codes / norms[chosen]).astype(descriptors.dtype)


def lasso(descriptors: Array, codebook: Codebook, words: int = 32) -> Codes:
    """min ‖x − cᵀB‖² + λ‖c‖₁ over the k words with the largest products (Yang et al., CVPR 2009).

    With as many words as the codebook has the code is the lasso's over all of them.
    """
    count = min(words, len(codebook.words))
    chosen = np.empty((len(descriptors), count), dtype=np.intp)
    codes = np.empty((len(descriptors), count), descriptors.dtype)
    for start in range(0, len(descriptors), BLOCK):
        block = slice(start, start + BLOCK)
        products = descriptors[block] @ codebook.words.T
        chosen[block] = np.argpartition(-np.abs(products), count - 1, axis=1)[:, :count]
        near = chosen[block]
        b = np.take_along_axis(products, near, axis=1).astype(np.float64)
        local = codebook.gram[near[:, :, None], near[:, None, :]].astype(np.float64)
        thresholds = np.full(b.shape, L1_PENALTY / 2)
        allowed = 1e-3 * L1_PENALTY / 2  # far below what pooling can see
        codes[block] = active_set_lasso(local, b, thresholds, np.zeros_like(b), allowed)
    return chosen, codes


def nearest_words(descriptors: Array, codebook: Codebook, count: int) -> Codes:
    """The `count` nearest words of each descriptor, nearest first, and the products with them.

    ‖x − b‖² orders words as ½‖b‖² − x·b does. A few passes of argmax over a row of products are an
    order of magnitude faster than a partial sort of it.
    """
    count = min(count, len(codebook.words))
    halves = 0.5 * np.diag(codebook.gram)
    nearest = np.empty((len(descriptors), count), dtype=np.intp)
    products = np.empty((len(descriptors), count), descriptors.dtype)
    for start in range(0, len(descriptors), BLOCK):
        block = slice(start, start + BLOCK)
        closeness = descriptors[block] @ codebook.words.T
        closeness -= halves
        samples = np.arange(len(closeness))
        for k in range(count):
            best = closeness.argmax(axis=1)
            nearest[block, k] = best
            products[block, k] = closeness[samples, best] + halves[best]
            closeness[samples, best] = -np.inf
    return nearest, products


ASSIGNMENTS: dict[str, Callable[[Array, Codebook, int], Codes]] = {
    "hard": hard,
    "llc": llc,
    "sparse": sparse,
    "lasso": lasso,
}
