"""Tables, labels and images as callers have them: any type, layout, scale and fault."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse
from hypothesis import strategies as st


class Problem(NamedTuple):
    """Samples and labels to learn from, and queries."""

    X: object
    y: object
    queries: object


def _values(rng, rows, columns, kind):
    """Numbers of one of the shapes that data have."""
    if kind == "faces":
        light = np.abs(rng.normal(size=(rows, 3)))
        return light @ np.abs(rng.normal(size=(3, columns)))
    if kind == "counts":
        return rng.integers(0, 4, (rows, columns)).astype(float)
    if kind == "constant":
        return np.full((rows, columns), rng.normal())
    if kind == "sparse":
        return rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.2)
    return rng.normal(size=(rows, columns))


def _spoilt(rng, values, faults):
    """The values with some of the faults that data have."""
    rows, columns = values.shape
    if rows == 0:
        return values
    if "duplicates" in faults:
        values[rng.integers(rows, size=rows // 2)] = values[0]
    if "constant column" in faults:
        values[:, rng.integers(columns)] = 1.0
    if "zero row" in faults:
        values[rng.integers(rows)] = 0.0
    if "one huge" in faults:
        values[rng.integers(rows), rng.integers(columns)] = 1e300
    if "one tiny" in faults:
        values[rng.integers(rows), rng.integers(columns)] = 5e-324
    if "scales differ" in faults:
        with np.errstate(over="ignore", under="ignore"):
            values *= 10.0 ** rng.integers(-300, 300, (rows, 1))
    if "nan" in faults:
        values[rng.integers(rows), rng.integers(columns)] = np.nan
    if "infinite" in faults:
        values[rng.integers(rows), rng.integers(columns)] = np.inf
    return values


HARMLESS = ["duplicates", "constant column", "zero row", "one huge", "one tiny", "scales differ"]
DTYPES = ["f8", "f8", "f4", ">f8", "f2", "g", "i1", "i8", "u1", "?", "O", "c16", "U8"]
LAYOUTS = ["C", "C", "F", "strided", "reversed", "read-only"]
CONTAINERS = ["array", "array", "array", "list", "masked", "frame", "csr", "matrix"]
LABELS = ["numbers", "strings", "objects", "booleans", "halves", "list", "negative"]
LABELS += ["unsigned", "vast", "unknown"]


def _typed(values, dtype):
    """The values in a type, as far as they go in."""
    with np.errstate(all="ignore"):
        if np.dtype(dtype).kind in "iu?":
            limit = np.iinfo(dtype).max if dtype != "?" else 1
            bounded = np.clip(np.nan_to_num(values), -limit if dtype[0] == "i" else 0, limit)
            # The largest int64 is no double; the next lower double is.
            return (
                np.nextafter(bounded, 0).astype(dtype) if dtype == "i8" else bounded.astype(dtype)
            )
        return values.astype(dtype)


def _laid_out(values, layout):
    if layout == "F":
        return np.asfortranarray(values)
    if layout == "strided":
        wide = np.repeat(np.repeat(values, 2, axis=0), 3, axis=1)
        return wide[::2, ::3]
    if layout == "reversed":
        return values[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "read-only":
        values.flags.writeable = False
    return values


def _contained(values, container, rng):
    if container == "list":
        return values.tolist()
    if container == "masked":
        return np.ma.masked_array(values, mask=rng.random(values.shape) < 0.1)
    if container == "frame":
        return pd.DataFrame(values)
    if container == "csr" and values.dtype.kind == "f" and values.dtype.itemsize in (4, 8):
        return scipy.sparse.csr_matrix(values.astype(values.dtype.newbyteorder("=")))
    # Without np.asmatrix, which warns.
    return values.view(np.matrix) if container == "matrix" else values


def _labels(rng, kind, n_samples, n_classes):
    numbers = rng.integers(n_classes, size=n_samples)
    numbers[: min(n_classes, n_samples)] = np.arange(min(n_classes, n_samples))
    if kind == "strings":
        return np.array(["ä", "class b", "", "d", "e"])[numbers]
    if kind == "objects":
        return np.array(["x", "yy", "z", "w", "v"], dtype=object)[numbers]
    if kind == "booleans":
        return numbers > 0
    if kind == "halves":
        return numbers / 2
    if kind == "list":
        return numbers.tolist()
    if kind == "unsigned":
        return numbers.astype("u1")
    if kind == "vast":
        return numbers.astype("u8") + np.uint64(2**63)
    if kind == "unknown":
        return np.where(numbers == 1, np.nan, numbers)
    return numbers - (10**9 if kind == "negative" else 0)


@st.composite
def problems(draw, dirt=0.15):
    """A `Problem`; with probability `dirt` of things that must be refused."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples, n_features = draw(st.integers(1, 16)), draw(st.integers(1, 8))
    kind = draw(st.sampled_from(["faces", "normal", "counts", "sparse", "constant"]))
    faults = draw(st.lists(st.sampled_from(HARMLESS), max_size=2))
    if rng.random() < dirt:
        faults = [*faults, draw(st.sampled_from(["nan", "infinite"]))]
    power = draw(st.sampled_from([0, 0, 0, -300, -160, -20, 20, 150, 300]))
    dtype, layout = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(LAYOUTS))
    container = draw(st.sampled_from(CONTAINERS))

    def table(rows, columns):
        with np.errstate(all="ignore"):
            values = _spoilt(rng, _values(rng, rows, columns, kind) * 10.0**power, faults)
        return _contained(_laid_out(_typed(values, dtype), layout), container, rng)

    labels = draw(st.sampled_from(LABELS))
    other = rng.random() < dirt / 2
    y = _labels(rng, labels, n_samples + (rng.random() < dirt / 4), draw(st.integers(1, 5)))
    queries = table(draw(st.integers(0 if other else 1, 5)), n_features + other)
    return Problem(table(n_samples, n_features), y, queries)


@st.composite
def pictures(draw, frames=0):
    """A list of images, or clips of so many frames or fewer, of any type and layout."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_images = draw(st.integers(1, 3))
    height, width = draw(st.integers(1, 24)), draw(st.integers(1, 24))
    shape = (draw(st.integers(1, frames)), height, width) if frames else (height, width)
    dtype = draw(st.sampled_from(["u1", "u2", "f4", "f8", "?", "O", "c16"]))
    scale = draw(st.sampled_from([1.0, 1.0, 1e-300, 1e-30, 1e30, 1e300, 0.0, np.nan]))
    layout = draw(st.sampled_from(["C", "F", "read-only"]))
    found = []
    for _ in range(n_images):
        with np.errstate(all="ignore"):
            values = rng.random(shape) * (255 if dtype[0] == "u" else scale)
            values = values > 0.5 if dtype == "?" else values.astype(dtype)
        values = np.asfortranarray(values) if layout == "F" else values
        values.flags.writeable = layout != "read-only"
        found.append(values)
    return found
