"""What a sample is before it has a class: scaled, with an offset, or seen through a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from crosslabel.core.scaling import Array, row_norms, unit_rows

_JITTER = 1e-10
"""Of the mean eigenvalue, added to a Gram matrix: equal samples make it singular."""
_COMPARABLE = 2.0
"""Features that must rule the raw norms for these to mean something."""


@dataclass(frozen=True)
class Lift:
    """How rows are scaled before anything is learnt from them; immutable.

    Attributes
    ----------
    centre, deviation : ndarray of shape (n_features,) or None
        Subtracted from and divided into the features; None leaves them as they are.
    offset : float
        A constant coordinate, appended before rows are scaled to unit norm; 0 for none.
    gamma : float
        Of the kernel exp(−γ‖x − z‖²), of unit-norm raw or of standardised rows; 0 for no kernel.
    landmarks : ndarray of shape (n_landmarks, n_features) or None
        Scaled rows that the kernel is evaluated at.
    root : ndarray of shape (n_landmarks, n_landmarks) or None
        Lower factor of the landmarks' kernel matrix.
    """

    centre: Array | None = None
    deviation: Array | None = None
    offset: float = 0.0
    gamma: float = 0.0
    landmarks: Array | None = None
    root: Array | None = None

    def __call__(self, X: Array) -> Array:
        """Rows in the space that the dictionary is learnt in."""
        scaled = self.scaled(X)
        if self.gamma == 0:
            return scaled
        if self.landmarks is None or self.root is None:
            raise ValueError("A kernel lift needs landmarks: give it some by `with_landmarks`.")
        similar = np.exp(-self.gamma * squared_distances(scaled, self.landmarks))
        return solve_triangular(self.root, similar.T, lower=True, check_finite=False).T

    def scaled(self, X: Array) -> Array:
        """Rows before the kernel."""
        if self.centre is not None:
            X = (X - self.centre) / self.deviation
        if self.offset:
            X = np.concatenate([X, np.full((len(X), 1), self.offset, X.dtype)], axis=1)
        # Distances of standardised rows mean something as they are.
        return X if self.gamma and self.centre is not None else unit_rows(X)

    def with_landmarks(self, X: Array) -> Lift:
        """The same kernel, evaluated at these raw rows: exact where they are all samples."""
        landmarks = self.scaled(X)
        matrix = np.exp(-self.gamma * squared_distances(landmarks, landmarks))
        matrix[np.diag_indices_from(matrix)] += _JITTER
        return replace(self, landmarks=landmarks, root=np.linalg.cholesky(matrix))


def squared_distances(X: Array, Z: Array) -> Array:
    """‖x − z‖² for all pairs of rows."""
    squares = [np.einsum("ij,ij->i", rows, rows) for rows in (X, Z)]
    return np.maximum(squares[0][:, None] + squares[1] - 2 * X @ Z.T, 0)


def comparable(X: Array) -> bool:
    """Whether raw features can be compared: norms are ruled by at least two of them.

    With second moments v, (Σv)²/Σv² counts the features that make up the norm. A table of unlike
    units, where one large column is all that a norm sees, must be standardised.
    """
    # Divided by the peak first, so that no square overflows.
    peak = np.abs(X).max(initial=0.0)
    moments = np.mean((X / (peak or 1.0)) ** 2, axis=0)
    return bool(moments.sum() ** 2 >= _COMPARABLE * np.sum(moments**2))


def lifts(X: Array) -> dict[str, Lift]:
    """All lifts that are worth a try for these samples, linear ones first.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    dict of Lift
        By name; kernels are without landmarks.
    """
    raw, table = comparable(X), X.shape[1] > 0
    centre, deviation = X.mean(axis=0), X.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1)
    varying = int(np.count_nonzero(X.std(axis=0))) or 1
    found: dict[str, Lift] = {}
    if raw:
        norm = float(np.sqrt(np.mean(row_norms(X) ** 2)))
        found["unit"] = Lift()
        found["unit, offset"] = Lift(offset=norm or 1.0)
    if table:
        found["standard, offset"] = Lift(centre, deviation, offset=float(np.sqrt(varying)))
    if raw:
        spread = 1 - float(np.sum(unit_rows(X).mean(axis=0) ** 2))
        found["rbf, unit"] = Lift(gamma=1 / max(spread, 1e-12))
    if table:
        found["rbf, standard"] = Lift(centre, deviation, gamma=1 / varying)
    return found
