"""Covariance matrices of another library, such as pyRiemann's, as rows; and rows as matrices."""

from __future__ import annotations

from math import isqrt
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.manifolds import covariances, from_log_coordinates
from crosslabel.core.scaling import Array
from crosslabel.features.covariance_rows import (
    OUTPUTS,
    covariance_names,
    covariance_rows,
    real_stack,
)
from crosslabel.site import on_site


@on_site
class MatrixRows(TransformerMixin, BaseEstimator):
    """Turn an array of covariance matrices into rows that classifiers take, and back.

    ``make_pipeline(pyriemann.estimation.Covariances(), MatrixRows(), CrossLabelClassifier())``

    Parameters
    ----------
    output : {"log", "matrix"}, default="log"
        "log": coordinates of the matrix logarithm, in which Euclidean distance is the
        log-Euclidean one; for any classifier. "matrix": all entries, for the flagship's kernels
        "log-euclidean" and "stein".

    Attributes
    ----------
    n_dimensions_ : int
        d, of matrices (d, d).

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import MatrixRows
    >>> rows = MatrixRows().fit_transform([np.diag([1.0, 2.0]), np.diag([3.0, 1.0])])
    >>> rows.shape
    (2, 3)
    >>> bool(np.allclose(MatrixRows().inverse_transform(rows)[1], np.diag([3.0, 1.0])))
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "output": [StrOptions(set(OUTPUTS))],
    }

    def __init__(self, output: str = "log") -> None:
        self.output = output

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Check the parameters and note the size of the matrices.

        Parameters
        ----------
        X : array-like of shape (n_matrices, d, d)
        y : ignored
        """
        self._validate_params()
        self.n_dimensions_ = _matrices(X).shape[1]
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Rows of matrices.

        Parameters
        ----------
        X : array-like of shape (n_matrices, d, d)
            Symmetric and positive definite.

        Returns
        -------
        ndarray of shape (n_matrices, d(d + 1)/2) or (n_matrices, d²)
        """
        check_is_fitted(self)
        matrices = _matrices(X)
        if matrices.shape[1] != self.n_dimensions_:
            raise ValueError(
                f"The matrices are of size {matrices.shape[1]}, but those of fit had "
                f"{self.n_dimensions_}."
            )
        return covariance_rows(matrices, self.output)

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Matrices of rows, (n_matrices, d, d), as pyRiemann's estimators take them.

        Parameters
        ----------
        X : array-like
            Rows of this output, also of `RegionCovariance` and `SignalCovariance`.

        Returns
        -------
        ndarray of shape (n_matrices, d, d)
        """
        rows = np.asarray(X, np.float64)
        if self.output == "matrix":
            return covariances(rows)
        d = (isqrt(8 * rows.shape[1] + 1) - 1) // 2
        return from_log_coordinates(rows).reshape(len(rows), d, d)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each value: the two dimensions whose covariance it tells of.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        return covariance_names(self.n_dimensions_, self.output)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def _matrices(X: ArrayLike) -> Array:
    matrices = real_stack(X, "Matrices", "(n_matrices, d, d)")
    if matrices.shape[1] != matrices.shape[2]:
        raise ValueError(
            f"Matrices must be (n_matrices, d, d), but their shape is {matrices.shape}."
        )
    return matrices
