"""Whether arrays can be statistics of samples: what is read from a file is believed after this."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.moments import Moments
from crosslabel.core.scaling import Array
from crosslabel.files.forms import SQUARABLE, Field, Labels, Rule, check_attributes

ROUNDING = 1e-6
"""Part of its trace by which a scatter may miss what it must be."""

RULES: dict[str, Rule] = {
    "classes": Labels("classes"),
    "counts": Field(("classes",), "f", low=1e-150, high=SQUARABLE),
    "means": Field(("classes", "features"), "f", low=-SQUARABLE, high=SQUARABLE),
    "rows": Field(("rows", "features"), "f", low=-SQUARABLE, high=SQUARABLE),
    "sizes": Field(("classes",), "iu", low=0, high=1e15),
    "is_factor": Field(("classes",), "b"),
    "normalized": Field((), "b"),
}


def check_statistics(arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Refuse arrays that do not fit together as count, mean and scatter of each class.

    Parameters
    ----------
    arrays : mapping
        As `ClassStatistics.to_arrays` gives them.

    Raises
    ------
    ValueError
    """
    missing = [name for name in RULES if name not in arrays]
    if missing:
        raise ValueError(f"{', '.join(missing)} is missing")
    axes = check_attributes(arrays, RULES)
    sizes, is_factor = arrays["sizes"], arrays["is_factor"]
    if sizes.sum(dtype=np.float64) != axes["rows"]:
        raise ValueError(f"sizes add up to {sizes.sum()}, but there are {axes['rows']} rows")
    if (sizes[~is_factor.astype(bool)] != axes["features"]).any():
        raise ValueError(f"a scatter is no square matrix of {axes['features']} features")


def check_scatters(moments: Moments, normalized: bool) -> None:
    """Refuse scatters that no samples have: not symmetric, not semi-definite, or too large.

    Parameters
    ----------
    moments : Moments
        Of the right shapes.
    normalized : bool
        Whether samples have unit norm: tr S + n‖ȳ‖² is then n at most.

    Raises
    ------
    ValueError
    """
    for number, (count, mean, scatter) in enumerate(moments.by_class()):
        S = scatter.array
        trace = float(np.square(S).sum()) if scatter.is_factor else float(np.trace(S))
        if not scatter.is_factor and not _is_semidefinite(S, trace):
            raise ValueError(f"the scatter of class number {number} is not positive semi-definite")
        if normalized and trace + count * float(mean @ mean) > count * (1 + ROUNDING):
            raise ValueError(f"samples of class number {number} cannot have unit norm")


def _is_semidefinite(S: Array, trace: float) -> bool:
    if trace < 0 or np.abs(S - S.T).max(initial=0.0) > ROUNDING * trace:
        return False
    # A scatter may be singular: it is moved up by its rounding.
    try:
        np.linalg.cholesky(S + (ROUNDING * trace + np.finfo(float).tiny) * np.eye(len(S)))
    except np.linalg.LinAlgError:
        return False
    return True
