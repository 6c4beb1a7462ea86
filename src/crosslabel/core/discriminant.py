"""The Gaussian discriminant: the linear classifier that the same statistics hold.

g_c(y) = μ_cᵀW_α⁻¹y − ½ μ_cᵀW_α⁻¹μ_c, with W_α = W + α·tr(W)/M·I and W the covariance of samples
about the mean of their class. Features of unlike units are shrunk to their own variances instead:
W_α = W + α·diag(W), which is the former for features that were divided by their deviations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from crosslabel.core.backend import (
    ArrayOrTensor,
    add_to_diagonal,
    beside,
    cholesky,
    dtype_of,
    energies,
    in_float64,
    in_type,
    is_tensor,
    namespace,
    solve_lower,
    solve_upper,
    zeros,
)
from crosslabel.core.moments import Labels, Moments, within_scatter
from crosslabel.core.scaling import Array

UNVARIED = 1e-12
"""Of the energy: samples that vary by less leave rounding, and every shrinkage the nearest mean."""


@dataclass(frozen=True)
class Discriminant:
    """A linear score of each class; immutable.

    Attributes
    ----------
    weights : ndarray of shape (n_classes, n_features)
        μ_cᵀW_α⁻¹.
    offsets : ndarray of shape (n_classes,)
        −½ μ_cᵀW_α⁻¹μ_c.
    """

    weights: Array
    offsets: Array

    def scores(self, Y: Array) -> Array:
        """Score of each class for each row of Y, (n_queries, n_classes); the highest wins."""
        weights, offsets = self.weights, self.offsets
        if is_tensor(Y):
            beside = {"device": Y.device, "dtype": Y.dtype}
            weights, offsets = (namespace(Y).as_tensor(a, **beside) for a in (weights, offsets))
        return Y @ weights.T + offsets


def discriminant(
    statistics: Moments, shrinkage: float, own_variances: bool = False
) -> Discriminant:
    """The Gaussian discriminant with one α.

    Parameters
    ----------
    statistics : Moments
        Every class has at least one sample.
    shrinkage : float
        α ≥ 0; zero only if the samples vary in all features.
    own_variances : bool, default=False
        Whether W is shrunk to its diagonal.

    Returns
    -------
    Discriminant
        In the type of the statistics.

    Raises
    ------
    numpy.linalg.LinAlgError
        If α is zero and W singular.
    """
    return WithinClass.of(statistics, own_variances).discriminant(shrinkage)


@dataclass(frozen=True)
class WithinClass:
    """What the discriminants of all α have in common: the products of samples, summed once.

    A Cholesky factor for each α costs less than one eigendecomposition for all: thirty of them.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_features), or None
        F with FᵀF = W, where these are fewer than the features.
    gram : ndarray
        FFᵀ; without rows W itself.
    scale : float
        tr(W)/M; one for features that were divided by their deviations.
    means : ndarray of shape (n_classes, n_features)
    deviations : ndarray of shape (n_features,), or None
        What features were divided by, for W to be shrunk to its diagonal.
    dtype : dtype
        Of the statistics; all else is in float64.
    """

    rows: ArrayOrTensor | None
    gram: ArrayOrTensor
    scale: float
    means: ArrayOrTensor
    deviations: ArrayOrTensor | None
    dtype: object

    @classmethod
    def of(cls, statistics: Moments, own_variances: bool = False) -> WithinClass:
        """From the scatters of the classes, W = Σ_c S_c / Σ_c n_c."""
        array, is_factor = within_scatter(statistics)
        total = max(float(statistics.counts.sum()), np.finfo(float).tiny)
        rows = array / np.sqrt(total) if is_factor else None
        W = array / total if rows is None else rows @ rows.T
        return cls.of_scatter(rows, W, statistics.means, own_variances)

    @classmethod
    def of_scatter(
        cls,
        rows: ArrayOrTensor | None,
        W: ArrayOrTensor,
        given: ArrayOrTensor,
        own_variances: bool = False,
    ) -> WithinClass:
        """From W itself, or rows F with FᵀF = W and FFᵀ, and means in the type of the samples."""
        xp, trace = namespace(W), float(W.diagonal().sum())
        means, dtype = in_float64(given), given.dtype
        if not own_variances or not _varies(trace, given):
            return cls(rows, W, _scale(trace, given), means, None, dtype)
        variances = W.diagonal() if rows is None else xp.einsum("if,if->f", rows, rows)
        deviations = xp.sqrt(positive(variances))
        rows = None if rows is None else rows / deviations
        W = W / (deviations[:, None] * deviations) if rows is None else rows @ rows.T
        return cls(rows, W, 1.0, means / deviations, deviations, dtype)

    def discriminant(self, shrinkage: float) -> Discriminant:
        """The Gaussian discriminant with this α ≥ 0; parameters as for `discriminant`."""
        shift = shrinkage * self.scale
        if self.rows is not None and shift == 0:
            raise _singular(shrinkage)
        try:
            L = cholesky(add_to_diagonal(self.gram + 0, shift))
        except np.linalg.LinAlgError:
            raise _singular(shrinkage) from None
        if self.rows is None:
            solved = solve_upper(solve_lower(self.means, L), L)
        else:  # μ(FᵀF + τI)⁻¹ = (μ − μFᵀ(FFᵀ + τI)⁻¹F)/τ
            inside = solve_upper(solve_lower(self.means @ self.rows.T, L), L)
            solved = (self.means - inside @ self.rows) / shift
        offsets = -0.5 * namespace(solved).einsum("cf,cf->c", solved, self.means)
        if self.deviations is not None:
            solved = solved / self.deviations
        return Discriminant(in_type(solved, self.dtype), in_type(offsets, self.dtype))


def positive(variances: ArrayOrTensor) -> ArrayOrTensor:
    """Variances, with their mean for features that vary by no more than rounding."""
    mean = float(variances.mean()) or 1.0
    return namespace(variances).where(variances > 1e-12 * mean, variances, mean)


def _varies(trace: float, means: ArrayOrTensor) -> bool:
    """Whether samples vary by more than rounding: equal ones do by that of their mean."""
    eps = np.finfo(dtype_of(means)).eps
    rounding = (100 * eps) ** 2 * float(energies(means).max())
    return bool(trace > rounding)


def _scale(trace: float, means: ArrayOrTensor) -> float:
    """tr(W)/M; one where samples do not vary: every α then gives the nearest mean."""
    return trace / means.shape[1] if _varies(trace, means) else 1.0


def _singular(shrinkage: float) -> np.linalg.LinAlgError:
    return np.linalg.LinAlgError(
        "The discriminant is not determined: within their classes the samples do not vary in all "
        f"features, and the shrinkage is {shrinkage:g}. Use a larger shrinkage."
    )


class Contrasts(NamedTuple):
    """Turns the samples of each class so that one becomes its mean, the others what varies.

    With r the roots of the weights, a reflection takes r/‖r‖ to an axis, and so the rows r·x of a
    class to −√n μ, n = ‖r‖², and to rows that are one fewer than the samples and whose outer
    products sum to the scatter. All systems are smaller for it by a row for each class.

    Attributes
    ----------
    first, rest : ndarray of int
        Samples that become means, and those that become what varies. These and the roots lie with
        the products that are asked for, as does `across`.
    labels : ndarray of int
        Of the classes that have samples.
    masses : ndarray
        n of each of them.
    n_classes : int
        Of all; one without samples gets the mean of all samples.
    roots : ndarray of shape (n_samples, 1)
        r.
    across : csr_array of shape (n_labels, n_samples)
        v of each class, with which its reflection is I − vᵀv.
    """

    first: ArrayOrTensor
    rest: ArrayOrTensor
    labels: Labels
    masses: Array
    n_classes: int
    roots: ArrayOrTensor
    across: ArrayOrTensor

    @classmethod
    def of(cls, labels: Labels, weights: Array, n_classes: int) -> Contrasts:
        """Of samples ordered by class."""
        present, first, places = np.unique(labels, return_index=True, return_inverse=True)
        roots, masses = np.sqrt(weights), np.bincount(places, weights).astype(np.float64)
        mirror = roots / np.sqrt(masses)[places]
        mirror[first] += 1
        mirror /= np.sqrt(mirror[first])[places]
        numbers = np.arange(len(labels))
        ends = np.append(first, len(labels))
        across = csr_array((mirror, numbers, ends), shape=(len(present), len(labels)))
        rest = np.delete(numbers, first)
        return cls(first, rest, present, masses, n_classes, roots[:, None], across)

    def beside(self, X: ArrayOrTensor) -> Contrasts:
        """The same where X lies, so that several products need one copy; dense on a device."""
        if not is_tensor(X):
            return self
        first, rest, roots = (beside(part, X) for part in (self.first, self.rest, self.roots))
        across = beside(self.across.toarray(), X)
        return self._replace(first=first, rest=rest, roots=roots, across=across)

    def turned(self, products: ArrayOrTensor) -> ArrayOrTensor:
        """Products of turned samples, from those of samples: (n_samples, n_others) both."""
        return self._mirrored(self.roots * products)

    def _mirrored(self, rows: ArrayOrTensor) -> ArrayOrTensor:
        """Rows of each class by its reflection, in place."""
        rows -= self.across.T @ (self.across @ rows)
        return rows

    def on_means(self, turned: ArrayOrTensor) -> ArrayOrTensor:
        """Products with the mean of each of all classes, from columns that became means."""
        found, roots = zeros((len(turned), self.n_classes), turned), -np.sqrt(self.masses)
        found[:] = (turned @ beside(roots / self.masses.sum(), turned))[:, None]
        found[:, self.labels] = turned / beside(roots, turned)
        return found

    def discriminants(
        self, gram: ArrayOrTensor, asked: ArrayOrTensor, shrinkages: Sequence[float], size: int
    ) -> ArrayOrTensor:
        """Gaussian discriminants of queries, for every shrinkage, by inner products alone.

        With W = ZᵀZ/n, Z the rows that vary, (W + sI)⁻¹ = (I − Zᵀ(ZZᵀ + nsI)⁻¹Z)/s.

        Parameters
        ----------
        gram : ndarray of shape (n_samples, n_samples)
            Products of the samples.
        asked : ndarray of shape (n_samples, n_queries)
        shrinkages : sequence of float
            α of W + α·tr(W)/size·I.
        size : int
            Dimensions over which the scatter is taken to spread.

        Returns
        -------
        ndarray of shape (n_shrinkages, n_queries, n_classes)
        """
        gram, asked = self.turned(self.turned(gram).T), self.turned(asked).T
        queries, asked = self.on_means(asked[:, self.first]), asked[:, self.rest]  # yᵀμ, Zy
        found = zeros((len(shrinkages), *queries.shape), queries)
        for place, (shift, inside, own) in enumerate(self._systems(gram, shrinkages, size)):
            found[place] = (queries - asked @ inside - 0.5 * own) / shift
        return found

    def discriminant(
        self, gram: ArrayOrTensor, rows: ArrayOrTensor, shrinkage: float, size: int
    ) -> Discriminant:
        """The Gaussian discriminant itself, as a combination of the samples.

        Parameters
        ----------
        gram : ndarray of shape (n_samples, n_samples)
        rows : ndarray of shape (n_samples, n_features)
            The samples.
        shrinkage, size : float, int
            As for `discriminants`.
        """
        gram = self.turned(self.turned(gram).T)
        ((shift, inside, own),) = self._systems(gram, [shrinkage], size)
        turned = zeros((len(gram), self.n_classes), gram)
        turned[self.first] = self.on_means(beside(np.eye(len(self.first)), gram))
        turned[self.rest] = -inside
        turned = self._mirrored(turned)  # the reflection is its own inverse
        combined = self.roots * turned
        return Discriminant(combined.T @ rows / shift, -0.5 * own / shift)

    def _systems(
        self, gram: ArrayOrTensor, shrinkages: Sequence[float], size: int
    ) -> Iterator[tuple[float, ArrayOrTensor, ArrayOrTensor]]:
        """s, (ZZᵀ + nsI)⁻¹Zμ and s·μᵀ(W + sI)⁻¹μ for every shrinkage, from products as turned."""
        first, rest = self.first, self.rest
        along = self.on_means(gram[rest][:, first])  # Zμ
        between = self.on_means(self.on_means(gram[first][:, first]).T)
        centred = gram[rest][:, rest]  # ZZᵀ
        xp, total = namespace(gram), self.masses.sum()
        energy, varying = (float(xp.trace(part)) / total for part in (gram, centred))
        varies = varying > UNVARIED * energy
        scale = varying / size if varies else energy or 1.0
        for shrinkage in shrinkages:
            shift, inside = shrinkage * scale, xp.zeros_like(along)
            if varies:
                inside = solved(add_to_diagonal(centred + 0, total * shift), along)
            yield shift, inside, between.diagonal() - xp.einsum("nc,nc->c", along, inside)


def solved(matrix: ArrayOrTensor, right: ArrayOrTensor) -> ArrayOrTensor:
    """matrix⁻¹ right, of a positive definite matrix, which is overwritten."""
    if is_tensor(matrix):
        xp = namespace(matrix)
        return xp.cholesky_solve(right, xp.linalg.cholesky(matrix))
    # Symmetric: its transpose is in the order that LAPACK overwrites without a copy.
    factor = cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)
    return cho_solve(factor, right, check_finite=False)
