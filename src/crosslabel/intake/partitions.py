"""Dask arrays and dataframes: partitions become summaries where they lie, and a tree merges them.

Dask's own scheduler does the work: threads, a `LocalCluster`, or any cluster whose `Client` is
active. Each task is a function of its partition alone, so that a worker that dies costs time only.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel.core.scaling import Array
from crosslabel.intake.checking import DASK, check_finite, checked_weights, package_of
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.summary import Summary, merge_all

if TYPE_CHECKING:
    import pandas as pd
    from dask.delayed import Delayed
    from typing_extensions import TypeIs

BRANCHES = 8
"""Streams that one task of the tree merges."""


class DaskCollection(Protocol):
    """What is asked here of Dask's arrays, and of its dataframes where `is_frame`."""

    shape: tuple[int, ...]
    dtype: np.dtype
    chunks: tuple[tuple[int, ...], ...]
    _meta: pd.DataFrame
    _meta_nonempty: pd.DataFrame

    def rechunk(self, chunks: dict[int, int | tuple[int, ...]], /) -> Self:
        """The same rows and columns, cut anew."""
        ...

    def to_delayed(self) -> ArrayLike:
        """The parts, each to be computed."""
        ...

    def map_blocks(self, function: Callable[..., object], /, **settings: object) -> Self:
        """A function of each block of an array, when it is asked for."""
        ...

    def map_partitions(
        self, function: Callable[..., object], /, *args: object, **settings: object
    ) -> Self:
        """A function of each part of a dataframe, when it is asked for."""
        ...


def is_dask(X: object) -> TypeIs[DaskCollection]:
    """Whether X is a Dask array, dataframe or series."""
    return package_of(X) in DASK


def is_frame(X: object) -> bool:
    """Whether X is a dataframe rather than an array."""
    return hasattr(X, "map_partitions") and hasattr(X, "columns")


def is_series(y: object) -> bool:
    """Whether y is a series rather than an array."""
    return hasattr(y, "to_dask_array")


def absorb_partitions(
    X: DaskCollection, y: object, sample_weight: object, summary: Summary
) -> Summary:
    """The summary after all partitions, computed by Dask.

    Parameters
    ----------
    X : dask array or dataframe
    y : dask array or series
    sample_weight : dask array or series, or None
    summary : Summary
        Without samples; says type and settings.
    """
    import dask

    summarise = dask.delayed(_summarise)
    parts = enumerate(partitions_of(X, y, sample_weight))
    return dask.compute(merged([summarise(number, summary, *part) for number, part in parts]))[0]


def merged(summaries: Sequence[Delayed]) -> Delayed:
    """The summary of several, by a tree of tasks."""
    import dask

    merge, left = dask.delayed(merge_all), list(summaries)
    while len(left) > 1:
        left = [merge(left[k : k + BRANCHES]) for k in range(0, len(left), BRANCHES)]
    return left[0]


class Part(NamedTuple):
    """Samples of one partition, checked; some may have no weight."""

    X: Array
    targets: ClassLabels
    weights: NDArray[np.float64]


def part_of(
    number: int,
    dtype: np.dtype,
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None = None,
) -> Part:
    """The samples of one partition in a type of float; runs on a worker."""
    samples = np.ascontiguousarray(np.asarray(X), dtype=dtype)
    targets = np.asarray(y).ravel()
    if len(targets) != len(samples):
        raise ValueError(
            f"Partition {number} has {len(samples)} rows of X, but {len(targets)} labels. "
            "Partition X and y alike."
        )
    check_finite(samples, lambda row: f"row {row} of partition {number}")
    return Part(samples, targets, weights_of(weights, len(samples)))


def weights_of(weights: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """The weights of one partition; runs on a worker."""
    given = None if weights is None else np.asarray(weights).ravel()
    return checked_weights(given, n_samples)


def _summarise(number: int, summary: Summary, *part: ArrayLike) -> Summary:
    """The summary of one partition; runs on a worker."""
    return summary.absorb(*part_of(number, summary.dtype, *part))


def partitions_of(X: DaskCollection, y: object, sample_weight: object) -> list[tuple[Delayed, ...]]:
    """Partitions of samples with those of their labels and weights, as delayed objects."""
    given = {"y": y} if sample_weight is None else {"y": y, "sample_weight": sample_weight}
    columns = [X]
    for what, column in given.items():
        if not is_dask(column):
            raise TypeError(
                f"X is a Dask collection, but {what} is {type(column).__name__}. Give {what} as a "
                "Dask array or series with the same partitions."
            )
        columns.append(column)
    if not is_frame(X) and not np.isnan(X.shape[0]):
        X = X.rechunk({1: -1})
        # A series cannot be cut anew; its partitions must fit as they are.
        rest = (c if is_series(c) else c.rechunk({0: X.chunks[0]}) for c in columns[1:])
        columns = [X, *rest]
    delayed = [np.ravel(np.array(column.to_delayed(), dtype=object)).tolist() for column in columns]
    sizes = [len(parts) for parts in delayed]
    if len(set(sizes)) > 1:
        raise ValueError(f"X, y and sample_weight have {sizes} partitions; they need as many each.")
    return list(zip(*delayed))


def samples_like(X: DaskCollection) -> NDArray[np.generic] | pd.DataFrame:
    """No rows of what the partitions of X hold: for the checks of names, width and type."""
    meta = X._meta
    return meta if is_frame(X) else np.empty((0, X.shape[1]), X.dtype)


def lazily(method: Callable[..., Any], estimator: object, X: DaskCollection) -> DaskCollection:
    """A method of one argument, the samples, on each partition when it is asked for."""
    import dask

    model = copy.copy(estimator)
    # What training kept does not travel to the workers.
    model.__dict__.pop("_summary", None)
    # A row of zeros tells width and type of the result; a model that is not fitted fails here.
    probe = X._meta_nonempty.iloc[:1] * 0 if is_frame(X) else np.zeros((1, X.shape[1]), X.dtype)
    result = method(model, probe)
    name, travelling = method.__name__, dask.delayed(model, pure=True)
    if is_frame(X):
        meta = _framed(result[:0], X._meta.index[:0])
        return X.map_partitions(_call_framed, name, travelling, meta=meta)
    X = X.rechunk({1: -1})
    wide = {"drop_axis": 1} if result.ndim == 1 else {"chunks": (X.chunks[0], result.shape[1:])}
    return X.map_blocks(_call, method=name, model=travelling, meta=result[:0], **wide)


def _call(X: Array, method: str, model: object) -> NDArray[np.generic]:
    return getattr(model, method)(X)


def _call_framed(frame: pd.DataFrame, name: str, model: object) -> pd.Series | pd.DataFrame:
    return _framed(getattr(model, name)(frame), frame.index)


def _framed(result: NDArray[np.generic], index: pd.Index) -> pd.Series | pd.DataFrame:
    import pandas as pd

    return (pd.Series if result.ndim == 1 else pd.DataFrame)(result, index=index)
