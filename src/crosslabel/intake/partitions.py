"""Dask arrays and dataframes: partitions become summaries where they lie, and a tree merges them.

Dask's own scheduler does the work: threads, a `LocalCluster`, or any cluster whose `Client` is
active. Each task is a function of its partition alone, so that a worker that dies costs time only.
A partition that lies on a GPU, of CuPy or torch, is summarised there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel.core.backend import ArrayOrTensor, from_device, is_tensor
from crosslabel.intake.checking import DASK, check_finite, checked_weights, package_of
from crosslabel.intake.devices import samples_there, where_it_lies
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

    def __getitem__(self, key: tuple[slice, int], /) -> Self:
        """A column."""
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
    """Samples of one partition, checked, where they lie; some may have no weight."""

    X: ArrayOrTensor
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
    rows, targets = where_it_lies(X), labels_of(y)
    if len(targets) != len(rows):
        raise ValueError(
            f"Partition {number} has {len(rows)} rows of X, but {len(targets)} labels. "
            "Partition X and y alike."
        )

    def place(row: int) -> str:
        return f"row {row} of partition {number}"

    samples: ArrayOrTensor
    if is_tensor(rows):
        samples = samples_there(rows, dtype, place)
    else:
        samples = np.ascontiguousarray(np.asarray(rows), dtype=dtype)
        check_finite(samples, place)
    return Part(samples, targets, weights_of(weights, len(samples)))


def labels_of(y: ArrayLike) -> ClassLabels:
    """The labels of one partition, at home; runs on a worker."""
    return np.asarray(from_device(where_it_lies(y))).ravel()


def weights_of(weights: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """The weights of one partition; runs on a worker."""
    return checked_weights(None if weights is None else labels_of(weights), n_samples)


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
    # To drop an axis Dask would join parts, which it cannot do with every array on a GPU.
    wide = result if result.ndim > 1 else result[:, None]
    chunks = X.chunks[0], wide.shape[1:]
    found = X.map_blocks(_call, method=name, model=travelling, meta=wide[:0], chunks=chunks)
    return found if result.ndim > 1 else found[:, 0]


def _call(X: ArrayLike, method: str, model: object) -> NDArray[np.generic]:
    """What the method gives, in columns, at home."""
    found = from_device(getattr(model, method)(where_it_lies(X)))
    return found.reshape(len(found), -1)


def _call_framed(frame: pd.DataFrame, name: str, model: object) -> pd.Series | pd.DataFrame:
    return _framed(getattr(model, name)(frame), frame.index)


def _framed(result: NDArray[np.generic], index: pd.Index) -> pd.Series | pd.DataFrame:
    import pandas as pd

    return (pd.Series if result.ndim == 1 else pd.DataFrame)(result, index=index)
