"""The Gaussian discriminant: the linear classifier that the same statistics hold.

g_c(y) = μ_cᵀW_α⁻¹y − ½ μ_cᵀW_α⁻¹μ_c, with W_α = W + α·tr(W)/M·I and W the covariance of samples
about the mean of their class. One eigendecomposition of W serves every α.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import cholesky, is_tensor, namespace, solve_lower, solve_upper
from crosslabel.core.scaling import Array
from crosslabel.core.shared_variation import within_scatter
from crosslabel.core.spectrum import scatter_spectrum
from crosslabel.core.statistics import ClassStatistics, Scatter


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


def discriminant(statistics: ClassStatistics, shrinkage: float) -> Discriminant:
    """The Gaussian discriminant with one α.

    Parameters
    ----------
    statistics : ClassStatistics
        Every class has at least one sample.
    shrinkage : float
        α ≥ 0; zero only if the samples vary in all features.

    Returns
    -------
    Discriminant
        In the type of the statistics.

    Raises
    ------
    numpy.linalg.LinAlgError
        If α is zero and W singular.
    """
    scatter, means = covariance(statistics), statistics.means.astype(np.float64)
    shift = shrinkage * _scale(scatter)
    try:
        if scatter.is_factor:
            solved = _solved_by_rows(scatter.array, shift, means)
        else:
            L = cholesky(scatter.array + shift * np.eye(len(scatter.array)))
            solved = solve_upper(solve_lower(means, L), L)
    except np.linalg.LinAlgError:
        raise _singular(shrinkage) from None
    return _from_solved(solved, means, statistics.means.dtype)


def covariance(statistics: ClassStatistics) -> Scatter:
    """W = Σ_c S_c / Σ_c n_c in float64, as rows where these are fewer than the features."""
    scatter, total = within_scatter(statistics), float(statistics.counts.sum())
    scale = np.sqrt(total) if scatter.is_factor else total
    return Scatter(scatter.array / max(scale, np.finfo(float).tiny), scatter.is_factor)


def _scale(covariance: Scatter) -> float:
    """tr(W)/M; one where samples do not vary: every α then gives the nearest mean."""
    array = covariance.array
    trace = float(np.vdot(array, array) if covariance.is_factor else np.trace(array))
    return trace / array.shape[1] if trace > 0 else 1.0


def _solved_by_rows(rows: Array, shift: float, means: Array) -> Array:
    """μ(FᵀF + τI)⁻¹ = (μ − μFᵀ(FFᵀ + τI)⁻¹F)/τ for rows F that are fewer than the features."""
    if shift == 0:
        raise np.linalg.LinAlgError
    L = cholesky(rows @ rows.T + shift * np.eye(len(rows)))
    return (means - solve_upper(solve_lower(means @ rows.T, L), L) @ rows) / shift


def _singular(shrinkage: float) -> np.linalg.LinAlgError:
    return np.linalg.LinAlgError(
        "The discriminant is not determined: within their classes the samples do not vary in all "
        f"features, and the shrinkage is {shrinkage:g}. Use a larger shrinkage."
    )


def _from_solved(solved: Array, means: Array, dtype: np.dtype) -> Discriminant:
    offsets = -0.5 * np.einsum("cf,cf->c", solved, means)
    return Discriminant(solved.astype(dtype), offsets.astype(dtype))


@dataclass(frozen=True)
class WithinSpectrum:
    """Eigenvalues e_i and axes v_i of W, and the classes' means: all discriminants at once.

    Attributes
    ----------
    values : ndarray of shape (n_axes,)
        Those above zero.
    axes : ndarray of shape (n_axes, n_features)
        Orthonormal rows.
    scale : float
        tr(W)/M.
    means : ndarray of shape (n_classes, n_features)
    coordinates : ndarray of shape (n_classes, n_axes)
        Of the means along the axes.
    dtype : dtype
        Of the statistics.
    """

    values: NDArray[np.float64]
    axes: NDArray[np.float64]
    scale: float
    means: NDArray[np.float64]
    coordinates: NDArray[np.float64]
    dtype: np.dtype

    @classmethod
    def of(cls, statistics: ClassStatistics) -> WithinSpectrum:
        """One eigendecomposition, of the smaller of the two Gram matrices."""
        scatter, means = covariance(statistics), statistics.means.astype(np.float64)
        spectrum = scatter_spectrum(scatter)
        real = spectrum.values > 0
        values, axes = spectrum.values[real] ** 2, spectrum.axes[real]
        dtype = statistics.means.dtype
        return cls(values, axes, _scale(scatter), means, means @ axes.T, dtype)

    def discriminant(self, shrinkage: float) -> Discriminant:
        """The Gaussian discriminant with this α ≥ 0."""
        shift, n_features = shrinkage * self.scale, self.means.shape[1]
        if shift == 0 and len(self.values) < n_features:
            raise _singular(shrinkage)
        # What the axes do not span, where there are fewer than features, shrinks with τ alone.
        outer = 1 / shift if len(self.values) < n_features else 0.0
        solved = (self.coordinates * (1 / (self.values + shift) - outer)) @ self.axes
        return _from_solved(solved + outer * self.means, self.means, self.dtype)
