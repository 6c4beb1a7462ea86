"""The model without suppressed codes (λ = ∞) but with grouping: two shrinkages for each class.

min over Q with trace k of n·ȳᵀ(I + Q/β)⁻¹ȳ + tr(S(I + Q/ρ)⁻¹), ρ = β + γn/(n−1), is small in the
coordinates of a class's span and convex in Q = EᵀE. It is solved by L-BFGS over the factor E, all
classes of one size at once, from the closed form of one shrinkage between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties, group_factor
from crosslabel.core.quasi_newton import minimise
from crosslabel.core.scaling import Array
from crosslabel.core.shared_variation import SharedVariation
from crosslabel.core.solver import Solution
from crosslabel.core.spectral import Learnt, assembled, learn_alike, orthogonal
from crosslabel.core.spectrum import Alike, row_spectra
from crosslabel.core.units import in_own_unit

_ENOUGH = 1e-8
"""Part of the objective that a step must still promise to lower it by."""

_EXACT = 1e-18
"""The same where atoms suffice: the bound on what is left goes like its root."""

_SPARE = 1e-4
"""Part of an atom's energy below which the optimum is taken to give a direction up."""

_SEED = 1e-3
"""Part of an atom's energy that each direction starts with: of none it would never get any."""

_LEAST_RIDGE = 1e-10
"""Without ridge, codes on dependent atoms would not be determined."""

_INSIDE = 1e-6
"""Norm below which what a shared atom has outside a class's span is rounding."""


def learn_grouped(
    statistics: Moments,
    layout: AtomLayout,
    penalties: Penalties,
    likeness: Array | None = None,
) -> Solution:
    """min over unit-norm D_c and X_c of Σ_c ‖Y_c − X_cD_c‖² + β‖X_c‖² + γ tr(X_cᵀL̃X_c).

    Shared atoms are those of `closed_form`, which is the limit without grouping.

    Parameters
    ----------
    statistics : Moments
    layout : AtomLayout
    penalties : Penalties
        Suppression is infinite, whatever it says.
    likeness : ndarray of shape (n_atoms, n_features), optional
        Rows in the order of the layout that the atoms of the classes shall look like.

    Returns
    -------
    Solution
        With a trace of one value, and one of each class where no atoms are shared.
    """
    statistics, unit = in_own_unit(statistics)
    shared = SharedVariation.of(statistics, layout.shared) if layout.shared else None

    def learn(group: Alike, n_atoms: int) -> Learnt:
        problems = ClassProblems.of(group, statistics, shared, penalties, n_atoms)
        between = float(np.sqrt(problems.ridge * problems.deviation_ridge.mean()))
        energy, axes, _ = learn_alike(group, shared, n_atoms, between)
        return problems.solve(problems.factor(energy, axes))

    found = assembled(statistics, layout, shared, learn, likeness)
    apart = tuple([unit * value for value in trace] for trace in found.apart)
    return found._replace(trace=[unit * value for value in found.trace], apart=apart)


@dataclass(frozen=True)
class ClassProblems:
    """A stack of classes in the coordinates of their spans, where second moments are diagonal.

    Attributes
    ----------
    axes : ndarray of shape (n, r, n_features)
        Orthonormal rows; zero beyond a class's rank.
    squares : ndarray of shape (n, r)
        Diagonal of n·ȳȳᵀ + S.
    means : ndarray of shape (n, r)
        √n ȳ.
    shared : ndarray of shape (n, n_shared, r)
        Shared atoms.
    ridge, deviation_ridge : float, ndarray of shape (n,)
        β and ρ.
    n_atoms : int
        k.
    """

    axes: Array
    squares: Array
    means: Array
    shared: Array
    ridge: float
    deviation_ridge: Array
    n_atoms: int

    @classmethod
    def of(
        cls,
        group: Alike,
        statistics: Moments,
        shared: SharedVariation | None,
        penalties: Penalties,
        n_atoms: int,
    ) -> ClassProblems:
        """The problems of classes of one form."""
        values, axes, _ = group.spectra()
        if shared is not None:
            # Shared atoms may leave the span of a class: what they add are more coordinates.
            outside = shared.axes - (shared.axes @ axes.transpose(0, 2, 1)) @ axes
            norms, added, _ = row_spectra(outside)
            axes = np.concatenate([axes, added * (norms > _INSIDE)[..., None]], axis=1)
            values = np.concatenate([values, np.zeros_like(norms)], axis=1)
        counts = statistics.counts[group.classes]
        scaled = np.sqrt(counts)[:, None] * statistics.means[group.classes]
        ridge = max(penalties.ridge, _LEAST_RIDGE)
        factors = np.array([group_factor(count) for count in counts])
        atoms = np.zeros((0, axes.shape[2])) if shared is None else shared.atoms
        return cls(
            axes=axes,
            squares=values**2,
            means=(axes @ scaled[..., None])[..., 0],
            shared=atoms @ axes.transpose(0, 2, 1),
            ridge=ridge,
            deviation_ridge=ridge + penalties.grouping * factors,
            n_atoms=n_atoms,
        )

    def factor(self, energy: Array, axes: Array) -> Array:
        """E with EᵀE = Σ q_i u_iᵀu_i, and a little energy in every row.

        It has as many rows as a class's samples have directions, or atoms if these are fewer: the
        optimum lies where −∇f is largest, and that has no higher rank than the samples.
        """
        real = np.einsum("nmf,nmf->nm", axes, axes) > 0
        raised = np.maximum(energy, _SEED * real)
        return np.sqrt(raised)[..., None] * (axes @ self.axes.transpose(0, 2, 1))

    def solve(self, start: Array) -> Learnt:
        """Energies and axes at the minimum of each problem."""
        points, values = minimise(
            self.evaluate, start.reshape(len(start), -1), tol=_ENOUGH, max_iter=200
        )
        spare = np.flatnonzero(self.has_spare(self.scaled(points)))
        if len(spare):
            points[spare], values[spare] = minimise(
                lambda x, which: self.evaluate(x, spare[which]),
                points[spare],
                tol=_EXACT,
                max_iter=1000,
            )
        energy, axes = orthogonal(self.scaled(points), self.n_atoms)
        return Learnt(energy, axes @ self.axes, values)

    def has_spare(self, E: Array) -> NDArray[np.bool_]:
        """Whether a class has as many atoms as its samples, or the optimum, have directions."""
        least = np.linalg.eigvalsh(E @ E.transpose(0, 2, 1))[:, 0]
        rank = np.count_nonzero(self.squares, axis=1)
        return (least < _SPARE) | (rank <= self.n_atoms)

    def scaled(self, points: Array) -> Array:
        """Factors with ‖E‖² = k."""
        E = points.reshape(len(points), -1, self.axes.shape[1])
        norms = np.sqrt(np.einsum("nkr,nkr->n", E, E))
        return E * (np.sqrt(self.n_atoms) / norms)[:, None, None]

    def evaluate(self, points: Array, which: NDArray[np.intp]) -> tuple[Array, Array]:
        """The objective of the classes `which`, at factors of any scale, and its gradient."""
        E = self.scaled(points)
        in_span = self.shared.shape[1] + E.shape[1] >= E.shape[2]
        value, gradient = (self._in_span if in_span else self._in_atoms)(E, which)
        # The scale of a factor changes nothing: no part of the gradient points along it.
        radial = np.einsum("nkr,nkr->n", gradient, E) / self.n_atoms
        gradient = gradient - radial[:, None, None] * E
        norms = np.sqrt(np.einsum("ni,ni->n", points, points))
        scale = np.sqrt(self.n_atoms) / norms
        return value, scale[:, None] * gradient.reshape(len(E), -1)

    def _in_span(self, E: Array, which: NDArray[np.intp]) -> tuple[Array, Array]:
        """f = β mᵀWm + ρ tr(S V), W = (βI + Q₀ + Q)⁻¹, V the same with ρ; ∇f = 2E∇_Q f."""
        m, squares, rho = self.means[which], self.squares[which], self.deviation_ridge[which]
        Q = E.transpose(0, 2, 1) @ E + self._shared_moment[which]
        identity = np.eye(E.shape[2])
        W = np.linalg.inv(Q + self.ridge * identity)
        V = np.linalg.inv(Q + rho[:, None, None] * identity)
        Wm, Vm = (W @ m[..., None])[..., 0], (V @ m[..., None])[..., 0]
        deviations = np.einsum("nii,ni->n", V, squares) - np.einsum("ni,ni->n", m, Vm)
        value = self.ridge * np.einsum("ni,ni->n", m, Wm) + rho * deviations
        slope = rho[:, None, None] * ((V * squares[:, None, :]) @ V - _outer(Vm, Vm))
        slope += self.ridge * _outer(Wm, Wm)
        return value, -2 * E @ slope

    @cached_property
    def _shared_moment(self) -> Array:
        """Q₀."""
        return self.shared.transpose(0, 2, 1) @ self.shared

    def _in_atoms(self, E: Array, which: NDArray[np.intp]) -> tuple[Array, Array]:
        """f = ‖m − xA‖² + β‖x‖² + …, with A shared and own atoms; ∇f = −2xᵀ(m − xA) + …."""
        m, squares, rho = self.means[which], self.squares[which], self.deviation_ridge[which]
        A = np.concatenate([self.shared[which], E], axis=1)
        own, identity = slice(self.shared.shape[1], None), np.eye(A.shape[1])
        gram = A @ A.transpose(0, 2, 1)
        Am = (A @ m[..., None])[..., 0]
        x = np.linalg.solve(gram + self.ridge * identity, Am[..., None])[..., 0]
        residual = m - np.einsum("nk,nkr->nr", x, A)
        # With S = diag(s²) − mmᵀ: B = (AAᵀ + ρI)⁻¹AS are codes times targets, BAᵀ explains.
        AS = A * squares[:, None, :] - _outer(Am, m)
        both = np.linalg.solve(
            gram + rho[:, None, None] * identity, np.concatenate([AS, A], axis=2)
        )
        B, coder = both[..., : A.shape[2]], both[..., A.shape[2] :]
        value = np.einsum("ni,ni->n", m, residual) + squares.sum(axis=1)
        value -= np.einsum("ni,ni->n", m, m) + np.einsum("nkr,nkr->n", B, A)
        gradient = B[:, own] - (B[:, own] @ A.transpose(0, 2, 1)) @ coder
        return value, -2 * (gradient + _outer(x[:, own], residual))


def _outer(a: Array, b: Array) -> Array:
    return a[:, :, None] * b[:, None, :]
