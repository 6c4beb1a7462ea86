"""The ranges that parameters of the methods may have, in the words of scikit-learn's validation."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval

Constraints = dict[str, list[object]]
"""For each parameter what it may be: any of these."""

AtomCounts = int | Sequence[int]
"""Atoms of every class, or of each one in the order of `classes_`."""

RandomState = int | np.random.RandomState | None
"""What seeds a method."""

COUNT: list[object] = [Interval(Integral, 1, None, closed="left")]
COUNTS: list[object] = [*COUNT, "array-like"]
COUNT_OR_ZERO: list[object] = [Interval(Integral, 0, None, closed="left")]
POSITIVE: list[object] = [Interval(Real, 0, None, closed="neither")]
POSITIVE_OR_ZERO: list[object] = [Interval(Real, 0, None, closed="left")]
SEED: list[object] = ["random_state"]
YES_OR_NO: list[object] = ["boolean"]
DEVICE: list[object] = [str, None]
