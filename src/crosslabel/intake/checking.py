"""What samples, labels, weights and queries must be like, and sentences for those that are not.

The estimators of every room check through here. Nothing is set on an estimator but what
scikit-learn's validation sets: the number and the names of the features.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import sklearn.utils.validation
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse, sparray, spmatrix
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from crosslabel.core.backend import device_named, from_device
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array, row_norms
from crosslabel.intake.labels import ClassLabels

PLAIN_SIZE = 2**15
"""Values up to which a query is checked here; beyond, the cost of full validation is hidden."""

SPREAD = 1e30
"""Ratio of norms beyond which samples cannot be learnt from together: of the products of two of
them, to double precision the smaller ones are noise already at half as many digits."""

ON_DISK = ("zarr", "h5py")
"""Packages whose arrays are read block by block."""

SPARSE = sparray | spmatrix
"""SciPy's sparse arrays and matrices."""

DASK = ("dask", "dask_expr")
"""Packages whose collections are partitioned."""


class Training(NamedTuple):
    """Valid training samples, as they were given.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        In C order, of float64 or float32.
    classes : ndarray of shape (n_classes,)
        The labels that occur, sorted.
    labels : ndarray of int of shape (n_samples,)
        Places in `classes`.
    weights : ndarray of shape (n_samples,)
        Positive.
    """

    X: Array
    classes: ClassLabels
    labels: Labels
    weights: NDArray[np.float64]


def package_of(X: object) -> str:
    """The package of X's type, which tells what X is while nothing is imported."""
    return type(X).__module__.partition(".")[0]


def is_out_of_core(X: object, memory_limit: int) -> TypeGuard[Any]:
    """Whether samples are to be learnt from in a pass instead of being held in memory."""
    if isinstance(X, np.memmap | SPARSE):
        return float(np.prod(X.shape, dtype=float)) * X.dtype.itemsize > memory_limit // 4
    return isinstance(X, str | os.PathLike) or package_of(X) in {*ON_DISK, *DASK}


def validate_data(estimator: BaseEstimator, *args: object, **settings: object) -> Any:
    """`sklearn.utils.validation.validate_data`, silent where NumPy adds infinities.

    To find values that are not finite scikit-learn sums them; ∞ − ∞, or the cast of a value that a
    type cannot hold, would warn before the error that names the fault.

    Parameters
    ----------
    estimator : estimator
    *args, **settings
        As scikit-learn takes them.

    Returns
    -------
    ndarray or tuple of ndarrays
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return sklearn.utils.validation.validate_data(estimator, *args, **settings)


def validate_rows(estimator: BaseEstimator, *args: object, **settings: object) -> Any:
    """Rows in float64 or float32 and C order, in full where they were sparse; the labels as well.

    What is learnt from rows, products and atoms, is dense: nothing is saved by sparse rows but the
    memory of all of them at once, which `sources` saves for large ones.
    """
    settings = {"dtype": [np.float64, np.float32], **settings}
    found = validate_data(estimator, *args, accept_sparse="csr", order="C", **settings)
    if isinstance(found, tuple):
        return (in_full(found[0]), *found[1:])
    return in_full(found)


def in_full(rows: Any) -> Array:
    """Sparse rows as an array, anything else as it is."""
    return rows.toarray() if issparse(rows) else rows


def in_parts(rows: Any, n_values: int) -> list[Any]:
    """Sparse rows cut so that none has more values in full; none where they need no cut."""
    n_rows, n_features = rows.shape
    step = max(1, n_values // max(1, n_features))
    if n_rows <= step:
        return []
    by_row = rows.tocsr()
    return [by_row[start : start + step] for start in range(0, n_rows, step)]


def check_training(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    device: str | None = None,
) -> Training:
    """Valid samples of at least two classes; those of no weight are left out.

    Parameters
    ----------
    estimator : estimator
        Gets `n_features_in_` and `feature_names_in_`.
    X : array-like or tensor of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), optional
    device : str, optional
        Where a tensor must lie.
    """
    if device is not None:
        device_named(device)  # says what is missing
    X, y = from_device(X, device), from_device(y)
    samples, targets = validate_rows(estimator, X, y)
    check_classification_targets(targets)
    weights = checked_weights(from_device(sample_weight), len(samples))
    kept = weights > 0
    if not kept.any():
        raise ValueError("All sample weights are zero: there is no sample to learn from.")
    if not kept.all():
        samples, targets, weights = samples[kept], targets[kept], weights[kept]
    classes, labels = np.unique(targets, return_inverse=True)
    check_several(estimator, classes, "y holds")
    return Training(samples, classes, labels, weights)


def check_classes(classes: ClassLabels) -> None:
    """Refuse labels that are no classes, such as fractions."""
    # More than once, or so many different ones would look like a regression's targets.
    check_classification_targets(np.tile(classes, 3))


def check_several(estimator: BaseEstimator, classes: ClassLabels, where: str) -> None:
    """Refuse a single class; `where` says where it was found."""
    if len(classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs samples of at least two classes, but {where} one "
            f"class only: {classes.tolist()}."
        )


def check_batch(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    dtype: np.dtype | None,
) -> tuple[Array, ClassLabels, NDArray[np.float64]]:
    """Valid samples of a batch as they are, which may be none, their labels and weights.

    Parameters
    ----------
    estimator : estimator
    X, y, sample_weight : array-like
    dtype : dtype or None
        Of the samples that came before; None for the first batch.
    """
    samples = validate_rows(
        estimator,
        from_device(X),
        reset=dtype is None,
        dtype=[np.float64, np.float32] if dtype is None else dtype,
        ensure_all_finite=False,
        ensure_min_samples=0,
    )
    check_finite(samples, lambda row: f"row {row} of the batch")
    targets = column_or_1d(np.asarray(from_device(y)))
    check_consistent_length(samples, targets)
    if len(targets):
        check_classification_targets(targets)
    return samples, targets, checked_weights(from_device(sample_weight), len(samples))


def is_plain(X: ArrayLike, n_features: int, names: object) -> bool:
    """Whether X is a small array that needs no conversion and has no fault.

    scikit-learn's validation takes longer than a query; it is left to what is not plain.

    Parameters
    ----------
    X : array-like
    n_features : int
    names : ndarray or None
        Names that features had in training; X must then be asked for its own.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.shape[1] == n_features
        and 0 < X.size <= PLAIN_SIZE
        and X.dtype in (np.float64, np.float32)
        and X.flags.c_contiguous
        and names is None
        and bool(np.isfinite(X).all())
    )


def check_finite(X: Array, place: Callable[[int], str]) -> None:
    """Refuse NaN and infinity, and say where the first one is.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    place : callable
        From a row to words that say where it is.
    """
    # A sum is finite unless a value is not or the sum itself overflows: then look closely.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):
            return
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        row, column = bad[0].tolist()
        what = "NaN" if np.isnan(X[row, column]) else "infinity or a value too large (inf)"
        raise ValueError(
            f"Input X contains {what}: feature {column} in {place(row)}. The batch was rejected "
            "whole; nothing of it was learnt. Repair or leave out the row."
        )


def checked_weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Weights, one for each sample, zero or more; ones where none are given."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but there are {n_samples} samples."
        )
    good = np.isfinite(weights) & (weights >= 0)
    if not good.all():
        worst = int(np.flatnonzero(~good)[0])
        raise ValueError(
            f"sample_weight holds {weights[worst]:g} at index {worst}. Weights count samples and "
            "are zero or more."
        )
    return weights


def finite_scores(scores: Array) -> Array:
    """The scores as they are, or an error where one is NaN or infinite: no label follows then."""
    if np.isfinite(scores).all():
        return scores
    raise ValueError(
        "The scores of this model are not finite: it was not learnt from data like these, or its "
        "file was changed. Rescale the queries, or train the model anew."
    )


def check_range(X: Array, advice: str = "Rescale X, or let the samples be scaled.") -> Array:
    """Refuse values whose squares leave the range of their type."""
    check_squares(max(X.max(initial=0.0), -X.min(initial=0.0)), X.dtype, advice)
    return X


def check_squares(
    largest: float, dtype: np.dtype, advice: str = "Rescale X, or use normalize=True."
) -> None:
    """Refuse values whose squares leave the range of their type; sums of 2²⁰ squares stay in it."""
    info = np.finfo(dtype)
    if 0 < largest < np.sqrt(info.tiny / info.eps) or largest > np.sqrt(info.max) / 2**20:
        raise ValueError(
            f"The largest value of X is {largest:.3g} in size: its square leaves the range of "
            f"{dtype}. {advice}"
        )


def check_spread(X: Array) -> None:
    """Refuse samples so unlike in size that products of some are lost beside those of others."""
    norms = row_norms(X)
    norms = norms[norms > 0]
    if norms.size and norms.max() / SPREAD > norms.min():
        raise ValueError(
            f"The largest sample has norm {norms.max():.3g} and the smallest {norms.min():.3g}: "
            "beside the one, nothing is left of the other. Let the samples be scaled to unit norm, "
            "or leave out the smallest."
        )
