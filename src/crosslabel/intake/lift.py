"""What a sample is before it has a class: centred, scaled, with an offset, of unit norm, a kernel.

One object does the same to training samples and to queries. It is fixed before the first statistic
is gathered, and stored with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from crosslabel.core.backend import (
    ArrayOrTensor,
    beside,
    energies,
    from_device,
    in_float64,
    in_type,
    is_tensor,
    like,
    namespace,
)
from crosslabel.core.manifolds import MANIFOLDS
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.intake.checking import check_range
from crosslabel.intake.devices import check_tensor_range, unit_rows_of_tensor

State = Mapping[str, Any]
"""What a file holds of a value: numbers, text, arrays, and more of these by name."""

Kernel = Callable[..., Array]

KERNELS: dict[str, Kernel] = {
    "rbf": lambda X, Y, gamma: _gaussian(X, Y, gamma),
    "poly": lambda X, Y, gamma: (gamma * X @ Y.T + 1) ** 3,
    # The rows are kernel values already.
    "precomputed": lambda X, Y, gamma: X,
    **{name: kernel.values for name, kernel in MANIFOLDS.items()},
}
"""From rows X, landmarks Y and γ to the matrix of kernel values."""

ON_TENSORS = frozenset({"rbf", "poly", "precomputed"})
"""Kernels that are reckoned where a tensor lies; of the others, coordinates are found at home."""

RANK = 1e-10
"""Part of the largest eigenvalue of a kernel matrix below which a direction is rounding."""

NEGATIVE = 1e-6
"""Part of the largest eigenvalue that a negative one may reach and still be rounding."""

ASYMMETRIC = 1e-5
"""Part of the largest kernel value by which two values that should be equal may differ."""


def _gaussian(X: ArrayOrTensor, Y: ArrayOrTensor, gamma: float) -> ArrayOrTensor:
    """exp(−γ‖x − y‖²) for all pairs of rows."""
    xp, squares = namespace(X), energies(X)[:, None] + energies(Y)
    return xp.exp(-gamma * xp.clip(squares - 2 * X @ Y.T, 0, None))


def kernel_values(
    kernel: str | Kernel, gamma: float, some: ArrayOrTensor, others: ArrayOrTensor
) -> ArrayOrTensor:
    """Values of a kernel, by name or a function, for two arrays of rows."""
    if callable(kernel):
        return np.asarray(kernel(some, others))
    return KERNELS[kernel](some, others, gamma)


def _takes_tensors(kernel: str | Kernel) -> bool:
    return isinstance(kernel, str) and kernel in ON_TENSORS


@dataclass(frozen=True, eq=False)
class KernelMap:
    """Coordinates in which plain products are kernel values: z = k(x, landmarks) · basis.

    Attributes
    ----------
    kernel : str or callable
        A name in `KERNELS`, or a function of two arrays of rows.
    gamma : float
    landmarks : ndarray of shape (n_landmarks, n_features)
        Training samples; with all of them the map is exact on their span, with fewer Nyström's.
    basis : ndarray of shape (n_landmarks, n_coordinates)
        V Λ^(−1/2) of the landmarks' kernel matrix V Λ Vᵀ.
    """

    kernel: str | Kernel
    gamma: float
    landmarks: Array
    basis: Array

    @classmethod
    def fit(cls, kernel: str | Kernel, landmarks: ArrayOrTensor, gamma: float) -> KernelMap:
        """The map of a kernel that is positive semi-definite on the landmarks.

        What it holds lies where the landmarks do, if the kernel can be reckoned there.

        Raises
        ------
        ValueError
            If it is not; the message has its least eigenvalue.
        """
        # In double: of rows in single precision, rounding would pass for a kernel that is not one.
        landmarks = landmarks if _takes_tensors(kernel) else from_device(landmarks)
        rows = in_float64(landmarks)
        K, xp = in_float64(kernel_values(kernel, gamma, rows, rows)), namespace(rows)
        if K.shape != (len(landmarks), len(landmarks)):
            raise ValueError(
                f"The kernel gives {tuple(K.shape)} values for {len(landmarks)} samples; expected "
                f"a square matrix of them."
            )
        values, axes = (eigh if xp is np else xp.linalg.eigh)((K + K.T) / 2)
        least, largest = float(values[0]), float(values[-1])
        is_symmetric = bool(xp.abs(K - K.T).max() <= ASYMMETRIC * xp.abs(K).max())
        if least < -NEGATIVE * max(largest, 0.0) or not is_symmetric:
            raise ValueError(
                f"The kernel is not positive semi-definite on the training samples: its least "
                f"eigenvalue is {least:.3g} beside a largest of {largest:.3g}. Use a "
                "symmetric positive semi-definite kernel."
            )
        kept = values > max(RANK, xp.finfo(landmarks.dtype).eps) * largest
        basis = axes[:, kept] / xp.sqrt(values[kept])
        return cls(kernel, gamma, landmarks, basis)

    def values(self, X: Array) -> Array:
        """Kernel values of rows and landmarks."""
        return kernel_values(self.kernel, self.gamma, X, self.landmarks)

    def __call__(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """Coordinates of rows."""
        if is_tensor(X) and not _takes_tensors(self.kernel):
            return like(self(from_device(X)), X)
        found = self.beside(X)
        values = in_float64(found.values(X)) if is_tensor(X) else found.values(X)
        return in_type(values @ found.basis, X.dtype)

    def beside(self, X: ArrayOrTensor) -> KernelMap:
        """The map where X lies, if its kernel can be reckoned there."""
        if not is_tensor(X) or not _takes_tensors(self.kernel):
            return self
        landmarks = in_type(like(self.landmarks, X), X.dtype)
        return replace(self, landmarks=landmarks, basis=in_float64(like(self.basis, X)))

    def home(self) -> KernelMap:
        """The map with what it holds as arrays on the host."""
        return replace(self, landmarks=from_device(self.landmarks), basis=from_device(self.basis))


@dataclass(frozen=True, eq=False)
class Lift:
    """(x − center) / spread, an offset as one more coordinate, unit norm, and then a kernel.

    Attributes
    ----------
    center, spread : ndarray of shape (n_features,) or None
        None leaves the features as they are.
    offset : float
        Value of the added coordinate; 0 for none. With it a class is affine: a bundle of
        directions that need not go through the origin.
    unit : bool
        Whether rows are scaled to unit norm.
    kernel : KernelMap or None
    """

    center: Array | None = None
    spread: Array | None = None
    offset: float = 0.0
    unit: bool = True
    kernel: KernelMap | None = None

    def __call__(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """Rows as the model learns from them; a new array wherever anything changes."""
        if self.center is not None and self.spread is not None:
            X = _standardised(X, like(self.center, X), like(self.spread, X))
        if self.offset:
            xp = namespace(X)
            column = xp.ones_like(X[:, :1]) * self.offset
            X = xp.concatenate([X, column], axis=1)
        if self.unit:
            X = unit_rows_of_tensor(X) if is_tensor(X) else unit_rows(X)
        elif is_tensor(X):
            check_tensor_range(X)
        else:
            check_range(X)
        return X if self.kernel is None else self.kernel(X)

    def beside(self, X: ArrayOrTensor) -> Lift:
        """The lift with what it holds where X lies: queries then wait for no copy."""
        return self if self.kernel is None else replace(self, kernel=self.kernel.beside(X))

    def home(self) -> Lift:
        """The lift with what it holds on the host, as a model keeps it."""
        return self if self.kernel is None else replace(self, kernel=self.kernel.home())

    def width(self, n_features: int) -> int:
        """Columns of lifted rows."""
        if self.kernel is not None:
            return self.kernel.basis.shape[1]
        return n_features + bool(self.offset)

    @property
    def is_plain(self) -> bool:
        """Whether nothing happens but, perhaps, the scaling to unit norm."""
        return self.kernel is None and self.center is None and not self.offset

    @property
    def keeps_features(self) -> bool:
        """Whether coordinates are the standardised features: each has a variance of its own."""
        return self.kernel is None and self.center is not None and not self.unit

    def to_state(self) -> dict[str, object]:
        """The lift as numbers, text and arrays."""
        state: dict[str, object] = {"offset": self.offset, "unit": self.unit}
        if self.center is not None:
            state |= {"center": self.center, "spread": self.spread}
        if self.kernel is not None:
            state["kernel"] = dict(self.kernel.__dict__)
        return state

    @classmethod
    def from_state(cls, state: State) -> Lift:
        """A lift from what `to_state` gave."""
        kernel = state.get("kernel")
        return cls(**{**state, "kernel": None if kernel is None else KernelMap(**kernel)})


def _standardised(X: Array, center: Array, spread: Array) -> Array:
    """(x − center) / spread, or an error where that is beyond the range of the type."""
    try:
        with np.errstate(over="raise"):
            return (X - center) / spread
    except FloatingPointError:
        raise ValueError(
            f"A value of {np.abs(X).max():.3g} is too far from the training samples, one of whose "
            f"features spreads by {spread.min():.3g}: standardised, it is beyond the range of "
            f"{X.dtype}. Look for a value that is out of scale."
        ) from None


def standard(X: ArrayOrTensor, weights: ArrayOrTensor) -> tuple[Array, Array]:
    """Mean and standard deviation of each feature; a constant one keeps its scale."""
    xp, share = namespace(X), beside(weights / weights.sum(), X)
    exact = in_float64(X)
    # Equal values have a mean that is theirs; of products rounding would leave a spread.
    constant = xp.amin(exact, axis=0) == xp.amax(exact, axis=0)
    center = xp.where(constant, exact[0], share @ exact)
    # Divided first: the square of a value may leave the range of its type where it does not.
    largest = float(xp.abs(exact - center).max()) or 1.0
    spread = largest * xp.sqrt(share @ ((exact - center) / largest) ** 2)
    spread = xp.where(spread > 0, spread, 1.0)
    return from_device(in_type(center, X.dtype)), from_device(in_type(spread, X.dtype))
