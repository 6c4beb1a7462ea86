"""The Gaussian discriminant: the linear classifier that the same statistics hold.

g_c(y) = μ_cᵀW_α⁻¹y − ½ μ_cᵀW_α⁻¹μ_c, with W_α = W + α·tr(W)/M·I and W the covariance of samples
about the mean of their class. Features of unlike units are shrunk to their own variances instead:
W_α = W + α·diag(W), which is the former for features that were divided by their deviations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crosslabel.core.backend import cholesky, is_tensor, namespace, solve_lower, solve_upper
from crosslabel.core.moments import Moments, within_scatter
from crosslabel.core.scaling import Array


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

    rows: Array | None
    gram: Array
    scale: float
    means: Array
    deviations: Array | None
    dtype: np.dtype

    @classmethod
    def of(cls, statistics: Moments, own_variances: bool = False) -> WithinClass:
        """From the scatters of the classes, W = Σ_c S_c / Σ_c n_c."""
        array, is_factor = within_scatter(statistics)
        total = max(float(statistics.counts.sum()), np.finfo(float).tiny)
        rows = array / np.sqrt(total) if is_factor else None
        W = array / total if rows is None else rows @ rows.T
        means, dtype = statistics.means.astype(np.float64), statistics.means.dtype
        if not own_variances or not _varies(float(np.trace(W)), statistics.means):
            return cls(rows, W, _scale(float(np.trace(W)), statistics.means), means, None, dtype)
        variances = np.diagonal(W) if rows is None else np.einsum("if,if->f", rows, rows)
        deviations = np.sqrt(positive(variances))
        rows = None if rows is None else rows / deviations
        W = W / np.outer(deviations, deviations) if rows is None else rows @ rows.T
        return cls(rows, W, 1.0, means / deviations, deviations, dtype)

    def discriminant(self, shrinkage: float) -> Discriminant:
        """The Gaussian discriminant with this α ≥ 0; parameters as for `discriminant`."""
        shift = shrinkage * self.scale
        if self.rows is not None and shift == 0:
            raise _singular(shrinkage)
        shifted = self.gram.copy()
        shifted[np.diag_indices_from(shifted)] += shift
        try:
            L = cholesky(shifted)
        except np.linalg.LinAlgError:
            raise _singular(shrinkage) from None
        if self.rows is None:
            solved = solve_upper(solve_lower(self.means, L), L)
        else:  # μ(FᵀF + τI)⁻¹ = (μ − μFᵀ(FFᵀ + τI)⁻¹F)/τ
            inside = solve_upper(solve_lower(self.means @ self.rows.T, L), L)
            solved = (self.means - inside @ self.rows) / shift
        offsets = -0.5 * np.einsum("cf,cf->c", solved, self.means)
        if self.deviations is not None:
            solved = solved / self.deviations
        return Discriminant(solved.astype(self.dtype), offsets.astype(self.dtype))


def positive(variances: Array) -> Array:
    """Variances, with their mean for features that vary by no more than rounding."""
    mean = float(variances.mean()) or 1.0
    return np.where(variances > 1e-12 * mean, variances, mean)


def _varies(trace: float, means: Array) -> bool:
    """Whether samples vary by more than rounding: equal ones do by that of their mean."""
    rounding = (100 * np.finfo(means.dtype).eps) ** 2 * float(np.max(np.sum(means**2, axis=1)))
    return bool(trace > rounding)


def _scale(trace: float, means: Array) -> float:
    """tr(W)/M; one where samples do not vary: every α then gives the nearest mean."""
    return trace / means.shape[1] if _varies(trace, means) else 1.0


def _singular(shrinkage: float) -> np.linalg.LinAlgError:
    return np.linalg.LinAlgError(
        "The discriminant is not determined: within their classes the samples do not vary in all "
        f"features, and the shrinkage is {shrinkage:g}. Use a larger shrinkage."
    )
