"""Scikit-learn's validation without the warnings that NumPy gives on the way to its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.utils.validation


def validate_data(estimator: Any, *args: Any, **settings: Any) -> Any:
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
